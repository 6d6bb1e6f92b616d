//! Which nodes hold duplicates of each other (Algorithm 2).
//!
//! The index of the paper goes from a cluster to its nodes. Here, clusters whose URLs are in the same leaves are one entry: there are few kinds of
//! clusters, however many clusters there are, and pairs of nodes are looked at once for each kind.
//!
//! Where we deviate: only URLs that have a duplicate count in the size of a node. The paper's data has no others.

use hashbrown::HashMap;

use super::tree::Tree;
use super::view::View;

/// Two nodes, or one, and the clusters that tell of it.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) nodes: (u32, u32),
    /// URLs of common clusters; of one node, URLs beside the first of each cluster.
    pub(super) support: u64,
    /// Some of the common clusters.
    pub(super) clusters: Vec<u32>,
}

/// Clusters of at least two URLs.
pub(super) struct Clusters {
    urls: Vec<u32>,
    ends: Vec<usize>,
}

impl Clusters {
    pub(super) fn new(view: &View) -> Clusters {
        let mut urls: Vec<u32> = (0..view.len() as u32).collect();
        urls.sort_by_key(|&url| view.cluster(url));
        let mut ends = Vec::new();
        let mut kept = 0;
        let mut start = 0;
        while start < urls.len() {
            let cluster = view.cluster(urls[start]);
            let size = urls[start..].iter().take_while(|&&url| view.cluster(url) == cluster).count();
            if size > 1 {
                urls.copy_within(start..start + size, kept);
                kept += size;
                ends.push(kept);
            }
            start += size;
        }
        urls.truncate(kept);
        Clusters { urls, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The URLs of a cluster, ascending.
    pub(super) fn get(&self, cluster: u32) -> &[u32] {
        let at = cluster as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.urls[start..self.ends[at]]
    }
}

/// Clusters whose URLs are in the same leaves.
struct Kind {
    /// The leaves, ascending, and how many URLs are in each.
    leaves: Vec<(u32, u64)>,
    clusters: Vec<u32>,
}

/// What is counted of a node or of two.
#[derive(Default)]
struct Common {
    urls: u64,
    clusters: u64,
    examples: Vec<u32>,
}

/// Number of clusters looked at to find out how two nodes are related.
const MAX_EXAMPLE_CLUSTERS: usize = 64;
/// Number of nodes of a kind of clusters; one in more is of an error page or a login wall, and tells of nodes by themselves, but not of pairs.
const MAX_NODES_PER_KIND: usize = 128;
/// Number of pairs of nodes looked at, those that share most.
const MAX_NODE_PAIRS: usize = 1024;

/// The pairs of nodes that overlap enough and share at least `min_support` duplicates, ancestors first.
pub(super) fn pairs(tree: &Tree, clusters: &Clusters, min_overlap: f64, min_support: u64) -> Vec<Pair> {
    let kinds = kinds(tree, clusters);
    let mut of_node: HashMap<u32, Common> = HashMap::new();
    let mut of_pair: HashMap<(u32, u32), Common> = HashMap::new();
    for kind in &kinds {
        let nodes = kind.nodes(tree);
        let is_wall = nodes.len() > MAX_NODES_PER_KIND;
        for (at, &(s, in_s)) in nodes.iter().enumerate() {
            of_node.entry(s).or_default().add(in_s, kind);
            if is_wall {
                continue;
            }
            for &(t, in_t) in nodes[at + 1..].iter().filter(|(t, _)| !tree.is_within(*t, s)) {
                of_pair.entry((s, t)).or_default().add(in_s + in_t, kind);
            }
        }
    }
    let size = |node: u32| of_node[&node].urls as f64;
    let of_two = of_pair.into_iter().filter(|((s, t), common)| {
        common.clusters >= min_support && common.urls as f64 >= min_overlap * (size(*s) + size(*t))
    });
    let two = of_two.map(|(nodes, common)| Pair { nodes, support: common.urls, clusters: common.examples });
    let of_one = of_node.iter().filter_map(|(&node, common)| {
        let more = common.urls - common.clusters;
        let is_dense = more as f64 >= min_overlap * common.urls as f64;
        (is_dense && more >= min_support).then(|| Pair {
            nodes: (node, node),
            support: more,
            clusters: common.examples.clone(),
        })
    });
    let mut pairs: Vec<Pair> = two.chain(of_one).collect();
    pairs.sort_unstable_by_key(|pair| (std::cmp::Reverse(pair.support), pair.nodes));
    pairs.truncate(MAX_NODE_PAIRS);
    pairs.sort_unstable_by_key(|pair| pair.nodes);
    pairs
}

fn kinds(tree: &Tree, clusters: &Clusters) -> Vec<Kind> {
    let leaf_of = tree.leaf_of_urls();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut kinds: Vec<Kind> = Vec::new();
    let mut of_urls = Vec::new();
    for cluster in 0..clusters.len() as u32 {
        of_urls.clear();
        of_urls.extend(clusters.get(cluster).iter().map(|&url| leaf_of[url as usize]));
        of_urls.sort_unstable();
        let counts: Vec<(u32, u64)> =
            of_urls.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
        of_urls.dedup();
        if let Some(&at) = known.get(&of_urls) {
            let kind = &mut kinds[at];
            kind.clusters.push(cluster);
            kind.leaves.iter_mut().zip(counts).for_each(|(sum, count)| sum.1 += count.1);
        } else {
            known.insert(of_urls.clone(), kinds.len());
            kinds.push(Kind { leaves: counts, clusters: vec![cluster] });
        }
    }
    kinds
}

impl Kind {
    /// The nodes with URLs of these clusters, ascending, and how many they have.
    fn nodes(&self, tree: &Tree) -> Vec<(u32, u64)> {
        let mut nodes: Vec<(u32, u64)> = self
            .leaves
            .iter()
            .flat_map(|&(leaf, urls)| tree.upwards(leaf).map(move |node| (node, urls)))
            .collect();
        nodes.sort_unstable();
        nodes.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            sum.1 += if same { next.1 } else { 0 };
            same
        });
        nodes
    }
}

impl Common {
    fn add(&mut self, urls: u64, kind: &Kind) {
        self.urls += urls;
        self.clusters += kind.clusters.len() as u64;
        // Clusters of one kind are alike: some of each kind show more than all of one.
        let room = (MAX_EXAMPLE_CLUSTERS - self.examples.len()).min(MAX_EXAMPLE_CLUSTERS / 4);
        self.examples.extend(kind.clusters.iter().take(room));
    }
}
