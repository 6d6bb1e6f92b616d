//! All sites in a table.

use super::collect::SiteLine;
use super::html::{Html, bar, nothing, said, tag, text};
use super::page::{Report, Section};
use crate::messages::{counted, percent, thousands};

/// Sites in the table, at most.
const MAX_SITES_IN_TABLE: usize = 1000;

const COLUMNS: [&str; 9] =
    ["site", "URLs", "pages", "rules", "saved", "", "fetched", "of them again", "made equal, other label"];

/// Nothing for a single site: the summary says it all.
pub(super) fn section(report: &Report) -> Option<Section> {
    let lines = &report.collected.lines;
    if lines.len() < 2 {
        return None;
    }
    let head = tag("tr", COLUMNS.map(|column| said("th", column)));
    let rows = lines.iter().take(MAX_SITES_IN_TABLE).map(row);
    let table = tag("table", [tag("thead", [head]), tag("tbody", rows)]);
    let more = lines.len().saturating_sub(MAX_SITES_IN_TABLE) as u64;
    let more =
        if more > 0 { said("p.more", format!("… and {}", counted(more, "more site"))) } else { nothing() };
    let without = lines.iter().filter(|line| line.rules == 0).count() as u64;
    let without = if without > 0 { format!("; {} have no rule", thousands(without)) } else { String::new() };
    let lead = format!("Those that save most first{without}.");
    let body = [tag("div.scroll", [table]), more].into_iter().collect();
    Some(Section { id: "sites", title: "Sites", lead: text(lead), body })
}

fn row(line: &SiteLine) -> Html {
    let share = line.saved() as f64 / line.urls.max(1) as f64;
    let number = |n: u64| said("td.number", thousands(n));
    let cells = [
        said("th", &line.site),
        number(line.urls),
        number(line.pages),
        number(line.rules),
        number(line.saved()),
        tag("td.share", [bar("span.bar", share, 1.0), said("span", percent(share))]),
        number(line.fetched()),
        number(line.fetches.again),
        number(line.wrong),
    ];
    tag("tr", cells)
}
