//! URLs as the paper sees them: maps from keys to values, parameter order and separators forgotten (rewrite 3.1).

use std::collections::HashMap;

use crate::site::{Key, Sample, Shape, Site};

/// A key of the map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum MapKey {
    Scheme,
    Userinfo,
    Host,
    Port,
    Segment(u32),
    Param(Vec<u8>, u32),
    Flag(Vec<u8>, u32),
    Fragment,
}

/// The key sets that occur on a site, and how each shape orders its values by them.
pub(super) struct Maps {
    keys: Vec<Vec<MapKey>>,
    separators: Vec<u8>,
    /// For each shape: its map, and where in the URL each key of the map has its value.
    of_shape: Vec<(u32, Vec<u32>)>,
}

/// One URL as a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) row: u32,
    pub(super) map: u32,
    /// In the order of the map's keys.
    pub(super) values: Vec<u32>,
}

impl Maps {
    pub(super) fn new(site: &Site) -> Maps {
        let mut maps = Maps { keys: Vec::new(), separators: Vec::new(), of_shape: Vec::new() };
        let mut numbers: HashMap<Vec<MapKey>, u32> = HashMap::new();
        for shape in site.shapes() {
            let mut order: Vec<u32> = (0..shape.keys.len() as u32).collect();
            order.sort_by_key(|&i| map_key(&shape.keys[i as usize]));
            let keys: Vec<MapKey> = order.iter().map(|&i| map_key(&shape.keys[i as usize])).collect();
            let map = *numbers.entry(keys).or_insert_with_key(|keys| {
                maps.keys.push(keys.clone());
                maps.separators.push(separator(shape));
                maps.keys.len() as u32 - 1
            });
            maps.of_shape.push((map, order));
        }
        maps
    }

    pub(super) fn keys(&self, map: u32) -> &[MapKey] {
        &self.keys[map as usize]
    }

    /// What stands between the parameters of such URLs, also of those held out: a rule is spelt the same whatever those are.
    pub(super) fn separator(&self, map: u32) -> u8 {
        self.separators[map as usize]
    }

    pub(super) fn member(&self, site: &Site, row: u32) -> Member {
        let (map, order) = &self.of_shape[site.shape_of(row) as usize];
        let values = site.values_of(row);
        Member { row, map: *map, values: order.iter().map(|&i| values[i as usize]).collect() }
    }

    /// All URLs of the sample, by map.
    pub(super) fn by_map(&self, sample: &Sample) -> Vec<Vec<Member>> {
        let mut by_map = vec![Vec::new(); self.keys.len()];
        for &row in &sample.rows {
            let member = self.member(sample.site, row);
            by_map[member.map as usize].push(member);
        }
        by_map
    }
}

fn map_key(key: &Key) -> MapKey {
    match key {
        Key::Scheme => MapKey::Scheme,
        Key::Userinfo => MapKey::Userinfo,
        Key::Host => MapKey::Host,
        Key::Port => MapKey::Port,
        Key::Segment(i) => MapKey::Segment(*i),
        Key::Param { name, nth, .. } => MapKey::Param(name.clone(), *nth),
        Key::Flag { name, nth, .. } => MapKey::Flag(name.clone(), *nth),
        Key::Fragment => MapKey::Fragment,
    }
}

/// `;` where the URL uses nothing else.
fn separator(shape: &Shape) -> u8 {
    let separators = shape.keys.iter().filter_map(|key| match key {
        Key::Param { separator, .. } | Key::Flag { separator, .. } if *separator != b'?' => Some(*separator),
        _ => None,
    });
    separators.min().unwrap_or(b'&')
}

#[cfg(test)]
mod tests {
    use super::*;
    use undust::page::Page;

    fn site(urls: &[&str]) -> Site {
        let page = |url: &&str| Page { cluster: Some("c".into()), ..Page::new(*url) };
        Site::new("a.com", &urls.iter().map(page).collect::<Vec<_>>(), 0)
    }

    #[test]
    fn order_and_separators_are_forgotten() {
        let site = site(&["http://a.com/x?b=2&a=1", "http://a.com/x?a=1;b=2", "http://a.com/x?a=1&b=2"]);
        let maps = Maps::new(&site);
        let members: Vec<Member> = (0..3).map(|row| maps.member(&site, row)).collect();
        assert!(members.iter().all(|m| m.map == members[0].map && m.values == members[0].values));
    }

    #[test]
    fn repeats_and_flags_are_told_apart() {
        let urls =
            ["http://a.com/?a=1&a=2", "http://a.com/?a=2&a=1", "http://a.com/?a&a=1", "http://a.com/?a=&a=1"];
        let site = site(&urls);
        let maps = Maps::new(&site);
        let members: Vec<(u32, Vec<u32>)> =
            (0..4).map(|row| maps.member(&site, row)).map(|m| (m.map, m.values)).collect();
        assert!((0..4).all(|i| (0..i).all(|j| members[i] != members[j])));
    }

    #[test]
    fn a_semicolon_where_there_is_nothing_else() {
        for (url, expected) in [
            ("http://a.com/?a=1;b=2", b';'),
            ("http://a.com/?a=1;b=2&c=3", b'&'),
            ("http://a.com/?a=1", b'&'),
        ] {
            assert_eq!(Maps::new(&site(&[url])).separator(0), expected, "{url}");
        }
    }
}
