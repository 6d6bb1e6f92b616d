//! The state of learning: the canonical form of every URL, with the pages seen under it.

use std::collections::HashMap;

use undust::apply::{Canonicalizer, Form, Scratch};
use undust::rules::{Rule, RuleSet};
use undust::url::{SiteBy, SplitUrl};
use xxhash_rust::xxh3::xxh3_64;

use super::record::Record;
use crate::intern::Interner;
use crate::select::Given;
use crate::site::Site;

/// Canonical forms and their pages.
#[derive(Clone)]
pub(super) struct Forms {
    site: String,
    site_by: SiteBy,
    /// Rules that stand before those that are learned, and rules for every site behind them.
    standing: Vec<Rule>,
    everywhere: Vec<Rule>,
    /// The port of the site's URLs, where they have one.
    port: Option<Vec<u8>>,
    /// Bytes of each form.
    pub text: Vec<Vec<u8>>,
    /// Pages under each form, with their URLs, most URLs first.
    pages: Vec<Vec<(u32, u32)>>,
    /// The page that most URLs of a form are of.
    pub major: Vec<u32>,
    /// Forms that are not merged into others, in order.
    pub alive: Vec<u32>,
    /// By hash of the text, the living form.
    by_text: HashMap<u64, u32>,
    /// For each page, the living forms that are of it.
    pub count: Vec<u32>,
    /// The rules accepted so far.
    pub rules: Vec<Rule>,
    /// Pages lost by them.
    pub lost: u64,
    /// Pages of the site.
    pub total_pages: u64,
    /// Addresses of pages that whole scopes lead to, behind the host.
    pub walls: HashMap<u32, String>,
}

/// A form that a statement changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub form: u32,
    /// Hash of the new form: of its fields or of its text.
    pub to: u64,
}

/// What became of a trial, in forms and pages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// Forms merged into others.
    pub saved: u64,
    /// Pages lost.
    pub lost: u64,
    /// Groups that a page is lost in.
    pub losing_groups: u64,
    /// Forms merged into one of another page.
    pub wrong: u64,
    /// Groups of forms made equal.
    pub groups: u64,
    /// Groups with more than one page.
    pub bad_groups: u64,
    /// Pages that forms were merged into another page from.
    pub pages_hit: u64,
}

/// A trial with the changed forms.
pub(super) struct Trial {
    pub score: Score,
    pub moves: Vec<Move>,
    texts: Vec<Vec<u8>>,
}

/// A group of forms made equal.
pub(super) struct Group {
    pub is_good: bool,
    pub forms: Vec<u32>,
}

impl Forms {
    /// The forms of a site under the rules that are given.
    pub(super) fn new(site: &Site, site_by: SiteBy, given: Given<'_>) -> Forms {
        let engine = Canonicalizer::of_rules(&given.rule_set(&site.name, site_by, Vec::new()), Form::Key);
        let mut scratch = Scratch::new();
        let mut forms = Forms {
            site: site.name.clone(),
            site_by,
            standing: given.standing.to_vec(),
            everywhere: given.everywhere.to_vec(),
            port: None,
            text: Vec::new(),
            pages: Vec::new(),
            major: Vec::new(),
            alive: Vec::new(),
            by_text: HashMap::new(),
            count: vec![0; site.clusters()],
            rules: Vec::new(),
            lost: 0,
            total_pages: 0,
            walls: HashMap::new(),
        };
        let mut is_seen = vec![false; site.clusters()];
        let mut url = Vec::new();
        for row in 0..site.len() as u32 {
            url.clear();
            site.write_url(row, &mut url);
            let key = engine.canonicalize(&url, &mut scratch);
            let page = site.cluster(row);
            if !std::mem::replace(&mut is_seen[page as usize], true) {
                forms.total_pages += 1;
            }
            let next = forms.text.len() as u32;
            let at = *forms.by_text.entry(xxh3_64(&key)).or_insert(next);
            if at == next {
                forms.text.push(key.into_owned());
                forms.pages.push(Vec::new());
                forms.alive.push(at);
            }
            add_page(&mut forms.pages[at as usize], page, 1);
        }
        forms.major = forms.pages.iter().map(|pages| pages[0].0).collect();
        for page in &forms.major {
            forms.count[*page as usize] += 1;
        }
        let reached = forms.count.iter().filter(|count| **count > 0).count() as u64;
        // Pages that share every URL with another one are lost whatever is done.
        forms.total_pages = forms.total_pages.min(reached);
        forms.port = forms.text.first().and_then(|url| SplitUrl::new(url)?.port().map(<[u8]>::to_vec));
        forms
    }

    /// The records of the living forms, by form.
    pub(super) fn records(&self, texts: &mut Interner) -> Vec<Option<Record>> {
        let mut records = vec![None; self.text.len()];
        for at in &self.alive {
            records[*at as usize] = Record::new(&self.text[*at as usize], self.port.as_deref(), texts);
        }
        records
    }

    fn engine(&self, rule: Option<&Rule>) -> Canonicalizer {
        let rules = self.rules.iter().chain(rule).cloned().collect();
        Canonicalizer::of_rules(&self.rule_set(rules), Form::Key)
    }

    /// The rule set with one rule more.
    pub(super) fn with_rule(&self, rule: &Rule) -> RuleSet {
        self.rule_set(self.rules.iter().chain([rule]).cloned().collect())
    }

    /// These rules with those that were given.
    pub(super) fn rule_set(&self, rules: Vec<Rule>) -> RuleSet {
        let given = Given { standing: &self.standing, everywhere: &self.everywhere, refused: &[] };
        given.rule_set(&self.site, self.site_by, rules)
    }

    /// Scheme and host of a template that is about every host of the site.
    pub(super) fn any_host(&self) -> String {
        let port = self.port.iter().map(|port| format!(":{}", String::from_utf8_lossy(port)));
        format!("{{scheme}}://{{...}}{}", port.collect::<String>())
    }

    /// What a rule does to these forms, behind the accepted ones.
    pub(super) fn try_rule(&self, rule: &Rule, forms: &[u32]) -> Trial {
        let alone = RuleSet::of_site(&self.site, self.site_by, vec![rule.clone()]);
        let first = Canonicalizer::of_rules(&alone, Form::Key);
        let all = self.engine(Some(rule));
        let mut scratch = Scratch::new();
        let (mut moves, mut texts) = (Vec::new(), Vec::new());
        for form in forms {
            let before = &self.text[*form as usize];
            // Where the rule by itself changes nothing, neither do all: the form is a fixed point of the others.
            if *first.canonicalize(before, &mut scratch) == **before {
                continue;
            }
            let after = all.canonicalize(before, &mut scratch);
            if *after != **before {
                moves.push(Move { form: *form, to: xxh3_64(&after) });
                texts.push(after.into_owned());
            }
        }
        let score = self.score(&moves, |hash| self.by_text.get(&hash).copied());
        Trial { score, moves, texts }
    }

    /// The groups that a trial makes.
    pub(super) fn groups(&self, moves: &[Move], target: impl Fn(u64) -> Option<u32>) -> Vec<Group> {
        let mut groups = Vec::new();
        each_group(moves, target, |forms| {
            let first = self.major[forms[0] as usize];
            let is_good = forms.iter().all(|form| self.major[*form as usize] == first);
            groups.push(Group { is_good, forms: forms.to_vec() });
        });
        groups
    }

    pub(super) fn by_text(&self, hash: u64) -> Option<u32> {
        self.by_text.get(&hash).copied()
    }

    /// Counts what moves save and lose; `target` is the form that has a hash already.
    pub(super) fn score(&self, moves: &[Move], target: impl Fn(u64) -> Option<u32>) -> Score {
        let mut score = Score::default();
        let mut losing: HashMap<u32, u32> = HashMap::new();
        let mut losing_groups: Vec<Vec<u32>> = Vec::new();
        each_group(moves, target, |forms| {
            score.groups += 1;
            score.saved += forms.len() as u64 - 1;
            let first = self.major[forms[0] as usize];
            if forms.iter().all(|form| self.major[*form as usize] == first) {
                return;
            }
            score.bad_groups += 1;
            let pages = self.pages_of(forms);
            score.wrong += pages[1..].iter().map(|(_, n)| u64::from(*n)).sum::<u64>();
            for (page, n) in &pages[1..] {
                *losing.entry(*page).or_default() += n;
            }
            losing_groups.push(pages[1..].iter().map(|(page, _)| *page).collect());
        });
        let is_lost = |page: &u32| losing.get(page).is_some_and(|n| *n >= self.count[*page as usize]);
        score.lost = losing.keys().filter(|page| is_lost(page)).count() as u64;
        score.losing_groups = losing_groups.iter().filter(|pages| pages.iter().any(is_lost)).count() as u64;
        score.pages_hit = losing.len() as u64;
        score
    }

    /// The pages that forms are of, with how many, most first.
    fn pages_of(&self, forms: &[u32]) -> Vec<(u32, u32)> {
        let mut pages: Vec<u32> = forms.iter().map(|form| self.major[*form as usize]).collect();
        pages.sort_unstable();
        let mut counts: Vec<(u32, u32)> =
            pages.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        counts.sort_by_key(|(page, n)| (std::cmp::Reverse(*n), *page));
        counts
    }

    /// Takes a rule: its forms are what its trial says.
    pub(super) fn accept(&mut self, rule: Rule, trial: Trial) {
        for m in &trial.moves {
            self.by_text.remove(&xxh3_64(&self.text[m.form as usize]));
        }
        let mut is_dead = false;
        for (m, text) in trial.moves.iter().zip(trial.texts) {
            let Some(into) = self.by_text.get(&m.to).copied() else {
                self.by_text.insert(m.to, m.form);
                self.text[m.form as usize] = text;
                continue;
            };
            is_dead = true;
            self.count[self.major[m.form as usize] as usize] -= 1;
            for (page, urls) in std::mem::take(&mut self.pages[m.form as usize]) {
                add_page(&mut self.pages[into as usize], page, urls);
            }
            let (before, now) = (self.major[into as usize], self.pages[into as usize][0].0);
            self.count[before as usize] -= 1;
            self.count[now as usize] += 1;
            self.major[into as usize] = now;
        }
        if is_dead {
            self.alive.retain(|at| !self.pages[*at as usize].is_empty());
        }
        self.lost += trial.score.lost;
        self.rules.push(rule);
    }

    pub(super) fn is_alive(&self, form: u32) -> bool {
        !self.pages[form as usize].is_empty()
    }

    /// Remembers the address that a whole scope leads to, so that others lead there, too.
    pub(super) fn note_wall(&mut self, trial: &Trial, target: &str) {
        if let Some((page, _)) =
            self.pages_of(&trial.moves.iter().map(|m| m.form).collect::<Vec<_>>()).first()
        {
            self.walls.entry(*page).or_insert_with(|| target.to_owned());
        }
    }

    pub(super) fn examples(&self, trial: &Trial) -> Vec<[String; 2]> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pair = |(m, after): (&Move, &Vec<u8>)| [text(&self.text[m.form as usize]), text(after)];
        trial.moves.iter().zip(&trial.texts).take(MAX_EXAMPLES).map(pair).collect()
    }
}

/// Example pairs kept of a rule.
const MAX_EXAMPLES: usize = 3;

/// Counts URLs of a page, and keeps the page of most URLs first.
fn add_page(pages: &mut Vec<(u32, u32)>, page: u32, urls: u32) {
    let at = pages.iter().position(|(known, _)| *known == page).unwrap_or_else(|| {
        pages.push((page, 0));
        pages.len() - 1
    });
    pages[at].1 += urls;
    if pages[at].1 > pages[0].1 || pages[at].1 == pages[0].1 && pages[at].0 < pages[0].0 {
        pages.swap(0, at);
    }
}

/// Calls `see` with every group of forms that moves make equal; `target` is the form that has a hash already.
fn each_group(moves: &[Move], target: impl Fn(u64) -> Option<u32>, mut see: impl FnMut(&[u32])) {
    let mut order: Vec<(u64, u32)> = moves.iter().map(|m| (m.to, m.form)).collect();
    order.sort_unstable();
    let mut moved: Vec<u32> = moves.iter().map(|m| m.form).collect();
    moved.sort_unstable();
    let mut members = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        members.clear();
        members.extend(group.iter().map(|(_, form)| *form));
        if let Some(stays) = target(group[0].0).filter(|at| moved.binary_search(at).is_err()) {
            members.push(stays);
        }
        if members.len() > 1 {
            see(&members);
        }
    }
}
