//! Parameter order is not content (rewrite, introduction): `a=1&b=2` and `b=2&a=1` are one map. In the rule language that is a
//! rule like any other: the identity of maps, which prints parameters in one order. It is generalized like all others;
//! besides, sorting is proposed as a whole for each script and for the whole site.

use std::collections::BTreeMap;

use undust::rules::template::{QueryItem, QueryKind, Template, literal};
use undust::rules::{Action, Rewrite};

use super::maps::{MapKey, Maps, Member};
use super::template::template;
use crate::learn::{Candidate, template_helpers};
use crate::site::Site;

/// Counts duplicates that differ in nothing but the order or the separators of their parameters.
#[derive(Default)]
pub(super) struct Reordered {
    site_wide: u64,
    /// By the values of scheme, host and path.
    by_script: BTreeMap<Vec<u32>, (u32, u64)>,
}

impl Reordered {
    /// Drop all but the first of members with one map, count the rest, and give each one that had others beside it.
    pub(super) fn count(&mut self, maps: &Maps, members: &mut Vec<Member>) -> Vec<Member> {
        let mut several = Vec::new();
        members.sort_by(|a, b| (a.map, &a.values, a.row).cmp(&(b.map, &b.values, b.row)));
        members.dedup_by(|again, first| {
            let same = again.map == first.map && again.values == first.values;
            if same {
                let script = script_len(maps.keys(first.map));
                let entry = self.by_script.entry(first.values[..script].to_vec()).or_insert((first.map, 0));
                entry.1 += 1;
                self.site_wide += 1;
                several.push(first.clone());
            }
            same
        });
        members.sort_by_key(|member| member.row);
        several
    }

    pub(super) fn candidates(&self, site: &Site, maps: &Maps) -> Vec<Candidate> {
        if self.site_wide == 0 {
            return Vec::new();
        }
        let scripts = self.by_script.iter().filter_map(|(values, (map, support))| {
            Some(Candidate { action: script_rule(site, maps.keys(*map), values)?, support: *support })
        });
        let site_wide =
            template_helpers::sorting().map(|action| Candidate { action, support: self.site_wide });
        site_wide.into_iter().chain(scripts).collect()
    }
}

/// How many keys stand before the query.
fn script_len(keys: &[MapKey]) -> usize {
    keys.iter()
        .take_while(|key| !matches!(key, MapKey::Param(..) | MapKey::Flag(..) | MapKey::Fragment))
        .count()
}

fn script_rule(site: &Site, keys: &[MapKey], values: &[u32]) -> Option<Action> {
    let texts = values.iter().map(|&value| literal(site.value(value)));
    let script = template(&keys[..values.len()], texts, b'&');
    let query = |kind| Some(vec![QueryItem { separator: b'&', kind }]);
    let matches = Template { query: query(QueryKind::OTHERS), ..script.clone() };
    Rewrite::new(matches, Template { query: query(QueryKind::SORTED), ..script }).ok().map(Action::Rewrite)
}
