//! Phase 2 (Fig. 2), redundancy: of two rules with about the same support, of which one refines the other, the refined one
//! (the more general) goes, since the URLs show it in the surroundings of the other only.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Settings;
use super::pair::LikelyPair;

/// Leave out redundant pairs. What is left is in the order of small-bucket support.
pub(super) fn without_redundant(mut pairs: Vec<LikelyPair>, settings: &Settings) -> Vec<LikelyPair> {
    let text = |pair: &LikelyPair| (pair.rule.from().to_vec(), pair.rule.to().to_vec());
    pairs.sort_by_cached_key(|pair| (Reverse((pair.high, pair.low)), text(pair)));
    let mut gone = vec![false; pairs.len()];
    for alike in by_signature(&pairs) {
        eliminate(&pairs, &alike, settings, &mut gone);
    }
    let mut left: Vec<LikelyPair> =
        pairs.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(pair, _)| pair).collect();
    left.sort_by_key(|pair| Reverse((pair.low, pair.high)));
    left
}

/// The places of pairs of which one may refine another, in order. The paper looks at every pair in a window, of which most
/// cannot; the window bounds the work, and so it is one of pairs that can. (On lists of 80,000 pairs and more, whose support is mostly
/// 3 to 5, the paper's window is full before anything to compare with comes.)
fn by_signature(pairs: &[LikelyPair]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<u64, usize> = HashMap::new();
    let mut alike: Vec<Vec<usize>> = Vec::new();
    for (place, pair) in pairs.iter().enumerate() {
        let group = *groups.entry(pair.signature()).or_insert(alike.len());
        if group == alike.len() {
            alike.push(Vec::new());
        }
        alike[group].push(place);
    }
    alike
}

/// Figure 2, on the pairs at the places `alike`.
fn eliminate(pairs: &[LikelyPair], alike: &[usize], settings: &Settings, gone: &mut [bool]) {
    for (n, &i) in alike.iter().enumerate() {
        let size = pairs[i].high;
        let most = f64::max(settings.max_relative * f64::from(size), f64::from(settings.max_absolute));
        let near = |j: usize| f64::from(size - pairs[j].high) <= most;
        for &j in alike[n + 1..].iter().take(settings.window).take_while(|&&j| near(j)) {
            if gone[i] {
                break;
            }
            if pairs[i].rule.refines(&pairs[j].rule) {
                gone[j] = true;
            } else if pairs[j].rule.refines(&pairs[i].rule) {
                gone[i] = true;
            }
        }
    }
}
