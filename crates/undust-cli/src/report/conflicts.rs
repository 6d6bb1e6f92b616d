//! Evidence that does not agree, with itself or with the rules.

use undust_learn::survey::{Claims, Conflicts, TwoLabels, WrongPair};

use super::html::{Html, code, nothing, said, tag, text};
use super::page::{Report, Section};
use super::rules::pair;
use crate::messages::{counted, thousands};

/// Nothing where there is no evidence.
pub(super) fn section(report: &Report) -> Option<Section> {
    if !report.is_judged() {
        return None;
    }
    let body = report.per_site(|line, survey| {
        let Conflicts { wrong, two_labels, claims, .. } = &survey.conflicts;
        let short = format!("{} made equal to another page", counted(*wrong, "URL"));
        let is_empty = *wrong == 0 && two_labels.is_empty() && claims.is_empty();
        (!is_empty).then(|| (short, of_site(&survey.conflicts, line.lost)))
    });
    let wrong = report.collected.sum(|line| line.wrong);
    let lead = match (wrong, report.facts.total.contradictions) {
        (0, 0) => "Rules and labels agree on every URL.".to_owned(),
        (wrong, twice) => format!(
            "{} that rules make equal to URLs of another label, {} that gave a URL a second label. A wrong rule is one reason; \
             wrong labels, and pages that changed between two visits, are others.",
            counted(wrong, "URL"),
            counted(twice, "row")
        ),
    };
    Some(Section { id: "conflicts", title: "Conflicts", lead: text(lead), body })
}

fn of_site(conflicts: &Conflicts, lost: u64) -> Html {
    [wrong(conflicts, lost), two_labels(&conflicts.two_labels), conflicts.claims.iter().map(claims).collect()]
        .into_iter()
        .collect()
}

/// A heading over what was found; nothing where nothing was.
fn group(title: &str, what: String, found: Vec<Html>) -> Html {
    if found.is_empty() {
        return nothing();
    }
    [said("h3", title), said("p.quiet", what)].into_iter().chain(found).collect()
}

fn wrong(conflicts: &Conflicts, lost: u64) -> Html {
    let one = |WrongPair { url, kept, rules }: &WrongPair| {
        let by = said("p.tags", format!("by {}", rules.join(", ")));
        tag("div.example", [pair(url, kept, "→"), by])
    };
    let what = format!(
        "{} are taken for another page, which is kept; {} lost by it. Some of them:",
        counted(conflicts.wrong, "URL"),
        counted(lost, "page")
    );
    group("Made equal by rules, told apart by labels", what, conflicts.wrong_pairs.iter().map(one).collect())
}

fn two_labels(found: &[TwoLabels]) -> Html {
    let one = |TwoLabels { url, labels }: &TwoLabels| {
        let labels = labels.iter().map(|label| said("span.tag", label)).collect();
        tag("div.example", [code(url), tag("p.tags", [labels])])
    };
    let what = "The first label counted. Some of them:".to_owned();
    group("URLs with several labels", what, found.iter().map(one).collect())
}

fn claims(claims: &Claims) -> Html {
    let examples = claims.examples.iter().map(|[url, target]| tag("div.example", [pair(url, target, "≠")]));
    let what = format!(
        "Of {} to a URL that was seen, {} lead to a URL of another label.",
        counted(claims.claims, claims.kind),
        thousands(claims.refuted)
    );
    let title = if claims.kind == "redirect" { "Redirects" } else { "Canonical links" };
    [said("h3", title), said("p.quiet", what)].into_iter().chain(examples).collect()
}
