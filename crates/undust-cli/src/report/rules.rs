//! The rules, site by site, with their evidence.

use undust::rules::{Action, Evidence, Rule, Validation, Verdict, classify};

use super::collect::SiteLine;
use super::html::{Html, bar, code, compared, fold, nothing, said, tag, tag_with, text};
use super::page::{Report, Section};
use crate::messages::{counted, percent_at_most, thousands};

/// Rules of a site shown, at most; the rule file has them all.
const MAX_RULES_SHOWN: usize = 50;
/// Examples of a rule shown, at most.
const MAX_EXAMPLES_SHOWN: usize = 2;

/// The field that scripts make useful, and hide where there are none.
const FILTER: &str = "<p class=\"filter\"><input id=\"filter\" type=\"search\" placeholder=\"filter rules: words of a rule, an example, a site\" \
aria-label=\"Filter rules\"/><output id=\"shown\" for=\"filter\"></output></p>";

const LEAD: &str = "In the order in which they are tried. What differs between both sides is marked; {…} stands for any text, * for a \
value that does not matter.";

pub(super) fn section(report: &Report) -> Section {
    let list = report.per_site(|line, _| {
        let rules = report.rules_of(&line.site);
        let short = format!("{}, {} saved", counted(line.rules, "rule"), counted(line.saved(), "URL"));
        (!rules.is_empty()).then(|| (short, of_site(line, rules)))
    });
    let is_empty = report.facts.rules.rules().next().is_none();
    let lead = match (is_empty, report.is_judged()) {
        (true, true) => {
            "No rule was sure enough. More labelled URLs of the same sites help, or a larger --max-fpr."
        }
        (true, false) => {
            "No rule is likely. More URLs of the same sites help, or a smaller --set dustbuster.min-support."
        }
        _ => LEAD,
    };
    let body = if is_empty { nothing() } else { [Html::fixed(FILTER), list].into_iter().collect() };
    Section { id: "rules", title: "Rules", lead: text(lead), body }
}

/// Kinds of rules, each with a list of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Judged,
    Skip,
    Likely,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Judged, Kind::Skip, Kind::Likely];

    fn of(rule: &Rule) -> Kind {
        if rule.action.is_skip() {
            Kind::Skip
        } else if rule.is_likely() {
            Kind::Likely
        } else {
            Kind::Judged
        }
    }

    fn title(self) -> &'static str {
        match self {
            Kind::Judged => "URLs that become one",
            Kind::Skip => "URLs that are never fetched, since their pages have others",
            Kind::Likely => "Likely, to be tried out",
        }
    }

    /// The evidence of a rule, beside the URLs that the rules of its site save.
    fn figures(self, evidence: &Evidence, all: u64) -> Html {
        match self {
            Kind::Judged => judged(evidence, all, "URLs saved", "wrong"),
            Kind::Skip => judged(evidence, all, "URLs skipped", "pages lost"),
            Kind::Likely => {
                [said("strong", thousands(evidence.support)), said("span", "pairs of URLs alike")]
                    .into_iter()
                    .collect()
            }
        }
    }
}

fn of_site(line: &SiteLine, rules: &[Rule]) -> Html {
    let list = |kind: Kind| {
        let of_kind: Vec<&Rule> = rules.iter().filter(|rule| Kind::of(rule) == kind).collect();
        let title = if of_kind.is_empty() { nothing() } else { said("h3", kind.title()) };
        let more = of_kind.len().saturating_sub(MAX_RULES_SHOWN) as u64;
        let more = if more > 0 {
            said("p.more", format!("… and {} in the rule file", counted(more, "more rule")))
        } else {
            nothing()
        };
        let shown = of_kind.into_iter().take(MAX_RULES_SHOWN).map(|rule| card(line, rule, kind));
        [title].into_iter().chain(shown).chain([more]).collect::<Html>()
    };
    Kind::ALL.map(list).into_iter().collect()
}

fn card(line: &SiteLine, rule: &Rule, kind: Kind) -> Html {
    let evidence = rule.evidence.clone().unwrap_or_default();
    let says = [says(&rule.action), tags(rule), examples(&evidence)];
    let tried = rule.validation.as_ref().map_or_else(nothing, tried);
    // Without held-out URLs, what the learner saw is no judgement of a rule that was tried out.
    let is_judged_by_trying = rule.validation.is_some() && kind == Kind::Judged && evidence.trials == 0;
    let figures = if is_judged_by_trying { nothing() } else { kind.figures(&evidence, line.saved()) };
    let parts = [tag("div.says", says), tag("div.known", [figures, tried])];
    tag_with("article.rule", &[("data-site", line.site.clone())], parts)
}

/// What a rule does.
fn says(action: &Action) -> Html {
    let (from, to) = action.sides();
    if action.is_skip() { tag("div.pair", [code(from)]) } else { pair(&from, &to, "→") }
}

/// Two texts under each other, with what differs marked.
pub(super) fn pair(a: &str, b: &str, sign: &'static str) -> Html {
    let [a, b] = compared(a, b);
    tag("div.pair", [a, tag("span.becomes", [said("i", sign), b])])
}

/// A rule's name, class and origin.
fn tags(rule: &Rule) -> Html {
    let class = classify(&rule.action).map_or_else(nothing, |class| said("span.tag", class.name()));
    let learner = rule.learner.as_ref().map_or_else(nothing, |learner| said("span.tag", learner));
    let note = rule.note.as_ref().map_or_else(nothing, |note| said("span", note));
    tag("p.tags", [class, learner, said("span.id", &rule.id), note])
}

fn examples(evidence: &Evidence) -> Html {
    let shown: Vec<Html> =
        evidence.examples.iter().take(MAX_EXAMPLES_SHOWN).map(|[a, b]| pair(a, b, "=")).collect();
    match shown.len() as u64 {
        0 => nothing(),
        n => fold("details.examples", false, text(counted(n, "example")), shown.into_iter().collect()),
    }
}

/// What trying a rule out has shown, if it was.
fn tried(Validation { verdict, positive, negative, .. }: &Validation) -> Html {
    if positive + negative == 0 {
        return nothing();
    }
    let pairs = counted(positive + negative, "pair");
    let seen = format!("{}: {pairs} compared, {} other", verdict.name(), thousands(*negative));
    said(if *verdict == Verdict::Invalid { "span.wrong" } else { "span.right" }, seen)
}

/// What a rule saves of all that is saved on its site, and how far it can be believed.
fn judged(evidence: &Evidence, all: u64, what: &str, failed: &str) -> Html {
    let Evidence { saved, trials, false_positives, bound, .. } = evidence;
    let wrong = format!("{} of {} {failed}, held out", thousands(*false_positives), thousands(*trials));
    let share = *saved as f64 / all.max(1) as f64;
    let figures = [
        said("strong", thousands(*saved)),
        said("span", what),
        bar("div.bar", share, 1.0),
        said(if *false_positives > 0 { "span.wrong" } else { "span.right" }, wrong),
        said("span", format!("at most {}", percent_at_most(*bound))),
    ];
    figures.into_iter().collect()
}
