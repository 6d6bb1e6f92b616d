//! Fixed points known at compile time: for most rules, the result is normal and no rule of the site can match it. Then the engine
//! does not look at the result again.
//!
//! All of this holds for the results of rules on URLs that are normal and have no strange byte ([`has_strange_byte`]), which may
//! have kept a URL from being normalised.

use super::naive::fits;
use crate::rules::template::{
    Class, Convert, Filter, Item, List, Piece, QueryItem, QueryKind, Template, Text, as_literal,
};
use crate::rules::{Action, Rewrite};
use crate::url::{has_only_reserved_escapes, has_strange_byte};

/// Whether neither normalising nor any rule among `rules` can change what `rule`, one of them, prints of a normal URL. `false`
/// where that is not certain.
///
/// That holds for URLs in which [`has_strange_byte`](crate::url::has_strange_byte) finds none.
#[doc(hidden)]
pub fn is_last(rule: &Action, rules: &[impl std::ops::Deref<Target = Action>]) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    stays_on_host(rewrite)
        && Trust::of(rule, true) == Trust::All
        && prints_path(rewrite)
        && rules.iter().all(|other| !may_follow(rule, Trust::All, other))
}

/// Whether what `rule` prints of a normal URL is normal. `false` where that is not certain.
pub(super) fn stays_normal(rule: &Action) -> bool {
    let Action::Rewrite(rewrite) = rule else { return false };
    Trust::of(rule, true) != Trust::Nothing && prints_path(rewrite)
}

/// On another host, another site's rules may hold.
fn stays_on_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    from.host == to.host && to.host.iter().all(|item| item.fixed().is_some())
}

/// Which components of the result of a rule, normalised where that is done, are those of its rewrite template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// In every component.
    All,
    /// In all but the query: a component of the path that is printed as a value may be several parameters.
    AllButQuery,
    /// Nothing is certain.
    Nothing,
}

impl Trust {
    pub(super) fn of(action: &Action, normalize: bool) -> Trust {
        let Action::Rewrite(rewrite) = action else { return Trust::Nothing };
        if !keeps_path(rewrite) || (normalize && !prints_normal(rewrite)) {
            return Trust::Nothing;
        }
        if keeps_values_in_place(rewrite) { Trust::All } else { Trust::AllButQuery }
    }
}

/// Whether `then` may change what `first` printed. `true` where it is not certain.
pub(super) fn may_follow(first: &Action, trust: Trust, then: &Action) -> bool {
    let (first, then) = match (first, then) {
        (Action::Rewrite(first), Action::Rewrite(then)) => (first, then),
        (Action::Skip(_), _) | (_, Action::Skip(_)) => return false,
        _ => return true,
    };
    let pattern = then.matches();
    let stays_fixed = || {
        (first == then && gives_back(first)) || leaves_alone(then, first) || leads_to_the_same(then, first)
    };
    match trust {
        Trust::All => may_match(pattern, first) && !stays_fixed(),
        Trust::AllButQuery => {
            let may_lack_query = || has_others(query_of(first.becomes()));
            (pattern.query.is_some() || may_lack_query()) && all_but_query_may_agree(pattern, first)
        }
        Trust::Nothing => true,
    }
}

/// Whether both rules print one address behind the host, and `then` the scheme and host that it reads: it prints what is there already.
fn leads_to_the_same(then: &Rewrite, first: &Rewrite) -> bool {
    let (from, to) = (then.matches(), then.becomes());
    let behind_host = Template { scheme: Text::new(), host: List::new(), ..to.clone() };
    to == first.becomes()
        && behind_host.is_fixed()
        && (&from.scheme, &from.host) == (&to.scheme, &to.host)
        && [from, first.matches()].iter().all(|read| read.port.is_none() && read.userinfo.is_none())
}

/// Whether `then` does nothing but choose and sort parameters, and has nothing to do with those that `first` prints.
fn leaves_alone(then: &Rewrite, first: &Rewrite) -> bool {
    let (from, to) = (then.matches(), then.becomes());
    let takes_others = query_of(from).iter().all(|item| item.kind.taken_names().is_empty());
    let [QueryItem { kind: QueryKind::Others { sorted, filter }, .. }] = query_of(to) else { return false };
    // A bare `?` is not printed again.
    let is_bare = first.becomes().query.as_ref().is_some_and(Vec::is_empty);
    takes_others
        && !is_bare
        && has_others(query_of(from))
        && (&from.scheme, &from.host, &from.path) == (&to.scheme, &to.host, &to.path)
        && !from.texts().flatten().any(|piece| *piece == Piece::Star)
        && match query_of(first.becomes()) {
            [QueryItem { kind: QueryKind::Others { sorted: is_sorted, filter: before }, .. }] => {
                let is_chosen = filter == before && !matches!(filter, Filter::With(_));
                (*is_sorted || !sorted) && (*filter == Filter::All || is_chosen)
            }
            items => is_uniform(items, *sorted) && items.iter().all(|item| is_untouched(item, filter, first)),
        }
}

/// Whether a query is a list of parameters with one separator between them, sorted if that is asked.
fn is_uniform(items: &[QueryItem], sorted: bool) -> bool {
    let separator = items.get(1).map_or(b'&', |second| second.separator);
    if sorted {
        return parameters_in_order(items, separator);
    }
    !has_others(items) && items.iter().skip(1).all(|item| item.separator == separator)
}

/// Whether a function of the remaining parameters leaves this one, which `first` prints, as it is.
fn is_untouched(item: &QueryItem, filter: &Filter, first: &Rewrite) -> bool {
    let QueryKind::Param(name, value) = &item.kind else { return false };
    match filter {
        Filter::All => true,
        Filter::Only(_) => filter.keeps(name, None),
        Filter::Without(params) => !params.iter().any(|(n, v)| {
            let may_be = |v: &Vec<u8>| {
                let text = vec![Piece::Literal(v.clone())];
                value.as_ref().is_some_and(|value| texts_may_agree(&text, value, first.matches()))
            };
            n == name && v.as_ref().is_none_or(may_be)
        }),
        Filter::With(_) => filter.value(name).is_none(),
    }
}

/// The entries of the query of a template.
fn query_of(template: &Template) -> &[QueryItem] {
    template.query.as_deref().unwrap_or_default()
}

/// Whether a query is a list of parameters sorted by name, with this separator between them.
pub(super) fn parameters_in_order(items: &[QueryItem], separator: u8) -> bool {
    let name = |item: &'_ QueryItem| match &item.kind {
        QueryKind::Param(name, _) => Some(name.clone()),
        _ => None,
    };
    let names: Option<Vec<Vec<u8>>> = items.iter().map(name).collect();
    names.is_some_and(|names| names.is_sorted())
        && items.iter().skip(1).all(|item| item.separator == separator)
}

/// `{...}` alone may be nothing, and a path that is nothing is not normal.
fn prints_path(rewrite: &Rewrite) -> bool {
    let (from, to) = (&rewrite.matches().path, &rewrite.becomes().path);
    to.iter().any(|item| matches!(item, Item::One(_))) || to.len() == from.len()
}

/// Whether a rule leaves its own result unchanged: every value is printed where it was read, or something fixed instead.
pub(super) fn gives_back(rewrite: &Rewrite) -> bool {
    paired_texts(rewrite)
        .is_some_and(|pairs| pairs.iter().all(|(read, printed)| text_gives_back(read, printed)))
        && values_are_fixed(rewrite.becomes())
}

/// Whether every value that is put into the place of another is fixed text.
fn values_are_fixed(to: &Template) -> bool {
    query_of(to).iter().all(|item| match &item.kind {
        QueryKind::Others { filter: Filter::With(values), .. } => {
            values.iter().all(|(_, text)| as_literal(text).is_some())
        }
        _ => true,
    })
}

/// The matched text of each component with the printed one; `None` if the components are not the same. Parameters are read in any order.
pub(super) fn paired_texts(rewrite: &Rewrite) -> Option<Vec<(&Text, &Text)>> {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let mut pairs = vec![(&from.scheme, &to.scheme)];
    for (read, printed) in [(&from.host, &to.host), (&from.path, &to.path)] {
        for (read, printed) in (read.len() == printed.len()).then(|| read.iter().zip(printed))? {
            match (read, printed) {
                (Item::One(read), Item::One(printed)) => pairs.push((read, printed)),
                (Item::Rest(_), Item::Rest(_)) => {}
                _ => return None,
            }
        }
    }
    if query_of(from).iter().any(|item| matches!(item.kind, QueryKind::AnyName(..))) {
        return None;
    }
    let (read, printed) = (params_by_name(from), params_by_name(to));
    let others = |t: &Template| t.query.as_deref().map(has_others);
    // Where the others were left out, there are none the next time.
    let same_others = others(from) == others(to) || others(from) == Some(true);
    if read.len() != printed.len() || !same_others {
        return None;
    }
    for ((name, read), (same, printed)) in read.into_iter().zip(printed) {
        match (read, printed) {
            _ if name != same => return None,
            (Some(read), Some(printed)) => pairs.push((read, printed)),
            (None, None) => {}
            _ => return None,
        }
    }
    Some(pairs)
}

/// The parameters of a template; those of one name stay in their order.
fn params_by_name(template: &Template) -> Vec<(&[u8], Option<&Text>)> {
    let mut params: Vec<(&[u8], Option<&Text>)> = Vec::new();
    for item in template.query.iter().flatten() {
        if let QueryKind::Param(name, value) = &item.kind {
            params.push((name, value.as_ref()));
        }
    }
    params.sort_by_key(|(name, _)| *name);
    params
}

fn text_gives_back(read: &Text, printed: &Text) -> bool {
    // Whatever stands there is replaced by the same again.
    if as_literal(printed).is_some() || printed == &[Piece::Star] {
        return true;
    }
    if let ([Piece::Hole { name, .. }], [Piece::Hole { name: same, .. }]) =
        (read.as_slice(), printed.as_slice())
    {
        return name == same;
    }
    // A `*` is found again where it was printed, unless a word of a class could hold it.
    let piece = |(read, printed): (&Piece, &Piece)| match (read, printed) {
        (Piece::Hole { class: Class::OneOf(_) | Class::AnyCase(_), .. }, _) => false,
        (Piece::Hole { name, .. }, Piece::Hole { name: same, convert, .. }) => {
            name == same && *convert == Convert::Copy
        }
        (Piece::Hole { .. }, Piece::Star) => true,
        (read, printed) => read == printed,
    };
    read.len() == printed.len() && read.iter().zip(printed).all(piece)
}

/// A value of a parameter may hold `/` or `?`: printed into a path, it would be more than one component. So every hole must be
/// printed where a value of its kind was read, and fixed text must not hold what ends its component.
pub(super) fn keeps_values_in_place(rewrite: &Rewrite) -> bool {
    let (from, to) = (kinds(rewrite.matches()), kinds(rewrite.becomes()));
    keeps_path(rewrite) && is_in_place(&from[1], &to[1], rewrite.matches())
}

/// Whether all but the query is as it was printed: components of the path may also be values of parameters.
pub(super) fn keeps_path(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let fixed = |text: &Option<Text>| text.as_ref().is_none_or(|text| as_literal(text).is_some());
    let ends = [b"/?#".as_slice(), b"&;#", b":/?#", b"/?#@"];
    let ([path, query, scheme, host], printed) = (kinds(from), kinds(to));
    let values = [query, path.clone()].concat();
    from.fragment.is_none()
        && to.fragment.is_none()
        && (&from.userinfo, &from.port) == (&to.userinfo, &to.port)
        && fixed(&to.userinfo)
        && fixed(&to.port)
        && [path, values, scheme, host]
            .iter()
            .zip(&printed)
            .all(|(read, printed)| is_in_place(read, printed, from))
        && printed.iter().zip(ends).all(|(text, ends)| is_free_of(text, ends))
        && names_stand(to)
}

/// Whether every hole of what is printed was read in this place, or cannot hold what ends any.
fn is_in_place(read: &Text, printed: &Text, from: &Template) -> bool {
    let name = |piece: &Piece| if let Piece::Hole { name, .. } = piece { Some(name.clone()) } else { None };
    let known: Vec<String> = read.iter().filter_map(name).collect();
    printed.iter().filter_map(name).all(|name| known.contains(&name) || is_word(from, &name))
}

/// Whether no fixed piece of `text` holds one of these bytes.
fn is_free_of(text: &Text, bytes: &[u8]) -> bool {
    let holds = |piece: &Piece| matches!(piece, Piece::Literal(b) if b.iter().any(|b| bytes.contains(b)));
    !text.iter().any(holds)
}

/// The texts of the path, the values of parameters, the scheme and the host, each as one.
fn kinds(t: &Template) -> [Text; 4] {
    let ones = |list: &List| -> Text {
        let one = |item: &Item| if let Item::One(text) = item { Some(text.clone()) } else { None };
        list.iter().filter_map(one).flatten().collect()
    };
    let query = query_of(t).iter().flat_map(|item| item.kind.texts()).flatten();
    [ones(&t.path), query.cloned().collect(), t.scheme.clone(), ones(&t.host)]
}

/// Whether every parameter that is printed would be read as one of that name.
fn names_stand(template: &Template) -> bool {
    template.query.iter().flatten().all(|item| match &item.kind {
        QueryKind::Param(name, value) => {
            !name.iter().any(|b| b"&;#=".contains(b)) && (!name.is_empty() || value.is_some())
        }
        _ => true,
    })
}

/// Whether the hole of this name holds letters and digits only, and not nothing.
fn is_word(template: &Template, name: &str) -> bool {
    let plain =
        |word: &Vec<u8>| !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let holds_word = |class: &Class| match class {
        Class::Any | Class::NoneOf(_) => false,
        Class::OneOf(words) | Class::AnyCase(words) => words.iter().all(plain),
        _ => true,
    };
    template.texts().flatten().any(|piece| {
        matches!(piece, Piece::Hole { name: n, class, optional: false, .. } if n == name && holds_word(class))
    })
}

/// Whether what is printed of a normal URL is normal: fixed text that is, and values that are. A path that may be nothing is left
/// to [`prints_path`].
fn prints_normal(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let param = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, value) => !has_strange_byte(name) && value.iter().all(is_plain_text),
        kind => kind.texts().all(is_plain_text),
    };
    let lower = |item: &Item| match item {
        Item::One(text) if text == &[Piece::Star] => true,
        item => item.fixed().is_some_and(|b| !has_strange_byte(b) && !b.iter().any(u8::is_ascii_uppercase)),
    };
    let web = |scheme: &Text| matches!(as_literal(scheme), Some(b"http" | b"https"));
    (web(&to.scheme) || (to.scheme == from.scheme && !to.scheme.contains(&Piece::Star)))
        && (to.host.iter().all(lower) || keeps_host(rewrite))
        // With another scheme, a port may be the default one.
        && (to.port.is_none() || to.scheme == from.scheme)
        && !to.path.is_empty()
        && to.path.iter().all(|item| is_plain_component(item, from))
        && to.query.iter().flatten().all(param)
}

/// Text without strange bytes, in which no escape can come about where two pieces meet.
fn is_plain_text(text: &Text) -> bool {
    let plain = |piece: &Piece| !matches!(piece, Piece::Literal(bytes) if has_strange_byte(bytes));
    text.iter().all(plain) && joins_no_escape(text)
}

fn joins_no_escape(text: &Text) -> bool {
    let whole = |pair: &[Piece]| match pair {
        [Piece::Hole { .. }, Piece::Literal(next)] => !next.first().is_some_and(u8::is_ascii_hexdigit),
        [Piece::Hole { .. }, Piece::Hole { .. }] => false,
        _ => true,
    };
    let converted = |piece: &Piece| matches!(piece, Piece::Hole { convert, .. } if *convert != Convert::Copy);
    text.windows(2).all(whole) && (text.len() == 1 || !text.iter().any(converted))
}

/// Whether what is printed holds no escape to be decoded beyond those that were matched.
pub(super) fn makes_no_escape(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let is_copied = |text: &Text| from.texts().any(|matched| matched == text);
    let stays = |piece: &Piece| !matches!(piece, Piece::Literal(b) if !has_only_reserved_escapes(b));
    let name_stays = |item: &QueryItem| match &item.kind {
        QueryKind::Param(name, _) => has_only_reserved_escapes(name),
        _ => true,
    };
    to.texts().all(|text| is_copied(text) || (text.iter().all(stays) && joins_no_escape(text)))
        && to.query.iter().flatten().all(name_stays)
}

/// Whether a component that is printed cannot be a dot, or another spelling of one: a piece of a component could be.
fn is_plain_component(item: &Item, from: &Template) -> bool {
    let Item::One(text) = item else { return true };
    let is_component = |name: &str| {
        let whole = |text: &Text| matches!(text.as_slice(), [Piece::Hole { name: n, .. }] if n == name);
        from.path.iter().any(|item| matches!(item, Item::One(text) if whole(text)))
    };
    is_plain_text(text)
        && match text.as_slice() {
            [] | [Piece::Star, ..] => true,
            [Piece::Literal(bytes), ..] => !bytes.starts_with(b"."),
            [Piece::Hole { name, .. }] => is_component(name) || is_word(from, name),
            [Piece::Hole { name, .. }, ..] => is_word(from, name) || from.path.contains(item),
        }
}

/// Whether the host that is printed is the host that was read.
pub(super) fn keeps_host(rewrite: &Rewrite) -> bool {
    let (from, to) = (&rewrite.matches().host, &rewrite.becomes().host);
    let same = |(a, b): (&Item, &Item)| match (a, b) {
        (Item::One(a), Item::One(b)) => a == b && !b.contains(&Piece::Star),
        (Item::Rest(_), Item::Rest(convert)) => *convert == Convert::Copy,
        _ => false,
    };
    from.len() == to.len() && from.iter().zip(to).all(same)
}

/// Whether some URL printed by `first` could be matched by `pattern`.
fn may_match(pattern: &Template, first: &Rewrite) -> bool {
    all_but_query_may_agree(pattern, first) && queries_may_agree(pattern.query.as_deref(), first)
}

fn all_but_query_may_agree(pattern: &Template, first: &Rewrite) -> bool {
    let (from, printed) = (first.matches(), first.becomes());
    texts_may_agree(&pattern.scheme, &printed.scheme, from)
        && lists_may_agree(&pattern.path, &printed.path, from)
        && lists_may_agree(&pattern.host, &printed.host, from)
}

/// Whether a text printed by a rule that matched `from` could fit `pattern`.
fn texts_may_agree(pattern: &Text, printed: &Text, from: &Template) -> bool {
    if let Some(words) = words_printed(printed, from) {
        return words.iter().any(|word| fits(pattern, word));
    }
    if let ([Piece::Hole { name, convert: Convert::Copy, .. }], Some(words)) =
        (printed.as_slice(), words_of(pattern))
        && let Some(hole) = read_hole(from, name)
    {
        return words.iter().any(|word| fits(&vec![hole.clone()], word));
    }
    if let [Piece::Hole { class, .. }] = pattern.as_slice()
        && !class.is_open()
        && class.words().is_empty()
    {
        return printed.iter().all(|piece| match piece {
            Piece::Literal(bytes) => bytes.iter().all(|b| class.holds(*b)),
            Piece::Star => false,
            Piece::Hole { .. } => true,
        });
    }
    true
}

/// All that a text of a match can be, if that is a list.
fn words_of(text: &Text) -> Option<Vec<Vec<u8>>> {
    match text.as_slice() {
        [Piece::Hole { class: Class::OneOf(words), optional, .. }] => {
            let nothing = optional.then(Vec::new);
            Some(words.iter().cloned().chain(nothing).collect())
        }
        _ => as_literal(text).map(|bytes| vec![bytes.to_vec()]),
    }
}

/// All that a text of a rewrite can be, if that is a list.
fn words_printed(text: &Text, from: &Template) -> Option<Vec<Vec<u8>>> {
    match text.as_slice() {
        [Piece::Star] => Some(vec![b"*".to_vec()]),
        [Piece::Hole { name, convert: Convert::Copy, .. }] => words_of(&vec![read_hole(from, name)?.clone()]),
        _ => as_literal(text).map(|bytes| vec![bytes.to_vec()]),
    }
}

/// The hole of this name, where something is known of its text.
fn read_hole<'t>(from: &'t Template, name: &str) -> Option<&'t Piece> {
    from.texts().flatten().find(
        |piece| matches!(piece, Piece::Hole { name: n, class, .. } if n == name && *class != Class::Any),
    )
}

fn lists_may_agree(pattern: &List, printed: &List, from: &Template) -> bool {
    let rest = |list: &List| list.iter().position(|item| matches!(item, Item::Rest(_)));
    let agree = |(a, b): (&Item, &Item)| match (a, b) {
        (Item::One(a), Item::One(b)) => texts_may_agree(a, b, from),
        _ => true,
    };
    let head = |list: &'_ List| rest(list).unwrap_or(list.len());
    let tail = |list: &'_ List| rest(list).map_or(list.len(), |at| list.len() - at - 1);
    let ones = |list: &List| list.len() - usize::from(rest(list).is_some());
    let lengths_agree = match (rest(pattern), rest(printed)) {
        (None, None) => pattern.len() == printed.len(),
        (None, Some(_)) => pattern.len() >= ones(printed),
        (Some(_), None) => printed.len() >= ones(pattern),
        (Some(_), Some(_)) => true,
    };
    lengths_agree
        && pattern[..head(pattern)].iter().zip(&printed[..head(printed)]).all(agree)
        && pattern.iter().rev().take(tail(pattern)).zip(printed.iter().rev().take(tail(printed))).all(agree)
}

fn queries_may_agree(pattern: Option<&[QueryItem]>, first: &Rewrite) -> bool {
    let printed = first.becomes().query.as_deref();
    let items = printed.unwrap_or_default();
    let count = |items: &[QueryItem]| items.iter().filter(|i| !i.kind.taken_names().is_empty()).count();
    let open = has_others(items);
    let Some(pattern) = pattern else { return printed.is_none() || (open && count(items) == 0) };
    let counts_agree = has_others(pattern)
        || if open { count(pattern) >= count(items) } else { count(pattern) == count(items) };
    counts_agree && pattern.iter().all(|item| item_may_agree(&item.kind, first))
}

pub(super) fn has_others(items: &[QueryItem]) -> bool {
    items.iter().any(|item| matches!(item.kind, QueryKind::Others { .. }))
}

fn item_may_agree(wanted: &QueryKind, first: &Rewrite) -> bool {
    let (from, items) = (first.matches(), query_of(first.becomes()));
    let values = |name: &[u8]| values_of(items, name);
    match wanted {
        QueryKind::Param(_, value) | QueryKind::AnyName(_, value) => {
            let agrees = |printed: &&Option<Text>| match (value, printed) {
                (Some(value), Some(printed)) => texts_may_agree(value, printed, from),
                (value, printed) => value.is_none() == printed.is_none(),
            };
            let may_be = |name: &Vec<u8>| {
                values(name).iter().any(agrees) || rest_may_hold(first, name, value.as_ref())
            };
            wanted.taken_names().iter().any(may_be)
        }
        QueryKind::If(name, wanted) => {
            let agrees = |value: &&Option<Text>| match (wanted, value) {
                (Some(wanted), Some(value)) => texts_may_agree(wanted, value, from),
                (wanted, _) => wanted.is_none(),
            };
            values(name).iter().any(agrees) || rest_may_hold(first, name, wanted.as_ref())
        }
        QueryKind::Absent(name) => values(name).is_empty() && !rest_surely_holds(first, name, None),
        QueryKind::Unless(name, unwanted) => {
            let fits_surely = |value: &&Option<Text>| {
                let words = value.as_ref().and_then(|value| words_printed(value, from));
                words.is_some_and(|words| words.iter().all(|word| fits(unwanted, word)))
            };
            !values(name).iter().any(fits_surely) && !rest_surely_holds(first, name, Some(unwanted))
        }
        QueryKind::Others { .. } => true,
    }
}

/// The values of the parameters of this name.
fn values_of<'t>(items: &'t [QueryItem], name: &[u8]) -> Vec<&'t Option<Text>> {
    let value = |item: &'t QueryItem| match &item.kind {
        QueryKind::Param(n, value) if n == name => Some(value),
        _ => None,
    };
    items.iter().filter_map(value).collect()
}

/// The function of the remaining parameters that a rule prints.
fn printed_filter(first: &Rewrite) -> Option<&Filter> {
    query_of(first.becomes()).iter().find_map(|item| match &item.kind {
        QueryKind::Others { filter, .. } => Some(filter),
        _ => None,
    })
}

/// Whether a match says how often there is a parameter of this name: it is not among the remaining ones.
fn is_named(from: &Template, name: &[u8]) -> bool {
    query_of(from).iter().any(|item| match &item.kind {
        QueryKind::Absent(absent) => absent.as_slice() == name,
        kind => kind.taken_names().iter().any(|taken| taken.as_slice() == name),
    })
}

/// Whether a parameter of this name, and with such a value if one is given, may be among the remaining ones that are printed.
fn rest_may_hold(first: &Rewrite, name: &[u8], wanted: Option<&Text>) -> bool {
    let from = first.matches();
    let Some(filter) = printed_filter(first).filter(|_| !is_named(from, name)) else { return false };
    if let (Some(value), Some(wanted)) = (filter.value(name), wanted) {
        return texts_may_agree(wanted, value, from);
    }
    let is_excluded = |word: &[u8]| {
        let refuses = |item: &QueryItem| matches!(&item.kind, QueryKind::Unless(n, text) if n.as_slice() == name && fits(text, word));
        !filter.keeps(name, Some(word)) || query_of(from).iter().any(refuses)
    };
    let may_be_kept = match filter {
        Filter::Without(params) => !params.contains(&(name.to_vec(), None)),
        filter => filter.keeps(name, None),
    };
    let words = wanted.and_then(words_of);
    may_be_kept && words.is_none_or(|words| words.iter().any(|word| !is_excluded(word)))
}

/// Whether a parameter of this name, and with a value that fits if a text is given, is certainly among the remaining ones that are printed.
fn rest_surely_holds(first: &Rewrite, name: &[u8], wanted: Option<&Text>) -> bool {
    let from = first.matches();
    let Some(filter) = printed_filter(first).filter(|_| !is_named(from, name)) else { return false };
    let is_kept = match filter {
        Filter::All => true,
        Filter::Only(_) => filter.keeps(name, None),
        Filter::Without(params) => !params.iter().any(|(n, _)| n.as_slice() == name),
        Filter::With(_) => filter.value(name).is_none(),
    };
    let surely_fits = |read: Option<&Text>| match (read, wanted) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(read), Some(wanted)) => {
            let listed = words_of(read).is_some_and(|words| words.iter().all(|word| fits(wanted, word)));
            listed || without_names(read) == *wanted
        }
    };
    let holds = |item: &QueryItem| matches!(&item.kind, QueryKind::If(n, read) if n.as_slice() == name && surely_fits(read.as_ref()));
    is_kept && query_of(from).iter().any(holds)
}

/// The same text with nothing remembered.
fn without_names(text: &Text) -> Text {
    let mut text = text.clone();
    for piece in &mut text {
        if let Piece::Hole { name, .. } = piece {
            name.clear();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: &[(&str, &str)], last: &[bool]) {
        let actions: Vec<Box<Action>> =
            rules.iter().map(|(from, to)| Box::new(Action::rewrite(from, to).unwrap())).collect();
        let found: Vec<bool> = actions.iter().map(|action| is_last(action, &actions)).collect();
        assert_eq!(found, last);
    }

    #[test]
    fn what_no_rule_can_match_is_at_rest() {
        check(
            &[("http://a/x?t={t}&s=*", "http://a/x?t={t}"), ("http://a/p?u=*", "http://a/p?u=*")],
            &[true, true],
        );
        check(&[("http://a/x?s=*&{...}", "http://a/x?{...}")], &[true]);
        check(
            &[("http://a/x?s=*&{...}", "http://a/x?{...}"), ("http://a/x?t=*&{...}", "http://a/x?{...}")],
            &[false, false],
        );
        check(&[("http://a/x?a=*", "http://a/y"), ("http://a/{z}", "http://a/{z}/")], &[false, true]);
        check(&[("http://a/x", "http://b/x")], &[false]);
        check(&[("http://a/{...}/i", "http://a/{...}/")], &[true]);
        check(&[("http://a/{...}/i", "http://a/{...}")], &[false]);
        check(
            &[("http://a/x?a=1", "http://a/x?a=2"), ("http://a/x?a=2&!b&{...}", "http://a/x")],
            &[false, true],
        );
    }

    /// Conditions, lists of parameters and functions of the remaining ones that exclude each other.
    #[test]
    fn parameters_that_are_not_there() {
        let (with, without) = ("http://a/x?{if a=1}&{...}", "http://a/x?{unless a=1}&{...}");
        check(&[(with, "http://a/x?{without(b)}"), (without, "http://a/x?{without(c)}")], &[true, true]);
        check(&[(with, "http://a/x?{without(a)}"), (without, "http://a/x?{without(c)}")], &[false, true]);
        let some = ("http://a/x?{if b}&{...}", "http://a/x?{only(a|c)}");
        check(&[some, ("http://a/x?b={b}&{...}", "http://a/x?{...}")], &[true, true]);
        check(&[some, ("http://a/x?c={c}&{...}", "http://a/x?{...}")], &[false, false]);
        let other = ("http://a/x?a={a:!s}&{...}", "http://a/x?a={a};{sorted(...)}");
        check(&[("http://a/x?!a&{...}", "http://a/x?{sorted(...)}"), other], &[true, true]);
        check(&[("http://a/x?{...}", "http://a/x?{with(a=1)}"), other], &[false, false]);
        check(&[("http://a/x?{...}", "http://a/x?{with(a=s)}"), other], &[true, false]);
        check(
            &[("http://a/x?{...}", "http://a/x?{...}"), ("http://a/x?b&{...}", "http://a/x?")],
            &[false, false],
        );
    }

    #[test]
    fn words_that_a_hole_does_not_hold() {
        let star = |holds: &'static str| {
            [("http://a/x?a=*", "http://a/q/*"), (holds, "http://a/q"), ("http://a/y", "http://a/q/new")]
        };
        check(&star("http://a/q/{x:!new|old}"), &[false, true, true]);
        check(&star("http://a/q/{x:!*|new}"), &[true, true, true]);
        check(&star("http://a/q/{x:!old}"), &[false, true, false]);
        check(&star("http://a/q/{x:!new}z"), &[true, true, true]);
        // It may hold anything else: `..` where it is printed as a component, `/` where it was a value.
        check(&[("http://a/x-{x:!a}", "http://a/b/{x}")], &[false]);
        check(&[("http://a/x?a={x:!a}", "http://a/b/{x}")], &[false]);
        check(&[("http://a/x?a={x:a|b}", "http://a/b/{x}")], &[true]);
    }
}
