//! The query of an expression: parameters in any order, between any others.

use undust::rules::template::{Filter, QueryItem, QueryKind, Template, Text, as_literal};

use super::text::{escape, none_in, other_than};
use super::{Pattern, Regex, Replacement, hole_names};
use crate::param_rule::as_text;

/// The characters that cannot stand in a value, and in a name.
const VALUE_ENDS: &str = "&;#";
const MOVED_VALUE_ENDS: &str = "&;#?";
const NAME_ENDS: &str = "&;=#";

/// Expressions for one rule, at most: a list that a person can still read.
const MAX_REGEXES_PER_RULE: usize = 32;

/// What the match says of the query.
struct Query<'t> {
    named: Vec<(&'t [u8], Option<&'t Text>)>,
    absent: Vec<&'t [u8]>,
    others: bool,
    separator: u8,
}

impl<'t> Query<'t> {
    fn new(items: &'t [QueryItem]) -> Result<Query<'t>, String> {
        let mut query = Query { named: Vec::new(), absent: Vec::new(), others: false, separator: b'&' };
        for (i, item) in items.iter().enumerate() {
            if i > 0 && item.separator == b';' {
                query.separator = b';';
            }
            match &item.kind {
                QueryKind::Param(name, value) => query.named.push((name, value.as_ref())),
                QueryKind::Absent(name) => query.absent.push(name),
                QueryKind::Others { .. } => query.others = true,
                QueryKind::If(..) | QueryKind::Unless(..) => return Err("it has a condition".into()),
                QueryKind::AnyName(..) => return Err("it asks for one of several parameters".into()),
            }
        }
        Ok(query)
    }

    /// Any parameter but those that the match names; shorter if the engine looks ahead.
    fn other(&self, looks_ahead: bool) -> Result<String, String> {
        let names = self.named.iter().map(|(name, _)| *name).chain(self.absent.iter().copied());
        let names: Result<Vec<String>, String> = names.map(as_text).collect();
        let names = names?;
        let value = none_in(VALUE_ENDS, "");
        if names.is_empty() {
            return Ok(format!("{value}*"));
        }
        if looks_ahead {
            let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
            return Ok(format!("(?!(?:{})(?:[=&;#]|$)){value}*", names.join("|")));
        }
        Ok(format!("{}(?:={value}*)?", other_than(&names, NAME_ENDS, true)))
    }
}

/// Finish `pattern` in every way that the parameters can be laid out.
pub(super) fn each_layout<'t>(
    pattern: &Pattern<'t>,
    from: &'t Template,
    to: &'t Template,
) -> Result<Vec<Regex>, String> {
    let Some(items) = &from.query else {
        return Ok(vec![finish(pattern.clone(), from, to)?]);
    };
    let query = Query::new(items)?;
    let pattern = &Pattern { separator: query.separator, ..pattern.clone() };
    let prints = to.query.iter().flatten().any(|item| matches!(item.kind, QueryKind::Others { .. }));
    if pattern.only_query && query.others && query.named.is_empty() && !prints && to.query.is_some() {
        return Err("it makes a query where there is none".into());
    }
    let orders = orders(&query)?;
    let layouts: Vec<Layout> = match (query.others, prints) {
        (false, _) => vec![Layout::Alone],
        (true, false) => vec![Layout::Among],
        (true, true) => {
            let last = (0..=query.named.len()).rev().map(|gap| Layout::Kept { last: gap });
            std::iter::once(Layout::Alone).chain(last).collect()
        }
    };
    if orders.len() * layouts.len() > MAX_REGEXES_PER_RULE {
        return Err(format!("its parameters can be laid out in more than {MAX_REGEXES_PER_RULE} ways"));
    }
    let mut regexes = Vec::new();
    for order in &orders {
        for layout in &layouts {
            let mut pattern = pattern.clone();
            add(&mut pattern, &query, order, *layout)?;
            regexes.push(finish(pattern, from, to)?);
        }
    }
    Ok(regexes)
}

fn finish<'t>(mut pattern: Pattern<'t>, from: &Template, to: &'t Template) -> Result<Regex, String> {
    pattern.add_fragment(from, to)?;
    let replacement = pattern.replacement(to)?;
    Ok(Regex { pattern: pattern.text, replacement, groups: pattern.groups })
}

/// Where the parameters not named stand.
#[derive(Clone, Copy)]
enum Layout {
    /// There are none.
    Alone,
    /// Anywhere; nobody prints them.
    Among,
    /// They are copied. There are some in the gap before the `last`-th named one (or behind all), and none behind that gap.
    Kept { last: usize },
}

/// The orders in which the named parameters may stand.
fn orders(query: &Query) -> Result<Vec<Vec<usize>>, String> {
    let names: Vec<&[u8]> = query.named.iter().map(|(name, _)| *name).collect();
    if (1..names.len()).any(|i| names[..i].contains(&names[i])) {
        return Err("it names a parameter twice".into());
    }
    let mut orders = vec![Vec::new()];
    for new in 0..names.len() {
        let put = |order: &Vec<usize>, at: usize| {
            let mut longer = order.clone();
            longer.insert(at, new);
            longer
        };
        orders =
            orders.iter().flat_map(|order| (0..=order.len()).rev().map(move |at| put(order, at))).collect();
        if orders.len() > MAX_REGEXES_PER_RULE {
            return Err(format!("its parameters can stand in more than {MAX_REGEXES_PER_RULE} orders"));
        }
    }
    Ok(orders)
}

fn add<'t>(
    pattern: &mut Pattern<'t>,
    query: &Query<'t>,
    order: &[usize],
    layout: Layout,
) -> Result<(), String> {
    let (other, separator) = (query.other(pattern.looks_ahead)?, char::from(query.separator));
    match (layout, order) {
        // Without any parameter, the ? may be missing.
        (Layout::Alone, []) if query.others => {
            pattern.text.push_str("\\??");
            return Ok(());
        }
        (Layout::Among, []) => {
            // A URL without parameters stays as it is if nothing else changes.
            let may_miss = if pattern.only_query { "" } else { "?" };
            let query = format!("(?:\\?{other}(?:{separator}{other})*){may_miss}");
            pattern.text.push_str(&query);
            return Ok(());
        }
        _ => pattern.text.push_str("\\?"),
    }
    let leading = format!("(?:{other}{separator})*");
    let run = format!("{other}(?:{separator}{other})*");
    for (gap, named) in order.iter().enumerate() {
        match layout {
            Layout::Alone if gap > 0 => pattern.text.push(separator),
            Layout::Alone => {}
            Layout::Among => add_apart(pattern, &leading, gap, separator),
            Layout::Kept { last } => add_gap(pattern, (gap, last), &leading, &run, separator),
        }
        let (name, value) = query.named[*named];
        pattern.text.push_str(&escape(&as_text(name)?));
        if let Some(value) = value {
            pattern.text.push('=');
            let moves = hole_names(std::iter::once(value)).any(|name| pattern.before_query.contains(name));
            pattern.add_text(value, if moves { MOVED_VALUE_ENDS } else { VALUE_ENDS })?;
        }
    }
    match layout {
        Layout::Among => {
            let behind = format!("(?:{separator}{other})*");
            pattern.text.push_str(&behind);
        }
        Layout::Kept { last } if last == order.len() => {
            if !order.is_empty() {
                pattern.text.push(separator);
            }
            let group = pattern.group(&run);
            pattern.others.push(group);
        }
        _ => {}
    }
    Ok(())
}

fn add_apart(pattern: &mut Pattern, leading: &str, gap: usize, separator: char) {
    if gap > 0 {
        pattern.text.push(separator);
    }
    pattern.text.push_str(leading);
}

/// The parameters in a gap, to be copied: with their separators where more will follow.
fn add_gap(pattern: &mut Pattern, (gap, last): (usize, usize), leading: &str, run: &str, separator: char) {
    if gap > 0 {
        pattern.text.push(separator);
    }
    if gap < last {
        let group = pattern.group(leading);
        pattern.others.push(group);
    } else if gap == last {
        let group = pattern.group(run);
        pattern.others.push(group);
        pattern.text.push(separator);
    }
}

/// Print the query.
pub(super) fn print(pattern: &Pattern, to: &Template, out: &mut Replacement) -> Result<(), String> {
    let Some(items) = &to.query else { return Ok(()) };
    if items.is_empty() {
        out.text("?");
    }
    let mut first = true;
    for item in items {
        let is_printed = !matches!(item.kind, QueryKind::Others { .. }) || !pattern.others.is_empty();
        if is_printed {
            let separator = char::from(item.separator).to_string();
            out.text(if std::mem::replace(&mut first, false) { "?" } else { &separator });
        }
        match &item.kind {
            QueryKind::Param(name, value) => {
                out.text(&as_text(name)?);
                if let Some(value) = value {
                    out.text("=");
                    pattern.print_text(value, out)?;
                }
            }
            QueryKind::AnyName(..) | QueryKind::Absent(_) | QueryKind::If(..) | QueryKind::Unless(..) => {}
            QueryKind::Others { sorted: true, .. } => return Err("it puts parameters in order".into()),
            QueryKind::Others { filter, .. } if *filter != Filter::All => {
                return Err("it chooses among all parameters".into());
            }
            QueryKind::Others { .. } => {
                if between_others(items).is_some_and(|separator| separator != pattern.separator) {
                    return Err("it puts other separators between parameters".into());
                }
                for group in &pattern.others {
                    out.group(Some(*group));
                }
            }
        }
    }
    Ok(())
}

/// What a rewrite puts between the parameters not named; of those that stand alone, the separators stay.
fn between_others(items: &[QueryItem]) -> Option<u8> {
    let at = items.iter().position(|item| matches!(item.kind, QueryKind::Others { .. }))?;
    items.get(at.max(1)).map(|item| item.separator)
}

/// Whether the query is another one, whatever was matched: a named parameter is gone or new, or has another fixed value.
pub(super) fn changes_always(from: &Template, to: &Template) -> bool {
    let named = |template: &Template| -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let params = template.query.iter().flatten().filter_map(|item| match &item.kind {
            QueryKind::Param(name, value) => {
                Some((name.clone(), value.as_ref().and_then(as_literal).map(<[u8]>::to_vec)))
            }
            _ => None,
        });
        params.collect()
    };
    let (before, after) = (named(from), named(to));
    let is_new = |one: &[(Vec<u8>, _)], other: &[(Vec<u8>, _)]| {
        one.iter().any(|(name, _): &(Vec<u8>, Option<Vec<u8>>)| !other.iter().any(|(known, _)| known == name))
    };
    let has_other_value = |(name, value): &(Vec<u8>, Option<Vec<u8>>)| {
        let same_name = after.iter().filter(|(known, _)| known == name);
        value.is_some() && same_name.clone().all(|(_, new)| new.is_some() && new != value)
    };
    let drops_all = super::only_query(from, to) && from.query.is_some() && to.query.is_none();
    drops_all || is_new(&before, &after) || before.iter().any(has_other_value)
}
