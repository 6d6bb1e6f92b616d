//! All sites together: means with their confidence, and how much depends on the split.

use serde::Serialize;
use undust_learn::evaluate::Metrics;

use super::{MethodReport, SiteReport};

/// A split that loses more than this share of the pages is a bad one.
pub const MAX_LOST_SHARE: f64 = 0.01;

/// Draws of the bootstrap: the ends of the interval move by less than a hundredth of its length.
const DRAWS: usize = 10_000;

/// The seed of the bootstrap.
const SEED: u64 = 7;

/// A mean over sites, and its 95 % interval by the bootstrap: sites drawn again and again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What a method does on several sites. Of a site with several splits the mean counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Total {
    /// The method.
    pub method: String,
    /// Sites that it was tried on.
    pub sites: u64,
    /// Pages covered, of URLs fetched.
    pub precision: Interval,
    /// Pages covered, of all.
    pub recall: Interval,
    /// Their harmonic mean.
    pub f1: Interval,
    /// What is gained of the precision that *keep-all* lacks, on sites where it lacks some.
    pub gap_closed: Option<Interval>,
    /// All splits of all sites.
    pub stability: Stability,
}

/// What several splits of a site have in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// How many there are.
    pub splits: u64,
    /// The mean of F1.
    pub mean_f1: f64,
    /// The least F1.
    pub min_f1: f64,
    /// The least recall.
    pub min_recall: f64,
    /// Splits that lost more than [`MAX_LOST_SHARE`] of the pages.
    pub bad: u64,
}

impl Stability {
    fn of<'r>(reports: impl Iterator<Item = &'r MethodReport> + Clone) -> Stability {
        let metrics = reports.map(|report| &report.score.metrics);
        let least = |of: fn(&Metrics) -> f64| metrics.clone().map(of).fold(1.0, f64::min);
        Stability {
            splits: metrics.clone().count() as u64,
            mean_f1: mean(metrics.clone().map(|m| m.f1)).unwrap_or_default(),
            min_f1: least(|m| m.f1),
            min_recall: least(|m| m.recall),
            bad: metrics.filter(|m| 1.0 - m.recall > MAX_LOST_SHARE).count() as u64,
        }
    }
}

impl SiteReport {
    /// The names of the methods, in order.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.splits.iter().take(1).flat_map(|split| &split.methods).map(|report| report.method.as_str())
    }

    /// What came of a method, split by split.
    pub fn of_method<'r>(&'r self, method: &'r str) -> impl Iterator<Item = &'r MethodReport> + Clone {
        let reports = self.splits.iter().flat_map(|split| &split.methods);
        reports.filter(move |report| report.method == method)
    }

    /// How much depends on the split.
    pub fn stability(&self, method: &str) -> Stability {
        Stability::of(self.of_method(method))
    }
}

/// All sites together, by method, in the order in which methods first come.
pub fn total(sites: &[SiteReport]) -> Vec<Total> {
    let mut names: Vec<&str> = Vec::new();
    for name in sites.iter().flat_map(SiteReport::methods) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().filter_map(|name| of_method(name, sites)).collect()
}

fn of_method(name: &str, sites: &[SiteReport]) -> Option<Total> {
    let interval = |of: &dyn Fn(&MethodReport) -> Option<f64>| {
        let of_site = |site: &SiteReport| mean(site.of_method(name).filter_map(of));
        Interval::of(&sites.iter().filter_map(of_site).collect::<Vec<_>>())
    };
    Some(Total {
        method: name.to_owned(),
        sites: sites.iter().filter(|site| site.of_method(name).next().is_some()).count() as u64,
        precision: interval(&|report| Some(report.score.metrics.precision))?,
        recall: interval(&|report| Some(report.score.metrics.recall))?,
        f1: interval(&|report| Some(report.score.metrics.f1))?,
        gap_closed: interval(&|report| report.gap_closed),
        stability: Stability::of(sites.iter().flat_map(|site| site.of_method(name))),
    })
}

impl Interval {
    /// The mean of these values, if there are any.
    fn of(values: &[f64]) -> Option<Interval> {
        let middle = mean(values.iter().copied())?;
        let mut random = Random(SEED);
        let mut one =
            || mean((0..values.len()).map(|_| values[random.below(values.len())])).unwrap_or(middle);
        let mut means: Vec<f64> = (0..DRAWS).map(|_| one()).collect();
        means.sort_by(f64::total_cmp);
        Some(Interval { mean: middle, low: means[DRAWS / 40], high: means[DRAWS - 1 - DRAWS / 40] })
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// `SplitMix64`: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_its_mean() {
        let values: Vec<f64> = (0..20).map(|n| f64::from(n) / 20.0).collect();
        let Interval { mean, low, high } = Interval::of(&values).unwrap();
        // The standard error of the mean is 0.064.
        assert!((mean - 0.475).abs() < 1e-12, "{mean}");
        assert!((0.32..0.38).contains(&low) && (0.57..0.63).contains(&high), "{low} to {high}");
        assert_eq!(Interval::of(&values), Interval::of(&values));
        assert_eq!(Interval::of(&[0.5]), Some(Interval { mean: 0.5, low: 0.5, high: 0.5 }));
        assert_eq!(Interval::of(&[]), None);
    }
}
