//! Which rules may take a URL to another site, where other rules hold, and which may take it away from normalising.

use super::super::rest::keeps_host;
use crate::rules::template::{Item, Piece, QueryItem, QueryKind, as_literal};
use crate::rules::{Action, EVERY_SITE, Rewrite, RuleSet, Substitute, tokens};
use crate::url::{SiteBy, SplitUrl};

/// The sites of a set.
pub(super) struct Sites<'r> {
    names: Vec<&'r str>,
    by: SiteBy,
}

impl<'r> Sites<'r> {
    pub(super) fn of(set: &'r RuleSet) -> Sites<'r> {
        let mut names: Vec<&str> = set.sites.iter().map(|site| site.site.as_str()).collect();
        names.retain(|name| *name != EVERY_SITE);
        names.sort_unstable();
        Sites { names, by: set.site_by }
    }

    /// Whether `action`, a rule of `site`, may take a URL to another site with rules. `true` where it is not certain.
    pub(super) fn may_leave(&self, action: &Action, site: &str) -> bool {
        let another = self.names.len() > usize::from(site != EVERY_SITE);
        another
            && match action {
                Action::Rewrite(rewrite) => self.rewrite_leaves(rewrite, site),
                Action::Substitute(s) if s.is_at_start() => self.start_leaves(s, site),
                Action::Substitute(s) => self.substitute_leaves(s, site),
                Action::Skip(_) => false,
            }
    }

    fn rewrite_leaves(&self, rewrite: &Rewrite, site: &str) -> bool {
        let host: Option<Vec<&[u8]>> = rewrite.becomes().host.iter().map(Item::fixed).collect();
        let known = host.is_some_and(|labels| self.is_on(&labels.join(&b'.'), site));
        !(keeps_authority(rewrite) && (keeps_host(rewrite) || known))
    }

    /// `http://` at the start may become `https://`, and one known host another one.
    fn start_leaves(&self, s: &Substitute, site: &str) -> bool {
        let (Some(before), Some(after)) = (behind_scheme(s.from()), behind_scheme(s.to())) else {
            return true;
        };
        let on_site = |url: &[u8]| {
            let split = SplitUrl::new(url).filter(|split| !split.path().is_empty());
            split.is_some_and(|split| self.is_on(split.host(), site))
        };
        before != after && !(on_site(s.from()) && on_site(s.to()))
    }

    fn substitute_leaves(&self, s: &Substitute, site: &str) -> bool {
        let (from, to) = (s.from(), s.to());
        let ends = |byte: Option<&u8>| byte.is_some_and(|b| b"/?".contains(b));
        let is_tail = s.is_at_end() && to.is_empty() && ends(from.first());
        !is_tail && (site == EVERY_SITE || self.is_nested(site) || touches_site(s, site.as_bytes()))
    }

    fn is_on(&self, host: &[u8], site: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let plain = host.iter().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(b));
        plain && self.site_of(&host) == Some(site)
    }

    /// The site of a host: by domain, its longest suffix that is one.
    fn site_of(&self, host: &[u8]) -> Option<&'r str> {
        let named = |name: &[u8]| {
            self.names.binary_search_by(|n| n.as_bytes().cmp(name)).ok().map(|at| self.names[at])
        };
        let dots = host.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(dot, _)| &host[dot + 1..]);
        match self.by {
            SiteBy::Host => named(host),
            SiteBy::Domain => std::iter::once(host).chain(dots).find_map(named),
        }
    }

    /// Whether another site is a part of `site`: then a change before the name of the site may lead there. By host, any change does.
    fn is_nested(&self, site: &str) -> bool {
        self.by == SiteBy::Host
            || self
                .names
                .iter()
                .any(|name| name.strip_suffix(site).is_some_and(|before| before.ends_with('.')))
    }
}

fn behind_scheme(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|b| !b.is_ascii_alphanumeric()).filter(|end| *end > 0)?;
    text[end..].strip_prefix(b"://")
}

/// Whether scheme, user and port are printed as they were read, or fixed: nothing in them can be taken for a host.
fn keeps_authority(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let copies = |text: &[Piece]| !text.contains(&Piece::Star);
    let fixed = as_literal(&to.scheme).is_some_and(|s| s.iter().all(u8::is_ascii_alphanumeric));
    (fixed || (to.scheme == from.scheme && copies(&to.scheme)))
        && (to.userinfo.is_none() || to.userinfo == from.userinfo)
        && (to.port.is_none() || to.port == from.port)
}

/// Whether a place may touch the name of the site in a URL, or anything that says where the host begins and ends.
///
/// Places are on token borders. So one without a token of the name, which does not end with the dot before it, leaves the name alone:
/// it stands before it, behind the scheme, or behind the host.
fn touches_site(s: &Substitute, site: &[u8]) -> bool {
    let (from, to) = (s.from(), s.to());
    let is_in_name = |token: &[u8]| tokens(site).any(|t| t.eq_ignore_ascii_case(token));
    let ends_host = |b: &u8| b"/?".contains(b);
    let speaks_of_host = |bytes: &[u8]| bytes.iter().any(|b| b":@[]#".contains(b));
    let apart = tokens(from).next().is_some() && !tokens(from).any(is_in_name) && !from.ends_with(b".");
    if !apart || speaks_of_host(from) || speaks_of_host(to) {
        return true;
    }
    let behind_host = !from.first().is_some_and(ends_host)
        || to.first().is_some_and(ends_host)
        || (to.is_empty() && s.is_at_end());
    // Before the name, only the slashes behind the scheme can be part of a place.
    let slashes = from.iter().take_while(|b| **b == b'/').count();
    let is_never_before = from[slashes..].iter().any(ends_host) || slashes > 2;
    let before_name = is_never_before || !to[slashes.min(to.len())..].iter().any(ends_host);
    !(behind_host && before_name)
}

/// Schemes whose URLs are normalised.
const WEB: [&[u8]; 5] = [b"http", b"https", b"ftp", b"ws", b"wss"];

/// Whether a rule of `site` may take a URL that is normalised to one that is not: of another scheme, without a host, or with a
/// byte that makes it odd.
pub(super) fn spoils(action: &Action, site: &str) -> bool {
    match action {
        Action::Rewrite(rewrite) => rewrite_spoils(rewrite),
        Action::Substitute(s) => {
            // Only what holds every token of its site's name can leave a URL of the site without a host.
            let is_replaced = |token: &[u8]| tokens(s.from()).any(|t| t.eq_ignore_ascii_case(token));
            let known = site != EVERY_SITE && !tokens(site.as_bytes()).all(is_replaced);
            is_odd(s.to()) || scheme_spoils(s) || !(known || keeps_some_host(s))
        }
        Action::Skip(_) => false,
    }
}

fn is_odd(bytes: &[u8]) -> bool {
    bytes.iter().any(|b| *b <= b' ' || *b == b'\\')
}

fn rewrite_spoils(rewrite: &Rewrite) -> bool {
    let (from, to) = (rewrite.matches(), rewrite.becomes());
    let piece = |p: &Piece| matches!(p, Piece::Literal(bytes) if is_odd(bytes));
    let name = |i: &QueryItem| matches!(&i.kind, QueryKind::Param(name, _) if is_odd(name));
    let odd = to.texts().flatten().any(piece) || to.query.iter().flatten().any(name);
    let web = as_literal(&to.scheme).is_some_and(|scheme| WEB.contains(&scheme)) || to.scheme == from.scheme;
    let host = keeps_host(rewrite) || to.host.iter().any(|item| item.fixed().is_some_and(|b| !b.is_empty()));
    !web || !host || !keeps_authority(rewrite) || odd
}

/// The scheme is one token, so that a place in it begins with the whole of it, or with the colon behind.
fn scheme_spoils(s: &Substitute) -> bool {
    let web = |bytes: &[u8]| {
        behind_scheme(bytes).is_some_and(|rest| WEB.contains(&&bytes[..bytes.len() - rest.len() - 3]))
    };
    let first = tokens(s.from()).next().filter(|token| s.from().starts_with(token));
    let in_scheme = first.is_some_and(|token| WEB.iter().any(|w| w.eq_ignore_ascii_case(token)));
    s.from().starts_with(b":") || (in_scheme && !(web(s.from()) && web(s.to())))
}

/// Whether what is printed where a host stood is one again: it begins with a part of a host, or the host is not touched, or it is
/// printed too.
fn keeps_some_host(s: &Substitute) -> bool {
    let in_host = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'-');
    let plain = |bytes: &[u8]| !bytes.iter().any(|b| b":@[]#".contains(b));
    let printed = || SplitUrl::new(s.to()).is_some_and(|to| !to.host().is_empty() && !to.path().is_empty());
    let same = || behind_scheme(s.from()).is_some_and(|rest| behind_scheme(s.to()) == Some(rest));
    (in_host(s.to().first()) && plain(s.to()) && plain(s.from()))
        || (s.is_at_end() && s.from().first() == Some(&b'/') && s.from().get(1) != Some(&b'/'))
        || (s.is_at_start() && (same() || printed()))
}
