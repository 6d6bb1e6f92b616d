//! `regex-normalize.xml` of Apache Nutch and `StormCrawler`: expressions of Java, each replaced wherever it is found, in order.

use roxmltree::{Document, Node};

use crate::active::{ActiveRule, partition};
use crate::collect::ImportedRules;
use crate::dialect::JAVA;
use crate::from_regex::rule_of;
use crate::{ImportError, Written};

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| JAVA.write(rule));
    let mut lines = vec!["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<regex-normalize>\n".to_owned()];
    for (rule, regexes) in said {
        // Two hyphens would end the comment.
        lines.push(format!("<!-- {}: rule {} -->\n", rule.site, rule.id().replace("--", "- -")));
        for (pattern, replacement) in regexes {
            let (pattern, replacement) = (xml(&pattern), xml(&replacement));
            let inside = format!("<pattern>{pattern}</pattern><substitution>{replacement}</substitution>");
            lines.push(format!("<regex>{inside}</regex>\n"));
        }
    }
    lines.push("</regex-normalize>\n".to_owned());
    Written { text: lines.concat(), left_out }
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) fn import(text: &str) -> Result<ImportedRules, ImportError> {
    let document = Document::parse(text)?;
    if !document.root_element().has_tag_name("regex-normalize") {
        let found = document.root_element().tag_name().name().to_owned();
        return Err(ImportError::RootElement { found, expected: "regex-normalize" });
    }
    let mut collected = ImportedRules::default();
    for regex in document.descendants().filter(|node| node.has_tag_name("regex")) {
        let child =
            |name: &str| regex.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        // As Nutch reads it: an element without text is empty.
        let (pattern, substitution) =
            (child("pattern").unwrap_or_default(), child("substitution").unwrap_or_default());
        let what = format!("{}: {pattern} -> {substitution}", place(&document, regex));
        match rule_of(pattern, substitution) {
            Ok((hosts, action)) => collected.add(hosts, action, &what),
            Err(reason) => collected.leave_out(what, reason),
        }
    }
    Ok(collected)
}

fn place(document: &Document, node: Node) -> String {
    format!("line {}", document.text_pos_at(node.range().start).row)
}
