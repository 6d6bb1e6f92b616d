//! What the site is known to answer: from crawls and logs, and by asking it.

use anyhow::{Result, anyhow, bail};
use undust::page::Page;
use undust::rules::RuleSet;
use undust::url::SplitUrl;
use undust_content::resolve;
use undust_exchange::{Answer, KnownAnswers, urls_to_request};
use undust_fetch::{FetchError, FetchErrorKind, Fetched, Fetcher, Refusal};
use undust_io::read;

use crate::args::{Export, authority};
use crate::messages::{counted, report_problems, say};
use crate::progress;

/// All that can be known: what comes later counts.
pub(super) fn known(args: &Export, rules: &RuleSet) -> Result<KnownAnswers> {
    let mut known = KnownAnswers::from_validation(rules);
    for input in &args.redirects.known {
        let summary = read(input, &args.redirects.reading.options(), &mut |page| {
            known.add(&page.url, answer_of(&page));
        })?;
        report_problems(&summary);
    }
    if !args.redirects.tries.is_empty() {
        known.requires_page = true;
        ask(args, rules, &mut known)?;
    }
    Ok(known)
}

/// What a crawl or log saw.
fn answer_of(page: &Page) -> Answer {
    let target = page.redirect.as_deref().and_then(|reference| resolve(&page.url, None, reference));
    match (target, page.status) {
        (Some(target), _) => Answer::redirect(&page.url, target.as_bytes()),
        (None, Some(status)) => Answer::of_status(status),
        (None, None) => Answer::Unknown,
    }
}

/// Ask the servers until nothing is missing, or the budget is spent.
fn ask(args: &Export, rules: &RuleSet, known: &mut KnownAnswers) -> Result<()> {
    let fetcher = args.fetching.fetcher()?;
    let samples = usize::from(args.redirects.samples);
    let is_there = |url: &[u8]| {
        SplitUrl::new(url).is_some_and(|split| {
            args.redirects.tries.iter().any(|server| server.as_bytes() == authority(&split))
        })
    };
    let mut urls = urls_to_request(rules, args.to, known, samples, is_there);
    let first = counted(urls.len() as u64, "URL");
    say(&format!("asking for {first}, and for others where these are no pages"));
    while !urls.is_empty() {
        if !ask_for(&urls, &fetcher, known)? {
            say("all requests of the budget are made (--budget): what was not tried is left out");
            break;
        }
        urls = urls_to_request(rules, args.to, known, samples, is_there);
    }
    say(&format!("tried with {}", counted(fetcher.requests(), "request")));
    Ok(())
}

/// Ask for each of these; `false` when the budget is spent.
fn ask_for(urls: &[Vec<u8>], fetcher: &Fetcher, known: &mut KnownAnswers) -> Result<bool> {
    let bar = progress::counted("URLs", urls.len() as u64);
    for url in urls {
        match fetcher.fetch(url) {
            Ok(page) => add_fetched(url, &page, known),
            Err(FetchError { kind: FetchErrorKind::Budget(_), .. }) => return Ok(false),
            Err(error) => known.add_requested(url, failure(&error, fetcher)?),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(true)
}

fn add_fetched(url: &[u8], page: &Fetched, known: &mut KnownAnswers) {
    let end = Answer::of_status(page.status);
    if page.redirects > 0 {
        known.add(page.final_url.as_bytes(), end);
        known.add_requested(url, Answer::redirect(url, page.final_url.as_bytes()));
    } else {
        known.add_requested(url, end);
    }
}

/// What it says of the URL that there was no answer. Where the server cannot be reached at all, nothing is written.
fn failure(error: &FetchError, fetcher: &Fetcher) -> Result<Answer> {
    let host =
        SplitUrl::new(error.url.as_bytes()).map(|url| String::from_utf8_lossy(url.host()).into_owned());
    match &error.kind {
        FetchErrorKind::Redirects(problem) => Ok(Answer::Failed(problem.to_string())),
        FetchErrorKind::Invalid(_) => Ok(Answer::Failed("not a URL".to_owned())),
        FetchErrorKind::Refused(Refusal::Address { .. }) if error.hop.is_none() => {
            bail!("{error} (--allow-private, for servers of your own)")
        }
        FetchErrorKind::Transport(_)
            if error.hop.is_none() && fetcher.seems_down(&host.unwrap_or_default()) =>
        {
            Err(anyhow!("{error}"))
        }
        _ => Ok(Answer::Unknown),
    }
}
