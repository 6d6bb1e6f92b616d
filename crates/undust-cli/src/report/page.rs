//! The page around the sections.

use std::collections::BTreeMap;

use undust::rules::{Rule, SiteRules};
use undust_learn::survey::{Point, Survey, curve};

use super::collect::{Collected, SiteLine};
use super::html::{Html, nothing, said, tag, tag_with, text};
use super::{Facts, charts, conflicts, rules, sites, summary, tree, unexplained};
use crate::messages::{counted, thousands};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing is loaded, and no script runs but ours, whatever was crawled. The hash is that of our script (`openssl dgst -sha256 -binary
/// script.js | base64`); if the two do not fit, the browser does not run it, and a test fails.
const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\"/>
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
script-src 'sha256-8AXTSMuEyhUoN3YgODS8d+/M5ajLNurXaljb7Xi0vBc='; base-uri 'none'; form-action 'none'\"/>
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>
<meta name=\"color-scheme\" content=\"light dark\"/>
";

/// What sections are made from.
pub(super) struct Report<'r> {
    pub(super) facts: &'r Facts<'r>,
    pub(super) collected: &'r Collected,
    /// What the rules save, by what they may lose.
    pub(super) curve: Vec<Point>,
    rules: BTreeMap<&'r str, &'r SiteRules>,
}

impl<'r> Report<'r> {
    pub(super) fn new(facts: &'r Facts<'r>, collected: &'r Collected) -> Report<'r> {
        let all = facts.rules.rules().map(|(_, rule)| rule);
        Report {
            facts,
            collected,
            curve: curve(all, facts.total.clusters),
            rules: facts.rules.sites.iter().map(|site| (site.site.as_str(), site)).collect(),
        }
    }

    /// Whether rules were judged by labels.
    pub(super) fn is_judged(&self) -> bool {
        self.facts.total.clusters > 0
    }

    /// URLs that need no fetch.
    pub(super) fn spared(&self) -> u64 {
        self.collected.sum(SiteLine::saved)
    }

    pub(super) fn rules_of(&self, site: &str) -> &'r [Rule] {
        self.rules.get(site).map(|site| site.rules.as_slice()).unwrap_or_default()
    }

    /// What there is to say of each site that is shown in full, under its name if it is not the only one. The first is open.
    pub(super) fn per_site(&self, one: impl Fn(&SiteLine, &Survey) -> Option<(String, Html)>) -> Html {
        let said_of =
            self.collected.details.iter().filter_map(|(line, survey)| Some((line, one(line, survey)?)));
        if self.collected.lines.len() == 1 {
            return said_of.map(|(_, (_, content))| content).collect();
        }
        let folded = said_of.enumerate().map(|(at, (line, (short, content)))| {
            let open: &[_] = if at == 0 { &[("open", String::new())] } else { &[] };
            let summary = tag("summary", [said("b", &line.site), said("span.quiet", short)]);
            tag_with("details.site", open, [summary, content])
        });
        folded.chain([self.sites_left_out()]).collect()
    }

    fn sites_left_out(&self) -> Html {
        let more = (self.collected.lines.len() - self.collected.details.len()) as u64;
        if more == 0 {
            return nothing();
        }
        let shown = counted(self.collected.details.len() as u64, "site");
        said("p.more", format!("The {shown} that save most; {} more are left out here.", thousands(more)))
    }
}

/// A part of the page.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) lead: Html,
    pub(super) body: Html,
}

impl Section {
    fn html(self) -> Html {
        let lead = tag("p.lead", [self.lead]);
        tag_with("section", &[("id", self.id.to_owned())], [said("h2", self.title), lead, self.body])
    }

    fn link(&self) -> Html {
        tag_with("a", &[("href", format!("#{}", self.id))], [text(self.title)])
    }
}

/// The whole page.
pub(super) fn page(facts: &Facts, collected: &Collected) -> String {
    let report = Report::new(facts, collected);
    let sections = [
        sites::section(&report),
        Some(rules::section(&report)),
        charts::trade_off(&report),
        charts::learners(&report),
        Some(tree::section(&report)),
        unexplained::section(&report),
        conflicts::section(&report),
    ];
    let sections: Vec<Section> = sections.into_iter().flatten().collect();
    let nav = tag("nav", sections.iter().map(Section::link));
    let body: Html = sections.into_iter().map(Section::html).collect();
    [
        HEAD,
        said("title", format!("undust: {}", summary::headline(&report))).as_str(),
        "\n<style>\n",
        STYLE,
        "</style>\n</head>\n<body>\n",
        summary::head(&report).as_str(),
        nav.as_str(),
        tag("main", [body]).as_str(),
        summary::foot(&report).as_str(),
        "\n<script>",
        SCRIPT,
        "</script>\n</body>\n</html>\n",
    ]
    .concat()
}
