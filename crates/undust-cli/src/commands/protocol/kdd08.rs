//! The experiment of KDD 2008: what rules spare, by the size of clusters, by class and by false positives.

use anyhow::Result;
use undust::url::SiteBy;
use undust_papers::Half;
use undust_papers::kdd08::{
    Experiment, MAX_FPRS, Method, MethodReport, On, Reduction, SetReport, SiteReport, Sizes, Which,
    methods_of_the_paper, total,
};

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
struct Kdd08<'r> {
    protocol: &'static str,
    judged_on: Half,
    singletons: bool,
    total: &'r [MethodReport],
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let judged_on = args.experiment.judged_on.map_or(Half::Test, Half::from);
    let experiment =
        Experiment { judged_on, singletons: args.experiment.singletons, ..Experiment::default() };
    let methods = methods(&args.experiment.methods)?;
    let reports = each_site(args, SiteBy::default(), |site, pages| experiment.run(site, &pages, &methods))?;
    let total = total(&reports.sites);
    let json = Kdd08 {
        protocol: "kdd08",
        judged_on,
        singletons: args.experiment.singletons,
        total: &total,
        sites: &reports.sites,
        small_sites: reports.small_sites,
    };
    eval::show(args, &json, || report(&total, &reports.sites, judged_on))
}

/// The learners of these names, or those of the paper.
fn methods(names: &[String]) -> Result<Vec<Method>> {
    if names.is_empty() {
        return Ok(methods_of_the_paper());
    }
    let known = || methods_of_the_paper().into_iter().chain(learners::all().into_iter().map(Method::new));
    named(names, || known().collect(), |method| &method.name)
}

fn report(total: &[MethodReport], sites: &[SiteReport], judged_on: Half) -> Sheet {
    let several = sites.len() > 1;
    let mut report = Sheet::new();
    report.text(halves(sites));
    report.table("Reduction, by the URLs of a page", by_size(total));
    report.legend(SIZE_LEGEND);
    report.table("Rules by class", classes(total));
    report.table("Reduction by the rules of each class, on both halves", by_class(total));
    report.legend(CLASS_LEGEND);
    report.table("Reduction by the false positives of rules, on both halves", by_fpr(total, several));
    report.legend(fpr_legend(several, judged_on));
    if several {
        let heading = format!("Site by site, false positives {}", at_most(SHOWN_MAX_FPR));
        report.table(heading, by_site(sites));
    }
    report
}

/// The false-positive rate at which sites are shown one by one.
const SHOWN_MAX_FPR: f64 = 0.05;

/// Table 2 of the paper.
fn halves(sites: &[SiteReport]) -> String {
    let sum = |of: fn(&SiteReport) -> u64| sites.iter().map(of).sum::<u64>();
    let train = counted(sum(|site| site.train.urls), "URL");
    let test = counted(sum(|site| site.test.urls), "other");
    let train_pages = counted(sum(|site| site.train.clusters), "page");
    let test_pages = counted(sum(|site| site.test.clusters), "page");
    let on = counted(sites.len() as u64, "site");
    format!("Rules learned from {train} of {train_pages}, tested on {test} of {test_pages}, on {on}")
}

/// Tables 1 and 3 of the paper.
fn by_size(total: &[MethodReport]) -> Table {
    let columns = ["method", "learned from", "rules", "applied to", "2-9 URLs", "≥ 10 URLs", "all"];
    let mut table = plain(&columns);
    for method in total {
        let mut name = method.method.clone();
        for (sizes, set) in learned_from(method) {
            for on in On::ALL {
                let is_first = on == On::ALL[0];
                let mut row = vec![
                    std::mem::take(&mut name),
                    only(is_first, rule_set(sizes).to_owned()),
                    only(is_first, thousands(set.rules)),
                    half(on).to_owned(),
                ];
                row.extend(Sizes::ALL.map(|sizes| ratio(set.reduction(on, sizes))));
                table.add_row(row);
            }
        }
    }
    align_right(&mut table, 2..3);
    align_right(&mut table, 4..columns.len());
    table
}

/// Table 4 of the paper.
fn classes(total: &[MethodReport]) -> Table {
    let columns = ["method", "learned from", "rules", "DUST", "", "IRP", "", "REGX", ""];
    let mut table = plain(&columns);
    for method in total {
        let mut name = method.method.clone();
        for (sizes, set) in learned_from(method) {
            let mut row = vec![std::mem::take(&mut name), rule_set(sizes).to_owned(), thousands(set.rules)];
            for rules in [set.classes.dust, set.classes.irp, set.classes.regx] {
                row.extend([thousands(rules), percent(rules as f64 / set.rules.max(1) as f64)]);
            }
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

/// Table 5 of the paper.
fn by_class(total: &[MethodReport]) -> Table {
    let columns = ["method", "class", "rules", "2-9 URLs", "≥ 10 URLs", "all", "wrong"];
    let mut table = plain(&columns);
    for method in total {
        let mut name = method.method.clone();
        for set in &method.sets {
            let class = match set.which {
                Which::Class(class) => class.name(),
                Which::MaxFpr(1.0..) => "all",
                _ => continue,
            };
            let mut row = vec![std::mem::take(&mut name), class.to_owned(), thousands(set.rules)];
            row.extend(Sizes::ALL.map(|sizes| ratio(set.reduction(On::Both, sizes))));
            row.push(wrong(set));
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

/// Tables 6 and 7 of the paper.
fn by_fpr(total: &[MethodReport], several: bool) -> Table {
    let mut columns = vec!["fpr", "method", "rules", "of all", "reduction"];
    columns.extend(several.then_some("by site"));
    columns.extend(["per rule", "wrong"]);
    let mut table = plain(&columns);
    for max_fpr in MAX_FPRS {
        for (at, method) in total.iter().enumerate() {
            let (Some(set), Some(all)) = (of_fpr(method, max_fpr), method.sets.last()) else { continue };
            let Some(reduction) = set.reduction(On::Both, Sizes::All) else { continue };
            let mut row = vec![only(at == 0, at_most(max_fpr)), method.method.clone()];
            row.extend([thousands(set.rules), percent(set.rules as f64 / all.rules.max(1) as f64)]);
            row.push(percent(reduction.ratio));
            row.extend(several.then(|| percent(reduction.mean_ratio)));
            row.extend([per_rule(set, reduction), percent(reduction.wrong_share)]);
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

fn by_site(sites: &[SiteReport]) -> Table {
    let columns = ["site", "URLs", "method", "rules", "per rule", "reduction", "wrong"];
    let mut table = plain(&columns);
    for site in sites {
        for (at, method) in site.methods.iter().enumerate() {
            let Some(set) = of_fpr(method, SHOWN_MAX_FPR) else { continue };
            let Some(reduction) = set.reduction(On::Both, Sizes::All) else { continue };
            table.add_row([
                only(at == 0, site.site.clone()),
                only(at == 0, thousands(reduction.urls)),
                method.method.clone(),
                thousands(set.rules),
                per_rule(set, reduction),
                percent(reduction.ratio),
                percent(reduction.wrong_share),
            ]);
        }
    }
    align_right(&mut table, 1..2);
    align_right(&mut table, 3..columns.len());
    table
}

/// What rules learned from clusters of these sizes are called.
fn rule_set(sizes: Sizes) -> &'static str {
    match sizes {
        Sizes::Small => "R1: 2-9",
        Sizes::Large => "R2: ≥ 10",
        Sizes::All => "R3: both",
    }
}

fn half(on: On) -> &'static str {
    match on {
        On::Train => "train",
        On::Test => "test",
        On::Both => "both",
    }
}

fn at_most(max_fpr: f64) -> String {
    match max_fpr {
        0.0 => "= 0".to_owned(),
        1.0.. => "all".to_owned(),
        _ => format!("≤ {:.0} %", max_fpr * 100.0),
    }
}

/// The sets R1 to R3.
fn learned_from(method: &MethodReport) -> impl Iterator<Item = (Sizes, &SetReport)> {
    method.sets.iter().filter_map(|set| match set.which {
        Which::LearnedFrom(sizes) => Some((sizes, set)),
        _ => None,
    })
}

fn of_fpr(method: &MethodReport, max_fpr: f64) -> Option<&SetReport> {
    method.sets.iter().find(|set| set.which == Which::MaxFpr(max_fpr))
}

/// Where there is nothing to be reduced, no rules could do it.
fn ratio(reduction: Option<&Reduction>) -> String {
    reduction.filter(|reduction| reduction.urls > 0).map_or("-".to_owned(), |r| percent(r.ratio))
}

fn wrong(set: &SetReport) -> String {
    set.reduction(On::Both, Sizes::All).map_or("-".to_owned(), |reduction| percent(reduction.wrong_share))
}

fn per_rule(set: &SetReport, reduction: &Reduction) -> String {
    format!("{:.1}", reduction.removed as f64 / set.rules.max(1) as f64)
}

const SIZE_LEGEND: [(&str, &str); 3] = [
    ("learned from", "pages of so many URLs: R1 of 2 to 9, R2 of at least 10, R3 is both sets together"),
    (
        "applied to",
        "the half that was learned from, the other one, or both; all URLs, or those of such pages",
    ),
    ("reduction", "URLs less than before, when those of one canonical form count as one"),
];

const CLASS_LEGEND: [(&str, &str); 4] = [
    ("DUST", "one substring becomes another"),
    ("IRP", "path components, host labels or parameters do not matter"),
    ("REGX", "all other rules"),
    ("wrong", "of the URLs so removed, those of another page than the one kept"),
];

fn fpr_legend(several: bool, judged_on: Half) -> Vec<(&'static str, String)> {
    let half = match judged_on {
        Half::Train => "where it was learned",
        Half::Test => "in the half not learned from",
    };
    let fpr = format!("of the pairs of URLs that a rule makes equal, those of different pages, {half}");
    let mut words = vec![("fpr", fpr)];
    words.extend(several.then(|| ("by site", "the mean of the sites' reductions".to_owned())));
    words.push(("per rule", "the reduction as a number of URLs for each rule".to_owned()));
    words
}
