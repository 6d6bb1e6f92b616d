//! The experiment of WSDM 2010: what the rules of several learners spare, by precision and coverage.

use anyhow::Result;
use undust::url::SiteBy;
use undust_papers::Half;
use undust_papers::wsdm10::{Experiment, MIN_COVERAGES, MethodReport, SetScore, SiteReport, total};

use super::{each_site, named, only};
use crate::Outcome;
use crate::args::Eval;
use crate::commands::eval;
use crate::messages::{counted, percent, thousands};
use crate::sheet::Sheet;
use crate::table::{Table, align_right, plain};
use undust_papers::learners;

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Wsdm10<'r> {
    protocol: &'static str,
    judged_on: Half,
    singletons: bool,
    total: &'r [MethodReport],
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let judged_on = args.experiment.judged_on.map_or(Half::Train, Half::from);
    let experiment =
        Experiment { judged_on, singletons: args.experiment.singletons, ..Experiment::default() };
    let learners = named(&args.experiment.methods, learners::all, |learner| learner.name())?;
    let reports = each_site(args, SiteBy::default(), |site, pages| experiment.run(site, &pages, &learners))?;
    let total = total(&reports.sites);
    let json = Wsdm10 {
        protocol: "wsdm10",
        judged_on,
        singletons: args.experiment.singletons,
        total: &total,
        sites: &reports.sites,
        small_sites: reports.small_sites,
    };
    eval::show(args, &json, || report(&total, &reports.sites, judged_on))
}

fn report(total: &[MethodReport], sites: &[SiteReport], judged_on: Half) -> Sheet {
    let several = sites.len() > 1;
    let sum = |of: fn(&SiteReport) -> u64| thousands(sites.iter().map(of).sum());
    let (train, test) = (sum(|site| site.train), sum(|site| site.test));
    let on = counted(sites.len() as u64, "site");
    let mut report = Sheet::new();
    let heading = format!("Rules learned from {train} URLs, applied to {test} others, on {on}");
    report.table(heading, by_precision(total, several));
    report.legend(legend(several, judged_on));
    report.table("By the number of URLs that a rule changes", by_coverage(total));
    if several {
        report.table(format!("Site by site, precision {}", at_least(SHOWN_PRECISION)), by_site(sites));
    }
    report
}

fn legend(several: bool, judged_on: Half) -> Vec<(&'static str, String)> {
    let half = match judged_on {
        Half::Train => "they were learned from",
        Half::Test => "they are applied to",
    };
    let precision = format!("the share of the URLs a rule changes that stay on their page, of those {half}");
    let rules = format!("those so precise that change at least {} URLs", MIN_COVERAGES[0]);
    let reduction = "URLs less than before, when those of one canonical form count as one";
    let by_site = "the mean of the sites' reductions, each site counting the same";
    let mut words = vec![("precision", precision), ("rules", rules), ("reduction", reduction.to_owned())];
    words.extend(several.then(|| ("by site", by_site.to_owned())));
    words.push(("per rule", "the same, as a number of URLs for each rule".to_owned()));
    words.push(("wrong", "of the URLs so removed, those of another page than the one kept".to_owned()));
    words
}

/// The least precision at which sites are shown one by one.
const SHOWN_PRECISION: f64 = 0.95;

/// Table 3 of the paper.
fn by_precision(total: &[MethodReport], several: bool) -> Table {
    let mut columns = vec!["precision", "method", "rules", "of all", "reduction"];
    columns.extend(several.then_some("by site"));
    columns.extend(["per rule", "wrong"]);
    let mut table = plain(&columns);
    let shown = |set: &SetScore| set.min_coverage == MIN_COVERAGES[0];
    for (method, set, is_first) in side_by_side(total, shown) {
        let m = &set.metrics;
        let mut row = vec![only(is_first, at_least(set.min_precision)), method.to_owned()];
        row.extend([thousands(set.counts.rules), percent(m.share_of_rules), percent(m.reduction_ratio)]);
        row.extend(several.then(|| percent(m.mean_reduction_ratio)));
        row.extend([per_rule(set), percent(m.wrong_share)]);
        table.add_row(row);
    }
    align_right(&mut table, 2..columns.len());
    table
}

/// Table 4 of the paper.
fn by_coverage(total: &[MethodReport]) -> Table {
    let columns = ["precision", "URLs", "method", "rules", "per rule", "reduction"];
    let mut table = plain(&columns);
    let mut sets: Vec<_> = side_by_side(total, |set| set.min_precision > 0.0).collect();
    // The paper has the coverages of one precision below each other.
    sets.sort_by(|(_, a, _), (_, b, _)| b.min_precision.total_cmp(&a.min_precision));
    for (method, set, is_first) in sets {
        let is_new = is_first && set.min_coverage == MIN_COVERAGES[0];
        table.add_row([
            only(is_new, at_least(set.min_precision)),
            only(is_first, format!("≥ {}", thousands(set.min_coverage))),
            method.to_owned(),
            thousands(set.counts.rules),
            per_rule(set),
            percent(set.metrics.reduction_ratio),
        ]);
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, 3..columns.len());
    table
}

fn by_site(sites: &[SiteReport]) -> Table {
    let columns = ["site", "URLs", "method", "rules", "per rule", "reduction", "wrong"];
    let mut table = plain(&columns);
    for site in sites {
        let shown =
            |set: &SetScore| set.min_coverage == MIN_COVERAGES[0] && set.min_precision == SHOWN_PRECISION;
        for (method, set, is_first) in side_by_side(&site.methods, shown) {
            table.add_row([
                only(is_first, site.site.clone()),
                only(is_first, thousands(site.test)),
                method.to_owned(),
                thousands(set.counts.rules),
                per_rule(set),
                percent(set.metrics.reduction_ratio),
                percent(set.metrics.wrong_share),
            ]);
        }
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, 3..columns.len());
    table
}

/// The sets that are `shown`, those of all learners beside each other, and whether it is the first learner's.
fn side_by_side(
    methods: &[MethodReport],
    shown: impl Fn(&SetScore) -> bool,
) -> impl Iterator<Item = (&str, &SetScore, bool)> {
    let sets = methods.first().map_or(0, |report| report.sets.len());
    let all = (0..sets).flat_map(move |set| {
        methods
            .iter()
            .enumerate()
            .map(move |(at, report)| (report.method.as_str(), &report.sets[set], at == 0))
    });
    all.filter(move |(_, set, _)| shown(set))
}

fn at_least(precision: f64) -> String {
    match precision {
        1.0.. => "= 1".to_owned(),
        0.0 => "all".to_owned(),
        _ => format!("≥ {precision}"),
    }
}

fn per_rule(set: &SetScore) -> String {
    format!("{:.1}", set.metrics.reduction_per_rule)
}
