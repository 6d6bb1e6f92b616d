//! Plain regular expressions: a line of JSON each, with the site whose URLs it is for, to be run in order on those.

use serde::Serialize;

use crate::Written;
use crate::active::{ActiveRule, partition};
use crate::dialect::PLAIN;

#[derive(Serialize)]
struct Line<'r> {
    site: &'r str,
    rule: &'r str,
    pattern: String,
    replacement: String,
}

pub(crate) fn export(rules: &[ActiveRule]) -> Written {
    let (said, left_out) = partition(rules, |rule| PLAIN.write(rule));
    let mut text = String::new();
    for (rule, regexes) in said {
        for (pattern, replacement) in regexes {
            let line = Line { site: rule.site, rule: rule.id(), pattern, replacement };
            text.push_str(&serde_json::to_string(&line).unwrap_or_default());
            text.push('\n');
        }
    }
    Written { text, left_out }
}
