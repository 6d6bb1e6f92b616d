//! Duplicates that no rule explains: where there is more to be had.

use undust_learn::survey::{FormPair, Survey, Unexplained};

use super::html::{Html, bar, fold, nothing, said, tag, text};
use super::page::{Report, Section};
use super::rules::pair;
use crate::messages::{counted, thousands};

/// Nothing where duplicates are not known.
pub(super) fn section(report: &Report) -> Option<Section> {
    if !report.is_judged() {
        return None;
    }
    let urls = report.collected.sum(|line| line.fetches.again);
    let fetched = report.collected.sum(|line| line.fetches.fetched());
    let body = report.per_site(|_, survey| {
        let Unexplained { urls, pages, .. } = survey.unexplained;
        let short = format!("{} of {}", counted(urls, "URL"), counted(pages, "page"));
        (urls > 0).then(|| (short, forms(survey)))
    });
    let models =
        if report.facts.models > 0 { " What models know beside the rules is not counted." } else { "" };
    let lead = if urls == 0 {
        format!("None: every page is fetched once.{models}")
    } else {
        let (urls, fetched) = (thousands(urls), counted(fetched, "URL"));
        format!(
            "Of {fetched} that are fetched, {urls} lead to a page that is fetched under another one, too. What they look like, and the URL that \
             would do; * stands for values that few URLs have.{models}"
        )
    };
    Some(Section { id: "unexplained", title: "Unexplained duplicates", lead: text(lead), body })
}

fn forms(survey: &Survey) -> Html {
    let Unexplained { urls, pairs, more_pairs, .. } = &survey.unexplained;
    let more = if *more_pairs > 0 {
        said("p.more", format!("… and {} of other forms", counted(*more_pairs, "more pair")))
    } else {
        nothing()
    };
    pairs.iter().map(|pair| form_pair(pair, *urls)).chain([more]).collect()
}

fn form_pair(found: &FormPair, all: u64) -> Html {
    let examples = found.examples.iter().map(|[a, b]| pair(a, b, "=")).collect();
    let says = [
        pair(&found.form, &found.of, "="),
        why(found),
        fold("details.examples", false, text(counted(found.examples.len() as u64, "example")), examples),
    ];
    let known = [
        said("strong", thousands(found.urls)),
        said("span", if found.urls == 1 { "URL" } else { "URLs" }),
        bar("div.bar.spare", found.urls as f64 / all.max(1) as f64, 1.0),
    ];
    tag("article.gap", [tag("div.says", says), tag("div.known", known)])
}

/// What tells both URLs apart, where that can be said in words.
fn why(found: &FormPair) -> Html {
    match found.differ_in.as_slice() {
        [] if found.form == found.of => {
            said("p.tags", "both look the same: only their values tell them apart")
        }
        [] => nothing(),
        [one] => said("p.tags", format!("they differ only in {one}")),
        [first @ .., last] => said("p.tags", format!("they differ only in {} and {last}", first.join(", "))),
    }
}
