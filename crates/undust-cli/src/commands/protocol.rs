//! `undust eval --protocol`: the experiments of the papers on labelled URLs, as tables and plots. One file per paper.

mod sigir17;
mod wsdm10;
mod www07;
mod www10;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use undust::page::Page;
use undust::url::SiteBy;
use undust_io::group::Sites;
use undust_learn::protocol::MIN_URLS;

use super::eval::NO_LABELS;
use super::read_by_site;
use crate::args::{Eval, Protocol};
use crate::talk::{counted, say};
use crate::{Outcome, progress};

pub(super) fn run(args: &Eval, protocol: Protocol) -> Result<Outcome> {
    match protocol {
        Protocol::Sigir17 => sigir17::run(args),
        Protocol::Wsdm10 => wsdm10::run(args),
        Protocol::Www07 => www07::run(args),
        Protocol::Www10 => www10::run(args),
    }
}

/// Flags of one experiment mean nothing to another.
fn refuse(flags: &[(&str, bool)], protocol: &str) -> Result<()> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => bail!("{flag} is no option of --protocol {protocol}"),
        None => Ok(()),
    }
}

/// Those of `known` that are named, or all of them where none is.
fn named<M>(names: &[String], known: impl Fn() -> Vec<M>, name_of: fn(&M) -> &str) -> Result<Vec<M>> {
    if names.is_empty() {
        return Ok(known());
    }
    let find = |name: &String| {
        let all = || known().iter().map(name_of).collect::<Vec<_>>().join(", ");
        let method = known().into_iter().find(|method| name_of(method) == name);
        method.with_context(|| format!("no method is called '{name}'; there are {}", all()))
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
    let bar = progress::bar("sites", sites.len() as u64);
    let one = |(site, pages): (String, Vec<Page>)| {
        let report = one(&site, pages);
        bar.inc(1);
        report
    };
    let reports: Vec<Option<R>> =
        args.reading.thread_pool()?.install(|| sites.into_par_iter().map(one).collect());
    bar.finish_and_clear();
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
fn read_sites(args: &Eval, site_by: SiteBy) -> Result<Sites> {
    let sites = read_by_site(&args.inputs, &args.reading, site_by)?;
    if sites.iter().flat_map(|(_, pages)| pages).all(|page| page.label().is_none()) {
        bail!(NO_LABELS);
    }
    Ok(sites)
}
