//! `undust diff`: what tells two rule files apart.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use undust::apply::Form;
use undust::rules::Rule;
use undust_io::read;
use undust_learn::diff::{Aspect, RuleDiff, SetDiff, SiteDiff, Treated, UrlDiff};
use undust_neural::file::{Models, to_bytes};
use undust_neural::{Engine, RuleFile, Scratch};

use super::print_json;
use crate::Outcome;
use crate::args::Diff;
use crate::messages::{counted, percent_at_most, report_problems, thousands};

pub(super) fn run(args: &Diff) -> Result<Outcome> {
    let from_stdin = |path: &&Path| *path == Path::new("-");
    let inputs = [Some(&args.old), Some(&args.new), args.urls.as_ref()];
    if inputs.into_iter().flatten().map(|path| &**path).filter(from_stdin).count() > 1 {
        bail!("only one of the rule files and the URLs can come from standard input");
    }
    let [old, new] = [RuleFile::load(&args.old)?, RuleFile::load(&args.new)?];
    let found = Found {
        rules: SetDiff::new(&old.rules, &new.rules),
        models: different_models(&old.models, &new.models),
        urls: urls(args, [&old, &new])?,
    };
    if args.json {
        print_json(&found.to_json())?;
    } else {
        found.write(&mut io::stdout().lock())?;
    }
    Ok(if found.is_different() { Outcome::Findings } else { Outcome::Fine })
}

/// What was found.
struct Found<'r> {
    rules: SetDiff<'r>,
    /// Sites whose models differ.
    models: Vec<String>,
    urls: Option<UrlDiff>,
}

/// The sites of which only one has a model, or both have different ones.
fn different_models(old: &Models, new: &Models) -> Vec<String> {
    let alone = |models: &Models, site: &String| {
        let model = models.get(site)?;
        Some(to_bytes(&Models::from([(site.clone(), model.clone())])))
    };
    let sites: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    sites.into_iter().filter(|site| alone(old, site) != alone(new, site)).cloned().collect()
}

/// How both treat the URLs of the list, if there is one.
fn urls(args: &Diff, files: [&RuleFile; 2]) -> Result<Option<UrlDiff>> {
    let Some(list) = &args.urls else { return Ok(None) };
    let form: Form = args.form.into();
    let engines = files.map(|file| Engine::new(file, form));
    let mut scratch = Scratch::new();
    let mut treated = |engine: &Engine, url: &[u8]| {
        let mut key = Vec::new();
        engine.canonicalize_into(url, &mut scratch, &mut key);
        let is_skipped = engine.skips(&key, &mut scratch).is_some();
        Treated { key, is_skipped }
    };
    let mut diff = UrlDiff::default();
    let summary = read(list, &args.reading.options(), &mut |page| {
        diff.add(&page.url, [treated(&engines[0], &page.url), treated(&engines[1], &page.url)]);
    })?;
    report_problems(&summary);
    Ok(Some(diff))
}

impl Found<'_> {
    fn is_different(&self) -> bool {
        let are_treated_differently = |urls: &UrlDiff| urls.different > 0;
        self.rules.is_different()
            || !self.models.is_empty()
            || self.urls.as_ref().is_some_and(are_treated_differently)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let SetDiff { normalize, site_by, sites, same } = &self.rules;
        if *normalize {
            writeln!(out, "only one of the files has URLs normalised (\"normalize\")")?;
        }
        if *site_by {
            writeln!(out, "a site is a domain in one file and a host in the other (\"site_by\")")?;
        }
        for site in sites {
            write_site(out, site)?;
        }
        for site in &self.models {
            writeln!(out, "the model of {site} is another one")?;
        }
        let [added, lost, changed] = self.rules.counts().map(thousands);
        let same = counted(*same, "rule");
        writeln!(out, "{added} added, {lost} lost, {changed} changed; {same} the same in both")?;
        self.urls.iter().try_for_each(|urls| write_urls(out, urls))
    }

    fn to_json(&self) -> Value {
        let mut shown = json!({
            "different": self.is_different(),
            "normalize_differs": self.rules.normalize,
            "site_by_differs": self.rules.site_by,
            "models_differ": self.models,
            "same": self.rules.same,
            "sites": self.rules.sites.iter().map(site_json).collect::<Vec<_>>(),
        });
        if let Some(urls) = &self.urls {
            shown["urls"] = urls_json(urls);
        }
        shown
    }
}

fn write_site(out: &mut impl Write, diff: &SiteDiff) -> io::Result<()> {
    writeln!(out, "{}", diff.site)?;
    for (sign, rules) in [('+', &diff.added), ('-', &diff.lost)] {
        for rule in rules {
            writeln!(out, "{sign} {}", rule.action)?;
        }
    }
    for RuleDiff { old, new, aspects } in &diff.changed {
        writeln!(out, "~ {}", new.action)?;
        for aspect in aspects {
            let [old, new] = [old, new].map(|rule| said(*aspect, rule));
            writeln!(out, "    {}: {old} -> {new}", aspect.name())?;
        }
    }
    if diff.is_reordered {
        writeln!(out, "  rules are tried in another order")?;
    }
    writeln!(out)
}

/// What a rule has to show in one respect.
fn said(aspect: Aspect, rule: &Rule) -> String {
    let text = match aspect {
        Aspect::Id => Some(rule.id.clone()),
        Aspect::Learner => rule.learner.clone(),
        Aspect::Review => Some(rule.review.name().to_owned()),
        Aspect::Validation => rule.validation.as_ref().map(|tried| {
            let (same, other) = (thousands(tried.positive), thousands(tried.negative));
            format!("{} ({same} same, {other} other)", tried.verdict.name())
        }),
        Aspect::Evidence => rule.evidence.as_ref().map(|seen| {
            let (saved, trials) = (thousands(seen.saved), thousands(seen.trials));
            let (wrong, bound) = (thousands(seen.false_positives), percent_at_most(seen.bound));
            format!("saved {saved}, wrong {wrong}/{trials}, at most {bound}")
        }),
        Aspect::Note => rule.note.as_ref().map(|note| format!("'{note}'")),
    };
    text.unwrap_or_else(|| "none".to_owned())
}

fn write_urls(out: &mut impl Write, diff: &UrlDiff) -> io::Result<()> {
    let [before, now] = diff.fetches();
    writeln!(
        out,
        "\nof {}, {} treated differently ({} by their key, {} by a skip); to fetch: {} before, {} now",
        counted(diff.urls, "URL"),
        thousands(diff.different),
        thousands(diff.other_key),
        thousands(diff.other_skip),
        thousands(before),
        thousands(now)
    )?;
    for (url, treated) in &diff.examples {
        writeln!(out, "  {}", String::from_utf8_lossy(url))?;
        for (sign, Treated { key, is_skipped }) in ['-', '+'].iter().zip(treated) {
            let skipped = if *is_skipped { " (skipped)" } else { "" };
            writeln!(out, "    {sign} {}{skipped}", String::from_utf8_lossy(key))?;
        }
    }
    let more = diff.different - diff.examples.len() as u64;
    if more > 0 {
        writeln!(out, "  … and {} more", thousands(more))?;
    }
    Ok(())
}

fn site_json(diff: &SiteDiff) -> Value {
    let rule = |rule: &&Rule| {
        let (from, to) = rule.action.sides();
        json!({ "id": rule.id, "from": from, "to": to })
    };
    let rules = |rules: &[&Rule]| rules.iter().map(rule).collect::<Vec<_>>();
    let changed = |RuleDiff { old, new, aspects }: &RuleDiff| {
        let mut shown = rule(new);
        for aspect in aspects {
            shown["changes"][aspect.name()] = json!([value(*aspect, old), value(*aspect, new)]);
        }
        shown
    };
    json!({
        "site": diff.site,
        "added": rules(&diff.added),
        "lost": rules(&diff.lost),
        "changed": diff.changed.iter().map(changed).collect::<Vec<_>>(),
        "reordered": diff.is_reordered,
    })
}

fn value(aspect: Aspect, rule: &Rule) -> Value {
    match aspect {
        Aspect::Id => json!(rule.id),
        Aspect::Learner => json!(rule.learner),
        Aspect::Review => json!(rule.review),
        Aspect::Validation => json!(rule.validation),
        Aspect::Evidence => json!(rule.evidence),
        Aspect::Note => json!(rule.note),
    }
}

fn urls_json(diff: &UrlDiff) -> Value {
    let treated = |treated: &Treated| json!({ "key": String::from_utf8_lossy(&treated.key), "skipped": treated.is_skipped });
    let example = |(url, [old, new]): &(Vec<u8>, [Treated; 2])| json!({ "url": String::from_utf8_lossy(url), "old": treated(old), "new": treated(new) });
    json!({
        "read": diff.urls,
        "different": diff.different,
        "other_key": diff.other_key,
        "other_skip": diff.other_skip,
        "fetches": diff.fetches(),
        "examples": diff.examples.iter().map(example).collect::<Vec<_>>(),
    })
}
