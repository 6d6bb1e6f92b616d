//! `undust eval --protocol`: the experiments of the papers on labelled URLs, as tables and plots. One file per paper.

mod kdd08;
mod pages;
mod plot;
mod sigir17;
mod wsdm10;
mod www07;
mod www10;

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use rayon::prelude::*;
use undust::page::Page;
use undust::url::SiteBy;
use undust_io::group;
use undust_papers::MIN_URLS;
use undust_papers::sigir17::{KeepAll, Method};

use super::eval::NO_LABELS;
use super::read_by_site;
use crate::args::{Eval, Protocol};
use crate::messages::{counted, say};
use crate::progress::Sites;
use crate::{Outcome, output};
use plot::{Chart, svg};

pub(super) fn run(args: &Eval, protocol: Protocol) -> Result<Outcome> {
    refuse_foreign(args, protocol)?;
    if let Some(path) = &args.experiment.plot {
        output::check_writable(path)?;
    }
    match protocol {
        Protocol::Kdd08 => kdd08::run(args),
        Protocol::Pages => pages::run(args),
        Protocol::Sigir17 => sigir17::run(args),
        Protocol::Wsdm10 => wsdm10::run(args),
        Protocol::Www07 => www07::run(args),
        Protocol::Www10 => www10::run(args),
    }
}

/// Options of one experiment mean nothing to another.
fn refuse_foreign(args: &Eval, protocol: Protocol) -> Result<()> {
    use Protocol::{Kdd08, Pages, Sigir17, Wsdm10, Www07, Www10};
    // Each option, whether it is given, and whose it is; all experiments know --methods.
    let options: [(&str, bool, &[Protocol]); 12] = [
        ("--rules", !args.rules.is_empty(), &[Pages]),
        ("--top", args.experiment.top.is_some(), &[Www07]),
        ("--train", args.experiment.train.is_some(), &[Www07, Www10, Sigir17, Pages]),
        ("--sample-by", args.experiment.sample_by.is_some(), &[Www10]),
        ("--noise", args.experiment.noise.is_some(), &[Www10]),
        ("--plot", args.experiment.plot.is_some(), &[Www07, Www10]),
        ("--max-fpr", args.experiment.max_fpr.is_some(), &[Sigir17, Pages]),
        ("--judged-on", args.experiment.judged_on.is_some(), &[Kdd08, Wsdm10]),
        ("--singletons", args.experiment.singletons, &[Kdd08, Wsdm10]),
        ("--seed", args.experiment.seed.is_some(), &[Pages]),
        ("--splits", args.experiment.splits.is_some(), &[Pages]),
        ("--label-noise", args.experiment.label_noise.is_some(), &[Pages]),
    ];
    let is_foreign = |given: bool, owners: &[Protocol]| given && !owners.contains(&protocol);
    let name = protocol.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    match options.iter().find(|(_, given, owners)| is_foreign(*given, owners)) {
        Some((option, ..)) => bail!("{option} is no option of --protocol {name}"),
        None => Ok(()),
    }
}

/// Those of `known` that are named, or all of them where none is.
fn named<M>(names: &[String], known: impl Fn() -> Vec<M>, name_of: impl Fn(&M) -> &str) -> Result<Vec<M>> {
    if names.is_empty() {
        return Ok(known());
    }
    let unknown = |name: &str| {
        if name == KeepAll.name() {
            return format!("'{name}' has no rules that could be judged: only sigir17 can compare it");
        }
        let all = known().iter().map(&name_of).collect::<Vec<_>>().join(", ");
        format!("no method is called '{name}'; there are {all}")
    };
    let find = |name: &String| {
        let method = known().into_iter().find(|method| name_of(method) == name);
        method.with_context(|| unknown(name))
    };
    names.iter().map(find).collect()
}

/// What an experiment shows on each site that is large enough, and how many are not.
struct Reports<R> {
    sites: Vec<R>,
    small_sites: u64,
}

/// Do an experiment on every site of the inputs, side by side.
fn each_site<R: Send>(
    args: &Eval,
    site_by: SiteBy,
    one: impl Fn(&str, Vec<Page>) -> Option<R> + Sync,
) -> Result<Reports<R>> {
    let sites = read_sites(args, site_by)?;
    let progress = Sites::new("sites", sites.len() as u64);
    let one = |(site, pages): (String, Vec<Page>)| {
        let _running = progress.begin(&site);
        one(&site, pages)
    };
    let reports: Vec<Option<R>> =
        args.reading.thread_pool()?.install(|| sites.into_par_iter().map(one).collect());
    progress.finish();
    let small_sites = reports.iter().filter(|report| report.is_none()).count() as u64;
    if small_sites > 0 {
        let sites = counted(small_sites, "site");
        say(&format!("passed over, with fewer than {MIN_URLS} labelled URLs: {sites}"));
    }
    let sites: Vec<R> = reports.into_iter().flatten().collect();
    if sites.is_empty() {
        bail!("no site is large enough for the experiment");
    }
    Ok(Reports { sites, small_sites })
}

/// All inputs, by site; at least one page must be labelled.
fn read_sites(args: &Eval, site_by: SiteBy) -> Result<group::Sites> {
    let sites = read_by_site(&args.inputs, &args.reading, site_by)?;
    if sites.iter().flat_map(|(_, pages)| pages).all(|page| page.label().is_none()) {
        bail!(NO_LABELS);
    }
    Ok(sites)
}

/// Draw the figures of a paper.
fn save_plot(path: &Path, title: &str, charts: &[Chart]) -> Result<()> {
    let text = svg(title, charts);
    undust_io::write_atomically(path, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What is said once for several rows.
fn only(is_first: bool, text: String) -> String {
    if is_first { text } else { String::new() }
}
