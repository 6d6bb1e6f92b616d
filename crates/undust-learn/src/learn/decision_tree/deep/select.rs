//! Which words of a node's holes are fixed text.

use std::ops::Range;

use hashbrown::HashTable;

use super::Node;
use super::lex::{Candidate, Cluster, Lexer, Side, behind_number};

/// Number of values that make a pattern: fewer are thin evidence, and a pattern for each of a few values would teach nothing.
pub(super) const MIN_PATTERN_VALUES: usize = 8;
/// Number of values that statistics are taken from: what stands in 20 of 100 values does so in 4096 of them, give or take two.
const MAX_SAMPLES: usize = 4096;
/// Percentage of values that have a text from which on it is fixed. All would be too many: sites have a few odd values in every key.
const MIN_CONSTANT_PERCENT: usize = 90;
/// Percentage of values that have a word that splits a node. On real sites, file endings, namespaces of a wiki and `msg` of a forum
/// do; at 10 of 100, words that are frequent in titles do as well (`_UE4_`, `Introduction_to_`).
const MIN_WORD_PERCENT: usize = 20;
/// Number of such words. Namespaces, file endings and the like are 1 to 13 on real sites, words of titles that a handful of values
/// share 12 to 96.
const MAX_WORDS: usize = 16;
/// Percentage, of the values with any word at this place, of those with a word that a handful of values share. On real
/// sites, file endings of all but the smallest folders and namespaces are at 75 to 100, words of titles at 63 or less.
const MIN_FREQUENT_WORD_PERCENT: usize = 75;
/// Percentage, of the values that are no number, of those that begin with a number and the same delimiter, if that is a numeric field. On real sites,
/// fields are at 28 or more (among the names of folders and images), titles that happen to begin with a number at 10 or less.
const MIN_FIELD_PERCENT: usize = 25;

/// What becomes fixed text in the values of a node.
pub(super) struct Choice {
    anchors: HashTable<(Cluster, u64)>,
    /// Whether a hole has anchors.
    has_anchors: Vec<bool>,
    /// The delimiter behind the number that a hole begins with.
    fields: Vec<Option<Side>>,
}

impl Choice {
    /// `None` when nothing shall be fixed.
    pub(super) fn new(values: &[&[u8]], node: &Node) -> Option<Choice> {
        let counts = Counts::new(values, node);
        let mut anchors = counts.constant();
        if anchors.is_empty() {
            anchors = counts.splitting(node);
        }
        let fields = if anchors.is_empty() { fields(values, node) } else { vec![None; node.width] };
        let mut choice = Choice { anchors: HashTable::new(), has_anchors: vec![false; node.width], fields };
        for anchor in anchors {
            choice.has_anchors[anchor.0.place()] = true;
            choice.anchors.insert_unique(hash(anchor), anchor, |&anchor| hash(anchor));
        }
        (!choice.anchors.is_empty() || choice.fields.iter().any(Option::is_some)).then_some(choice)
    }

    /// Add to `fixed` what becomes fixed text in a hole.
    pub(super) fn fix(
        &self,
        lexer: &mut Lexer,
        value: &[u8],
        place: usize,
        hole: &Range<u32>,
        fixed: &mut Vec<Range<u32>>,
    ) {
        if self.has_anchors[place] {
            let chosen = |anchor| self.anchors.find(hash(anchor), |known| *known == anchor).is_some();
            let candidates = lexer.candidates(value, hole).iter();
            let chosen = candidates.filter(|c| c.clusters(place).any(|cluster| chosen((cluster, c.hash))));
            fixed.extend(chosen.map(Candidate::with_delimiters));
        }
        if let Some(field) = self.fields[place]
            && let Some((side, at)) = behind_number(&value[hole.start as usize..hole.end as usize])
            && side == field
        {
            fixed.push(hole.start + at.start..hole.start + at.end);
        }
    }
}

fn hash((cluster, anchor): (Cluster, u64)) -> u64 {
    // Tables look at the low bits, where clusters hardly differ.
    let product = (cluster.0 ^ anchor).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// How often the anchors of each cluster occur.
struct Counts {
    anchors: HashTable<(Cluster, u64, usize)>,
    clusters: HashTable<(Cluster, usize)>,
    samples: usize,
}

impl Counts {
    /// Count the candidates of the first values; they are in the order of their hashes, so that these are as good as any.
    fn new(values: &[&[u8]], node: &Node) -> Counts {
        let samples = node.values.len().min(MAX_SAMPLES);
        let mut counts = Counts { anchors: HashTable::new(), clusters: HashTable::new(), samples };
        let mut lexer = Lexer::default();
        for (member, &v) in node.values[..samples].iter().enumerate() {
            for (place, hole) in node.holes_of(member).iter().enumerate() {
                for candidate in lexer.candidates(values[v as usize], hole) {
                    candidate.clusters(place).for_each(|cluster| counts.add(cluster, candidate.hash));
                }
            }
        }
        counts
    }

    fn add(&mut self, cluster: Cluster, anchor: u64) {
        let of_anchor = |&(cluster, anchor, _): &(Cluster, u64, usize)| hash((cluster, anchor));
        let same = |known: &(Cluster, u64, usize)| (known.0, known.1) == (cluster, anchor);
        let entry = self.anchors.entry(hash((cluster, anchor)), same, of_anchor);
        entry.or_insert((cluster, anchor, 0)).get_mut().2 += 1;
        let of_cluster = |&(cluster, _): &(Cluster, usize)| hash((cluster, 0));
        let entry = self.clusters.entry(hash((cluster, 0)), |known| known.0 == cluster, of_cluster);
        entry.or_insert((cluster, 0)).get_mut().1 += 1;
    }

    /// The anchors that stand in nearly all values.
    fn constant(&self) -> Vec<(Cluster, u64)> {
        let constant =
            self.anchors.iter().filter(|(_, _, count)| count * 100 >= self.samples * MIN_CONSTANT_PERCENT);
        constant.map(|&(cluster, anchor, _)| (cluster, anchor)).collect()
    }

    /// The cluster that splits the node best: few words, in many values.
    fn splitting(&self, node: &Node) -> Vec<(Cluster, u64)> {
        let words = self
            .anchors
            .iter()
            .filter(|(cluster, _, count)| cluster.may_split() && *count >= MIN_PATTERN_VALUES);
        let mut words: Vec<(Cluster, u64, usize)> = words.copied().collect();
        words.sort_unstable();
        let clusters = words.chunk_by(|a, b| a.0 == b.0).filter(|cluster| self.is_fit(node, cluster));
        // Rather the words that two values are likelier to have in common. The least cluster among equals.
        let shared = |cluster: &[(Cluster, u64, usize)]| cluster.iter().map(|(_, _, n)| n * n).sum::<usize>();
        let best = clusters.rev().max_by_key(|cluster| shared(cluster));
        best.unwrap_or_default().iter().map(|&(cluster, anchor, _)| (cluster, anchor)).collect()
    }

    fn is_fit(&self, node: &Node, words: &[(Cluster, u64, usize)]) -> bool {
        let cluster = words[0].0;
        let frequent: usize = words.iter().map(|(_, _, count)| count).sum();
        let all =
            self.clusters.find(hash((cluster, 0)), |known| known.0 == cluster).map_or(0, |known| known.1);
        words.len() <= MAX_WORDS
            && frequent * 100 >= all * MIN_FREQUENT_WORD_PERCENT
            && frequent * node.values.len() * 100 >= self.samples * node.base * MIN_WORD_PERCENT
    }
}

/// The delimiters of numeric fields at the begin of holes.
fn fields(values: &[&[u8]], node: &Node) -> Vec<Option<Side>> {
    (0..node.width).map(|place| field(values, node, place)).collect()
}

fn field(values: &[&[u8]], node: &Node, place: usize) -> Option<Side> {
    let mut counts: Vec<(Side, usize)> = Vec::new();
    let mut texts = 0;
    for (member, &v) in node.values.iter().enumerate().take(MAX_SAMPLES) {
        let hole = &node.holes_of(member)[place];
        let text = &values[v as usize][hole.start as usize..hole.end as usize];
        texts += usize::from(!text.iter().all(u8::is_ascii_digit));
        let Some((side, _)) = behind_number(text) else { continue };
        match counts.iter_mut().find(|(known, _)| *known == side) {
            Some((_, count)) => *count += 1,
            None => counts.push((side, 1)),
        }
    }
    let (side, count) = counts.into_iter().max_by_key(|&(side, count)| (count, side))?;
    (count >= MIN_PATTERN_VALUES && count * 100 >= texts * MIN_FIELD_PERCENT).then_some(side)
}
