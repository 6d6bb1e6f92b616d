//! The experiment of SIGIR 2017: what a crawl fetches that knows what several methods learned from its first pages.

use anyhow::Result;
use undust::url::SiteBy;
use undust_learn::LearnOptions;
use undust_learn::evaluate::{Metrics, Score};
use undust_learn::pipeline::MAX_FPR;
use undust_learn::registry::LearnerInfo;
use undust_neural::trainer;
use undust_papers::learners;
use undust_papers::sigir17::{Experiment, KeepAll, Method, SiteReport, TRAIN, Total, total};

use super::{each_site, named};
use crate::Outcome;
use crate::args::Eval;
use crate::commands::eval;
use crate::messages::{percent, thousands};
use crate::sheet::Sheet;
use crate::table::{Table, align_right, plain};

/// What `--json` prints.
#[derive(serde::Serialize)]
struct Sigir17<'r> {
    protocol: &'static str,
    train: f64,
    max_fpr: f64,
    total: &'r [Total],
    sites: &'r [SiteReport],
    small_sites: u64,
}

pub(super) fn run(args: &Eval) -> Result<Outcome> {
    let experiment = Experiment { train: args.experiment.train.unwrap_or(TRAIN) };
    let max_fpr = args.experiment.max_fpr.unwrap_or(MAX_FPR);
    let methods = named(&args.experiment.methods, || known_methods(max_fpr), |method| method.name())?;
    let reports = each_site(args, SiteBy::default(), |site, pages| experiment.run(site, pages, &methods))?;
    let total = total(&reports.sites);
    let json = Sigir17 {
        protocol: "sigir17",
        train: experiment.train,
        max_fpr,
        total: &total,
        sites: &reports.sites,
        small_sites: reports.small_sites,
    };
    eval::show(args, &json, || report(&total, &reports.sites, experiment.train))
}

/// The baseline and every learner. Skips are left out: the paper compares canonical forms.
fn known_methods(max_fpr: f64) -> Vec<Box<dyn Method>> {
    let keep_all: Box<dyn Method> = Box::new(KeepAll);
    let method = |info: &LearnerInfo| -> Box<dyn Method> {
        let options = LearnOptions::new().method(info.name).max_fpr(max_fpr).skips(false).trainer(trainer);
        Box::new(options.max_urls(usize::MAX).build().expect("registered methods have valid defaults"))
    };
    std::iter::once(keep_all).chain(learners::infos().map(method)).collect()
}

fn report(total: &[Total], sites: &[SiteReport], train: f64) -> Sheet {
    let mut report = Sheet::new();
    let heading =
        format!("Learned from the first {} of the rows, tested on a crawl of the rest", percent(train));
    report.table(heading, statistics(sites));
    let pairs = "URLs of pages with at least two, among those learned from";
    report.legend([("pairs", pairs)]);
    report.table("The crawl fetches a URL if its canonical form is new", by_site(sites));
    if sites.len() > 1 {
        report.table("Mean of the sites", means(total));
    }
    report.legend([
        ("crawled", "URLs fetched"),
        ("covered", "pages of which a URL is fetched"),
        ("precision", "pages covered, of URLs crawled"),
        ("recall", "pages covered, of all"),
    ]);
    if let Some(figures) = figures(sites) {
        report.table("What else methods say", figures);
    }
    report
}

/// Table 1 of the paper.
fn statistics(sites: &[SiteReport]) -> Table {
    let columns = ["site", "URLs", "pages", "pairs", "test URLs", "test pages"];
    let mut table = plain(&columns);
    for SiteReport { site, train, test_urls, test_clusters, .. } in sites {
        let counts = [train.urls, train.clusters, train.pairs, *test_urls, *test_clusters].map(thousands);
        table.add_row([site.clone()].into_iter().chain(counts));
    }
    align_right(&mut table, 1..columns.len());
    table
}

/// Table 2 of the paper, methods below each other.
fn by_site(sites: &[SiteReport]) -> Table {
    let columns = ["site", "method", "rules", "crawled", "covered", "precision", "recall", "F1"];
    let mut table = plain(&columns);
    for site in sites {
        let mut name = site.site.clone();
        for report in &site.methods {
            let Score { rules, crawled, covered, metrics, .. } = &report.score;
            let mut row = vec![std::mem::take(&mut name), report.method.clone()];
            row.extend([*rules, *crawled, *covered].map(thousands));
            row.extend(shares(metrics));
            table.add_row(row);
        }
    }
    align_right(&mut table, 2..columns.len());
    table
}

/// Its averages; rules are not averaged, but those of all sites.
fn means(total: &[Total]) -> Table {
    let columns = ["method", "all rules", "precision", "recall", "F1"];
    let mut table = plain(&columns);
    for Total { method, score, macro_average } in total {
        let mut row = vec![method.clone(), thousands(score.rules)];
        row.extend(shares(macro_average));
        table.add_row(row);
    }
    align_right(&mut table, 1..columns.len());
    table
}

fn shares(metrics: &Metrics) -> [String; 3] {
    [metrics.precision, metrics.recall, metrics.f1].map(|share| format!("{share:.4}"))
}

/// What only some methods can say, if any does.
fn figures(sites: &[SiteReport]) -> Option<Table> {
    let mut table = plain(&["site", "method", "figure", "value"]);
    for site in sites {
        for report in &site.methods {
            for figure in &report.figures {
                // Counts have no decimals.
                let value = (figure.value * 1e4).round() / 1e4;
                let [site, method, name] = [&site.site, &report.method, &figure.name].map(String::clone);
                table.add_row([site, method, name, value.to_string()]);
            }
        }
    }
    align_right(&mut table, 3..4);
    (!table.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use undust::page::Page;
    use undust_papers::sigir17::{Canonical, Figure};

    use super::*;

    /// Keeps all, and talks about it.
    struct Talker;

    impl Method for Talker {
        fn name(&self) -> &'static str {
            "talker"
        }

        fn learn(&self, _site: &str, _pages: &[Page]) -> Box<dyn Canonical> {
            Box::new(Talker)
        }
    }

    impl Canonical for Talker {
        fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
            out.extend_from_slice(url);
        }

        fn rules(&self) -> u64 {
            0
        }

        fn figures(&self) -> Vec<Figure> {
            let figure = |name: &str, value| Figure { name: name.to_owned(), value };
            vec![figure("vocabulary", 335.0), figure("exact match", 0.973_14)]
        }
    }

    fn said_by(method: impl Method + 'static) -> Option<String> {
        let page = |i| Page { cluster: Some(format!("{i}")), ..Page::new(format!("http://a.com/{i}")) };
        let pages = (0..100).map(page).collect();
        let report = Experiment::default().run("a.com", pages, &[Box::new(method)]).expect("enough URLs");
        figures(&[report]).map(|table| table.text())
    }

    #[test]
    fn what_methods_say_of_themselves() {
        assert_eq!(said_by(KeepAll), None);
        insta::assert_snapshot!(said_by(Talker).expect("it talks"), @"
        site   method  figure        value
        ───────────────────────────────────
        a.com  talker  vocabulary      335
        a.com  talker  exact match  0.9731
        ");
    }
}
