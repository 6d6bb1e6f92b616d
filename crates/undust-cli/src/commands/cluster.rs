//! `undust cluster`: pages in, pages with their clusters out.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use undust::page::Page;
use undust_content::cluster::{Options, Report, cluster};
use undust_content::read_body;
use undust_io::group::{self, BySite};
use undust_io::{Format, Input, ReadError, Summary, read, write_pages};
use undust_learn::evaluate::Agreement;

use super::{opened, print_json, read_into};
use crate::args::Cluster;
use crate::messages::{counted, percent, report_problems, say, thousands};
use crate::progress::Sites;
use crate::table::{align_right, plain};
use crate::{Outcome, output};

/// What `--json` prints.
#[derive(Serialize)]
struct Found {
    sites: u64,
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<Agreement>,
}

pub(super) fn run(args: &Cluster) -> Result<Outcome> {
    output::check_place(&args.output, args.inputs.iter().chain(&args.reference), args.json, "pages")?;
    let reference = args.reference.as_deref().map(|file| labels_in(file, args)).transpose()?;
    let (sites, report) = clusters_of(opened(&args.inputs), args, &report_problems)?;
    let reference = reference.map(|labels| compare(&labels, &sites)).transpose()?;
    save(&args.output, &sites)?;
    let found = Found { sites: sites.len() as u64, report, reference };
    if args.json {
        print_json(&found)?;
    } else if output::is_stdout(&args.output) {
        show(&mut std::io::stderr().lock(), &found)?;
    } else {
        show(&mut output::stdout(), &found)?;
        say(&format!("pages written to {}", args.output.display()));
    }
    Ok(Outcome::Fine)
}

/// The pages of the inputs, clustered, by site; problems of an input go to `tell`.
pub(crate) fn clusters_of(
    inputs: impl IntoIterator<Item = Result<Input, ReadError>>,
    args: &Cluster,
    tell: &dyn Fn(&Summary),
) -> Result<(group::Sites, Report)> {
    let mut pages = BySite::new(args.grouping.memory, args.grouping.site_by);
    read_into(&mut pages, inputs, &args.reading, &read_body, tell)?;
    let options = args.clustering.options();
    let (sites, report) = args.reading.thread_pool()?.install(|| cluster_all(pages, &options))?;
    if report.pages == 0 {
        bail!("nothing to cluster: the input has no pages");
    }
    if report.pages == report.unknown {
        let pages = counted(report.pages, "page");
        bail!(
            "nothing to tell pages by: they need html, text, a digest, a simhash or the like ({pages}, none like that)"
        );
    }
    Ok((sites, report))
}

/// All sites, by name, with their pages clustered.
fn cluster_all(pages: BySite, options: &Options) -> Result<(group::Sites, Report)> {
    let (mut sites, mut report) = (group::Sites::new(), Report::default());
    for partition in pages.finish().context("cannot write temporary files")? {
        let partition = partition.context("cannot read temporary files")?;
        let progress = Sites::new("sites clustered", partition.len() as u64);
        let one = |(site, mut pages): (String, Vec<Page>)| {
            let report = {
                let _running = progress.begin(&site);
                cluster(&site, &mut pages, options)
            };
            ((site, pages), report)
        };
        for (site, found) in partition.into_par_iter().map(one).collect::<Vec<_>>() {
            sites.push(site);
            report.merge(found);
        }
        progress.finish();
    }
    sites.sort_by(|a, b| a.0.cmp(&b.0));
    Ok((sites, report))
}

fn save(path: &Path, sites: &group::Sites) -> Result<()> {
    let pages = sites.iter().flat_map(|(_, pages)| pages);
    let is_jsonl = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
    let format = if is_jsonl { Format::Jsonl } else { Format::Tsv };
    output::save(path, |out| write_pages(out, pages, format))
}

/// The labels of a file, by URL.
type Labels = HashMap<Vec<u8>, String>;

fn labels_in(file: &Path, args: &Cluster) -> Result<Labels> {
    let mut labels = Labels::new();
    let summary = read(file, &args.reading.options(), &mut |page| {
        if let Some(label) = page.label() {
            labels.insert(page.url.clone(), label.to_owned());
        }
    })?;
    report_problems(&summary);
    Ok(labels)
}

/// How far our clusters agree with known ones, on the URLs that are in both.
fn compare(known: &Labels, sites: &group::Sites) -> Result<Agreement> {
    let ours = sites.iter().flat_map(|(_, pages)| pages);
    let both = ours.filter_map(|page| Some((page.cluster.as_deref()?, known.get(&page.url)?.as_str())));
    let both: Vec<_> = both.collect();
    if both.is_empty() {
        bail!("the reference has no labelled URL that is in the input");
    }
    Ok(Agreement::of(both.into_iter()))
}

fn show(out: &mut dyn Write, found: &Found) -> Result<()> {
    let report = &found.report;
    let (pages, sites) = (counted(report.pages, "page"), counted(found.sites, "site"));
    let known = report.pages - report.unknown;
    let duplicates = known - report.clusters;
    let share = percent(duplicates as f64 / known.max(1) as f64);
    writeln!(out, "{pages} on {sites}, {} with text", thousands(report.texts))?;
    writeln!(
        out,
        "{} different, {} ({share})",
        thousands(report.clusters),
        counted(duplicates, "duplicate")
    )?;
    if report.unknown > 0 {
        let unknown = counted(report.unknown, "page");
        writeln!(out, "{unknown} in no cluster: failed requests, or nothing known of the content")?;
    }
    writeln!(out)?;
    let columns = ["evidence", "alone", "only"];
    let mut table = plain(&columns);
    for contribution in &report.contributions {
        let kind = contribution.kind.name().to_owned();
        table.add_row([kind, thousands(contribution.alone), thousands(contribution.only)]);
    }
    align_right(&mut table, 1..columns.len());
    writeln!(out, "{}\n\n{LEGEND}", table.text())?;
    for contradiction in report.contradictions.iter().filter(|contradiction| contradiction.count > 0) {
        writeln!(out, "{}: {}", contradiction.what, thousands(contradiction.count))?;
        for [one, other] in &contradiction.samples {
            writeln!(out, "  {one}\n    {other}")?;
        }
    }
    if let Some(Agreement { found, expected, right, precision, recall }) = found.reference {
        let [found, expected, right] = [found, expected, right].map(thousands);
        writeln!(out, "pairs of duplicates: {found} found, {expected} in the reference, {right} in both")?;
        writeln!(out, "precision {precision:.4}, recall {recall:.4}")?;
    }
    Ok(())
}

const LEGEND: &str = "\
alone:  pages that this kind alone shows to be the same as an earlier one
only:   pages of which nothing else shows that
";
