//! Which rules may take a URL to another site, where other rules hold, and which may take it away from normalising.

use super::super::fixpoint::keeps_host;
use crate::rules::template::{Item, Piece, QueryItem, QueryKind, as_literal};
use crate::rules::{Action, EVERY_SITE, Rewrite, RuleSet, Substitute};
use crate::url::{SiteBy, SplitUrl, find_by_host_suffix};

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
                Action::Substitute(s) => s.names_authority(),
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
        find_by_host_suffix(host, self.by, named)
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

/// Schemes whose URLs are normalised.
const WEB: [&[u8]; 5] = [b"http", b"https", b"ftp", b"ws", b"wss"];

/// Whether a rule may take a URL that is normalised to one that is not: of another scheme, without a host, or with a byte that makes it odd.
pub(super) fn spoils(action: &Action) -> bool {
    match action {
        Action::Rewrite(rewrite) => rewrite_spoils(rewrite),
        Action::Substitute(s) => is_odd(s.to()) || (s.names_authority() && !keeps_web(s)),
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

/// Whether a substitution that names the authority prints a URL of the web: its authority stays as it was, or the host is a plain name. (It does not fire where it would leave no host.)
fn keeps_web(s: &Substitute) -> bool {
    let plain = |rest: &[u8]| !rest.iter().any(|b| b"@:[]#%".contains(b));
    let rest_of_web = |bytes: &[u8]| {
        let rest = behind_scheme(bytes)?;
        WEB.contains(&&bytes[..bytes.len() - rest.len() - 3]).then(|| rest.to_vec())
    };
    let behind_colon = |bytes: &[u8]| bytes.strip_prefix(b"://").map(<[u8]>::to_vec);
    let rest = |bytes: &[u8]| if s.is_at_start() { rest_of_web(bytes) } else { behind_colon(bytes) };
    let authority = |rest: &[u8]| rest.iter().position(|b| b"/?".contains(b)).map(|end| rest[..end].to_vec());
    let (Some(from), Some(to)) = (rest(s.from()), rest(s.to())) else { return false };
    let stays = authority(&from).is_some() && authority(&from) == authority(&to);
    stays || plain(&to)
}
