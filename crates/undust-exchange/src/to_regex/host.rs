//! The host of an expression: what the template asks for, on the hosts of the rule's site alone.

use undust::rules::template::{Item, List, Piece, Template, Text};
use undust::url::SiteBy;

use super::text::escape;
use super::{LABELS, Pattern, Replacement, copies};
use crate::active::ActiveRule;
use crate::param_rule::as_text;

/// The characters that cannot stand in a label.
const ENDS: &str = "./?#@:";

/// The group of the labels not named.
#[derive(Clone, Copy)]
pub(super) enum Rest {
    /// At least one label, without a dot at either end.
    Labels(Option<usize>),
    /// Any number of labels, each with the dot behind it.
    WithDots(Option<usize>),
}

/// Add the host.
pub(super) fn add<'t>(
    pattern: &mut Pattern<'t>,
    rule: &ActiveRule,
    from: &'t Template,
    to: &Template,
) -> Result<(), String> {
    let site: Vec<&str> = if rule.holds_everywhere() { Vec::new() } else { rule.site.split('.').collect() };
    let below = rule.site_by == SiteBy::Domain || rule.holds_everywhere();
    let rest = from.host.iter().position(|item| matches!(item, Item::Rest(_)));
    let Some(rest) = rest else {
        let length = from.host.len();
        if length < site.len() || (!below && length > site.len()) {
            return Err(OUTSIDE.into());
        }
        return add_labels(pattern, &from.host, &site);
    };
    let (before, behind) = (&from.host[..rest], &from.host[rest + 1..]);
    if !below && (!before.is_empty() || !behind.is_empty()) {
        return Err(INTRICATE.into());
    }
    let prints = to.host.iter().any(|item| matches!(item, Item::Rest(_)));
    let (inside, named) = site.split_at(site.len().saturating_sub(behind.len()));
    if before.iter().any(|item| item.fixed().is_none_or(|label| inside.iter().any(|s| s.as_bytes() == label)))
        && !inside.is_empty()
    {
        return Err(INTRICATE.into());
    }
    for item in before {
        add_label(pattern, item, None)?;
        pattern.text.push_str("\\.");
    }
    add_rest(pattern, inside, below, behind.is_empty(), prints);
    add_labels(pattern, behind, named)
}

const OUTSIDE: &str = "it matches a host outside its site";
const INTRICATE: &str = "its host could be one of the site in more than one way";

/// The labels not named; the last of them are `inside` the name of the site.
fn add_rest(pattern: &mut Pattern, inside: &[&str], below: bool, is_last: bool, prints: bool) {
    let labels = if below { LABELS } else { "" };
    let dotted = inside.is_empty() && !is_last;
    let text = match inside {
        [] if dotted => LABELS.to_owned(),
        [] => "[^/?#@:]+".to_owned(),
        _ => format!("{labels}{}", escape(&inside.join("."))),
    };
    let group = if prints {
        Some(pattern.group(&text))
    } else {
        pattern.text.push_str(&text);
        None
    };
    if !dotted && !is_last {
        pattern.text.push_str("\\.");
    }
    pattern.host_rest = Some(if dotted { Rest::WithDots(group) } else { Rest::Labels(group) });
}

/// Labels, the last of which must be those of the site.
fn add_labels<'t>(pattern: &mut Pattern<'t>, items: &'t [Item], site: &[&str]) -> Result<(), String> {
    let free = items.len().saturating_sub(site.len());
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            pattern.text.push_str("\\.");
        }
        add_label(pattern, item, i.checked_sub(free).and_then(|at| site.get(at).copied()))?;
    }
    Ok(())
}

fn add_label<'t>(pattern: &mut Pattern<'t>, item: &'t Item, of_site: Option<&str>) -> Result<(), String> {
    let Item::One(text) = item else { return Err(INTRICATE.into()) };
    match (of_site, item.fixed()) {
        (None, _) => pattern.add_text(text, ENDS),
        (Some(label), Some(fixed)) if label.as_bytes() == fixed => {
            pattern.text.push_str(&escape(label));
            Ok(())
        }
        (Some(_), Some(_)) => Err(OUTSIDE.into()),
        (Some(label), None) => add_known(pattern, text, label),
    }
}

/// A hole of which the site says what it holds.
fn add_known<'t>(pattern: &mut Pattern<'t>, text: &'t Text, label: &str) -> Result<(), String> {
    match text.as_slice() {
        [Piece::Hole { name, class, .. }] if class.is_open() && !class.excludes(label.as_bytes()) => {
            let number = pattern.group(&escape(label));
            pattern.holes.insert(name, number);
            Ok(())
        }
        [Piece::Star] => {
            pattern.text.push_str(&escape(label));
            Ok(())
        }
        _ => Err(INTRICATE.into()),
    }
}

/// Print the host.
pub(super) fn print(pattern: &Pattern, host: &List, out: &mut Replacement) -> Result<(), String> {
    let mut dot = false;
    for (i, item) in host.iter().enumerate() {
        if std::mem::replace(&mut dot, true) {
            out.text(".");
        }
        match item {
            Item::One(text) => {
                if let Some(bytes) = item.fixed() {
                    out.text(&as_text(bytes)?);
                } else {
                    pattern.print_text(text, out)?;
                }
            }
            Item::Rest(convert) => {
                copies(*convert)?;
                match pattern.host_rest {
                    Some(Rest::Labels(group)) => out.group(group),
                    Some(Rest::WithDots(group)) if i + 1 < host.len() => {
                        out.group(group);
                        dot = false;
                    }
                    _ => return Err("the labels it moves may be none".into()),
                }
            }
        }
    }
    Ok(())
}
