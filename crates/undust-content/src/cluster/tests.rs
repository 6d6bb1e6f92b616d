//! Clusters of small sites.

use proptest::prelude::*;
use undust::page::Body;

use super::*;
use crate::read_body;

/// A page as it comes from a reader.
fn page(url: &str, html: &str) -> Page {
    let body = Some(Body { bytes: html.into(), content_type: Some("text/html".into()), ..Body::default() });
    Page { status: Some(200), body, ..Page::new(format!("http://a.org{url}")) }
}

fn by(kinds: &str) -> Options {
    Options { by: kinds.parse().unwrap(), ..Options::default() }
}

/// The pages with their clusters, and the report.
fn clustered(pages: &[Page], options: &Options) -> (Vec<Page>, Report) {
    let mut pages = pages.to_vec();
    pages.iter_mut().for_each(read_body);
    let report = cluster("a.org", &mut pages, options);
    (pages, report)
}

/// The clusters as numbers in the order of the pages, 0 for none.
fn numbers(pages: &[Page], options: &Options) -> Vec<u32> {
    let number =
        |page: &Page| page.cluster.as_deref().map_or(0, |label| label["a.org#".len()..].parse().unwrap());
    clustered(pages, options).0.iter().map(number).collect()
}

/// Some words that are always the same for a seed, and different for others.
fn words(seed: u32, count: u32) -> String {
    let word = |i: u32| {
        format!("{}{}", ["ka", "lo", "mi", "ren", "sut"][(i % 5) as usize], letters(seed * 1009 + i))
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

/// A number in letters: what has digits may be left out.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| (digit - b'0' + b'a') as char).collect()
}

fn titled(title: &str, text: &str) -> String {
    format!("<title>{title}</title><p>{text}")
}

#[test]
fn each_kind_of_evidence_by_itself() {
    let text = |seed| words(seed, 100);
    let linked =
        |path: &str, seed| format!("<link rel=canonical href={path}><title>{seed}</title>{}", text(seed));
    let cases: [(&str, Vec<Page>, [u32; 3]); 7] = [
        ("digest", vec![page("/1", &text(1)), page("/2", &text(1)), page("/3", &text(2))], [1, 1, 2]),
        (
            "simhash",
            vec![page("/1", &text(1)), page("/2", &(text(1) + "!")), page("/3", &text(2))],
            [1, 1, 2],
        ),
        (
            "shingles",
            vec![page("/1", &text(1)), page("/2", &(text(1) + "!")), page("/3", &text(2))],
            [1, 1, 2],
        ),
        (
            "canonical",
            vec![page("/1", &linked("/3", 1)), page("/2", &linked("/4", 2)), page("/3", &linked("/3", 3))],
            [1, 2, 1],
        ),
        (
            "redirect",
            vec![
                page("/1", &text(1)),
                page("/2", "<meta http-equiv=refresh content='0;url=/x'>"),
                Page { status: Some(301), redirect: Some("x#y".into()), ..Page::new("http://a.org/3") },
            ],
            [1, 2, 2],
        ),
        (
            "declared",
            vec![
                page("/?s=1&t=2", &text(1)),
                page("/?t=2", &text(2)),
                Page {
                    body: Some(Body {
                        bytes: "Clean-param: s /".into(),
                        content_type: None,
                        ..Body::default()
                    }),
                    ..Page::new("http://a.org/robots.txt")
                },
            ],
            [1, 1, 2],
        ),
        (
            "declared",
            vec![
                Page { no_vary_search: Some("params=(\"s\")".into()), ..page("/?s=1", &text(1)) },
                Page { no_vary_search: Some("params=(\"s\")".into()), ..page("/?s=2", &text(2)) },
                page("/other", &text(3)),
            ],
            [1, 1, 2],
        ),
    ];
    for (kind, pages, expected) in cases {
        assert_eq!(numbers(&pages, &by(kind)), expected, "{kind}");
    }
}

#[test]
fn redirects_are_followed_to_the_end() {
    let hop = |from: &str, to: &str| Page {
        status: Some(302),
        redirect: Some(to.into()),
        ..Page::new(format!("http://a.org{from}"))
    };
    let pages = [
        hop("/1", "/2"),
        hop("/2", "http://A.org:80/3"),
        page("/3", "<p>here"),
        page("/4", "<p>there"),
        hop("/5", "/1"),
    ];
    assert_eq!(numbers(&pages, &Options::default()), [1, 1, 1, 2, 1]);
}

#[test]
fn urls_that_show_another_page_each_time_join_nothing() {
    let hop =
        |to: &str| Page { status: Some(302), redirect: Some(to.into()), ..Page::new("http://a.org/random") };
    let pages = [page("/1", &words(1, 50)), page("/2", &words(2, 50)), hop("/1"), hop("/2")];
    assert_eq!(numbers(&pages, &Options::default()), [1, 2, 0, 0]);
    let pages = [
        page("/1", &words(1, 50)),
        page("/2", &words(2, 50)),
        page("/latest", &words(1, 50)),
        page("/latest", &words(2, 50)),
    ];
    assert_eq!(numbers(&pages, &Options::default()), [1, 2, 1, 2]);
}

#[test]
fn error_pages_and_the_unknown_are_in_no_cluster() {
    let failed = |url: &str, status| Page { status: Some(status), ..page(url, "<p>sorry") };
    let pages = [
        failed("/1", 404),
        failed("/2", 500),
        page("/3", "<p>sorry"),
        Page::new("http://a.org/4"),
        Page { status: Some(302), ..page("/5", "<p>sorry") },
    ];
    let (_, report) = clustered(&pages, &Options::default());
    assert_eq!((report.pages, report.texts, report.unknown, report.clusters), (5, 1, 4, 1));
    assert_eq!(numbers(&pages, &Options::default()), [0, 0, 1, 0, 0]);
}

#[test]
fn archived_again_without_a_body() {
    let archived = Page { digest: Some("sha1:X".into()), ..page("/1", "<p>text") };
    let revisit = Page { digest: Some("sha1:X".into()), status: Some(200), ..Page::new("http://a.org/2") };
    assert_eq!(numbers(&[archived, revisit], &Options::default()), [1, 1]);
}

#[test]
fn fingerprints_without_texts() {
    let print = |url: &str, simhash| Page {
        simhash: Some(simhash),
        title: Some("T".into()),
        ..Page::new(format!("http://a.org{url}"))
    };
    let other_title = Page { title: Some("U".into()), ..print("/4", 0) };
    let pages = [print("/1", 0), print("/2", 0b111), print("/3", 0b1111 << 20), other_title, print("/5", 0)];
    assert_eq!(numbers(&pages, &Options::default()), [1, 1, 2, 3, 1]);
    assert_eq!(numbers(&pages, &Options { distance: 4, ..Options::default() }), [1, 1, 1, 2, 1]);
    assert_eq!(numbers(&pages, &Options { titles: false, ..Options::default() }), [1, 1, 2, 1, 1]);
}

#[test]
fn the_same_url_is_the_same_page() {
    let pages =
        [page("/1", &words(1, 50)), page("/1#top", &(words(1, 48) + " more now")), page("/2", &words(3, 50))];
    assert_eq!(numbers(&pages, &Options::default()), [1, 1, 2]);
}

#[test]
fn titles_tell_pages_apart() {
    let text = words(1, 200);
    let pages = [
        page("/1", &titled("one", &text)),
        page("/2", &titled("two", &text)),
        page("/3", &titled("one", &text)),
    ];
    assert_eq!(numbers(&pages, &Options::default()), [1, 2, 1]);
    assert_eq!(numbers(&pages, &Options { titles: false, ..Options::default() }), [1, 1, 1]);
}

/// Menus that are most of every page, in no element that says so.
fn template_heavy_site() -> Vec<Page> {
    let menu = words(1, 900);
    let story = |id: u32| titled("News", &format!("{menu} {}", words(100 + id, 15)));
    let views = ["", "?print=1"];
    (0..200).flat_map(|id| views.map(|view| page(&format!("/{id}{view}"), &story(id)))).collect()
}

#[test]
fn a_site_of_menus_does_not_collapse() {
    let pages = template_heavy_site();
    // The trap: unweighted, all pages are alike.
    let prints: Vec<u64> = pages.iter().map(|page| crate::simhash(text_of(page))).collect();
    let near = prints.iter().filter(|print| (**print ^ prints[0]).count_ones() <= 3).count();
    assert!(near > 100, "{near} pages of 400 are within 3 bits of the first");

    let expected: Vec<u32> = (0..400).map(|page| page / 2 + 1).collect();
    for kinds in ["auto", "simhash", "shingles"] {
        assert_eq!(numbers(&pages, &by(kinds)), expected, "{kinds}");
    }
}

fn text_of(page: &Page) -> &str {
    str::from_utf8(&page.body.as_ref().unwrap().bytes).unwrap()
}

#[test]
fn a_row_of_small_changes_is_no_cluster() {
    let text: Vec<String> = (0..600).map(|i| words(i, 1)).collect();
    let version = |n: usize| {
        let mut text = text.clone();
        (0..n).for_each(|i| text[7 * i] = words(1000 + i as u32, 1));
        text.join(" ")
    };
    let mut pages: Vec<Page> = (0..60).map(|n| page(&format!("/v{n}"), &version(n))).collect();
    pages.extend((0..60).map(|n| page(&format!("/other{n}"), &words(5000 + n, 300))));
    let found = numbers(&pages, &Options::default());
    assert_eq!(found[0], found[1], "one word of 600 is no other page");
    let versions = found[..60].iter().max().unwrap();
    assert!((5..30).contains(versions), "{versions} clusters of 60 versions");
}

#[test]
fn volatile_numbers_and_echoes_are_no_difference() {
    let story = |id: u32| words(100 + id, 80);
    let view = |id: u32, view: u32| {
        let seen = 10_000 + 7 * (2 * id + view);
        page(
            &format!("/{}?from={}", words(id, 1), words(3000 + 2 * id + view, 1)),
            &format!("<p>You came from {}. {} Seen {seen} times.", words(3000 + 2 * id + view, 1), story(id)),
        )
    };
    let pages: Vec<Page> = (0..40).flat_map(|id| [view(id, 0), view(id, 1)]).collect();
    let expected: Vec<u32> = (0..80).map(|page| page / 2 + 1).collect();
    assert_eq!(numbers(&pages, &Options::default()), expected);
}

/// A view of a wiki that was opened from a page: it names that page in several ways, and says when *that* was changed.
fn opened_from(n: u32, view: u32) -> Page {
    let (one, other) = (words(3000 + n, 1), words(4000 + n, 1));
    let capital = one[..1].to_uppercase() + &one[1..];
    let html = format!(
        "<title>Index</title><script>var id = '{one}_{other}'</script><p>You are here: {capital} {other}</p>
        <input type=hidden name=id value='{one}_{other}'><a title='{one}' href='?id={one}_{other}'>Index of all</a>
        <p>{}</p><p>pages/{one}_{other}.txt, last changed 2025/04/{n} 12:{n} by someone</p>",
        words(view, 60)
    );
    page(&format!("/wiki.php?id=pages%3A{one}_{other}&show={}", words(5000 + view, 1)), &html)
}

#[test]
fn the_page_that_a_view_was_opened_from_is_no_difference() {
    let mut pages: Vec<Page> = (0..4).flat_map(|view| (10..28).map(move |n| opened_from(n, view))).collect();
    pages.extend((0..300).map(|n| page(&format!("/story{n}"), &words(100 + n, 60))));
    let expected: Vec<u32> = (0..72).map(|page| page / 18 + 1).collect();
    assert_eq!(numbers(&pages, &Options::default())[..72], expected);
}

/// A list of files, written in one of several ways.
fn list(markup: usize, files: &[u32]) -> String {
    let row = |&n: &u32| {
        let (name, size) = (words(n, 2), n + 7);
        match markup {
            0 => format!("<tr><td>{name}<td>{size}K</tr>"),
            1 => format!("<li><a href=x>{name}</a> {size}K"),
            2 => format!("{name}\t{size}K\n"),
            _ => format!("<dt>{name}<dd>{size}K"),
        }
    };
    let rows: String = files.iter().map(row).collect();
    let element = ["table", "ul", "pre", "dl"][markup];
    titled("Files", &format!("All files</p><{element}>{rows}</{element}>End"))
}

#[test]
fn one_list_in_several_orders() {
    let by_name: Vec<u32> = (0..30).collect();
    let by_size: Vec<u32> = (0..30).rev().collect();
    let by_day: Vec<u32> = (0..30).map(|n| n * 7 % 30).collect();
    let by_kind: Vec<u32> = (0..30).map(|n| n * 11 % 30).collect();
    let next: Vec<u32> = (30..60).collect();
    for markup in 0..4 {
        let mut other_size = list(markup, &by_name);
        other_size = other_size.replace("12K", "x").replace("13K", "12K").replace('x', "13K");
        let pages = [
            page("/files/?sort=name", &list(markup, &by_name)),
            page("/files/?sort=size;desc", &list(markup, &by_size)),
            page("/files/", &list(markup, &by_day)),
            page("/copy/", &list(markup, &by_kind)),
            page("/files/?page=2", &list(markup, &next)),
            page("/files/?of=others", &other_size),
        ];
        let in_order = |row_order| numbers(&pages, &Options { row_order, ..Options::default() });
        assert_eq!(in_order(RowOrder::Auto), [1, 1, 1, 2, 3, 4], "{markup}");
        assert_eq!(in_order(RowOrder::Keep), [1, 2, 3, 4, 5, 6], "{markup}");
        assert_eq!(in_order(RowOrder::Ignore), [1, 1, 1, 1, 2, 3], "{markup}");
    }
}

#[test]
fn pages_of_a_list_stay_apart_in_every_order() {
    let shown =
        |from: usize, step: u32| -> Vec<u32> { (0..60).map(|n| n * step % 60).skip(from).take(20).collect() };
    let orders = [("name", 1), ("size", 7), ("day", 11)];
    let pages: Vec<Page> = orders
        .iter()
        .flat_map(|&(order, step)| {
            [0, 20, 40]
                .map(|from| page(&format!("/files?sort={order}&from={from}"), &list(0, &shown(from, step))))
        })
        .collect();
    assert_eq!(numbers(&pages, &Options::default()), (1..=9).collect::<Vec<_>>());
}

#[test]
fn templates_to_be_filled_in_are_not_one_page() {
    let profile = |n: u32| {
        page(
            &format!("/user/{}", words(n, 1)),
            &titled("Profile", &format!("Name {} no posts yet", words(n, 1))),
        )
    };
    let pages: Vec<Page> = (0..30).map(profile).collect();
    assert_eq!(numbers(&pages, &Options::default()), (1..=30).collect::<Vec<_>>());
}

#[test]
fn a_twin_without_echoes_is_found() {
    let here = |name: &str| format!("You are here {name} now. {}", words(1, 60));
    let story = |n: u32| page(&format!("/story{n}"), &words(100 + n, 60));
    let mut pages: Vec<Page> =
        (0..20).map(|n| page(&format!("/{}", words(3000 + n, 1)), &here(&words(3000 + n, 1)))).collect();
    pages.push(page("/", &here("")));
    pages.extend((0..300).map(story));
    assert_eq!(numbers(&pages, &Options::default())[..21], [1; 21]);
}

#[test]
fn failed_requests_of_one_url_stay_apart_from_its_page() {
    let failed = Page { status: Some(500), ..page("/1", "<p>sorry") };
    let pages = [page("/1", "<p>text"), failed.clone(), failed];
    assert_eq!(numbers(&pages, &Options::default()), [1, 0, 0]);
}

#[test]
fn claims_that_texts_contradict_are_counted_and_not_believed() {
    let story = |url: &str, seed: u32| page(url, &format!("<link rel=canonical href=/>{}", words(seed, 100)));
    let pages = [story("/", 1), story("/2", 2), story("/?x", 1)];
    let (_, report) = clustered(&pages, &Options::default());
    assert_eq!(numbers(&pages, &Options::default()), [1, 2, 1]);
    let contradiction = &report.contradictions[0];
    assert_eq!((contradiction.what, contradiction.count), ("one canonical URL, different texts", 1));
    assert_eq!(contradiction.samples, [["http://a.org/", "http://a.org/2"]]);
    assert_eq!(numbers(&pages, &by("canonical")), [1, 1, 1], "at its word");
}

#[test]
fn pages_that_are_the_same_and_said_to_be_different() {
    let own = |url: &str| page(url, &format!("<link rel=canonical href={url}>{}", words(1, 100)));
    let listed = "<urlset><url><loc>http://a.org/1</loc></url><url><loc>http://a.org/2</loc></url></urlset>";
    let body =
        Some(Body { bytes: listed.into(), content_type: Some("application/xml".into()), ..Body::default() });
    let sitemap = Page { body, ..Page::new("http://a.org/sitemap.xml") };
    let (pages, report) = clustered(&[own("/1"), own("/2"), sitemap], &Options::default());
    assert_eq!(
        pages.iter().map(|page| page.sitemap).collect::<Vec<_>>(),
        [Some(true), Some(true), Some(false)]
    );
    let counts: Vec<(&str, u64)> =
        report.contradictions[2..].iter().map(|found| (found.what, found.count)).collect();
    assert_eq!(
        counts,
        [("one page, different canonical URLs", 1), ("one page, listed twice in the sitemap", 1)]
    );
}

#[test]
fn what_each_kind_contributes() {
    let pages = [
        page("/1", &words(1, 100)),
        page("/2", &words(1, 100)),
        page("/3", &(words(1, 100) + ".")),
        Page { status: Some(301), redirect: Some("/1".into()), ..Page::new("http://a.org/4") },
    ];
    let (_, report) = clustered(&pages, &Options::default());
    let found: Vec<(&str, u64, u64)> =
        report.contributions.iter().map(|found| (found.kind.name(), found.alone, found.only)).collect();
    let expected = [
        ("digest", 1, 0),
        ("simhash", 2, 0),
        ("shingles", 2, 0),
        ("rows", 0, 0),
        ("canonical", 0, 0),
        ("redirect", 1, 1),
        ("declared", 0, 0),
    ];
    assert_eq!(found, expected);
    let mut twice = report.clone();
    twice.merge(report);
    assert_eq!((twice.pages, twice.clusters, twice.contributions[1].alone), (8, 2, 4));
}

#[test]
fn threads_change_nothing() {
    let pages = template_heavy_site();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| clustered(&pages, &Options::default()))
    };
    assert_eq!(with(1), with(3));
}

proptest! {
    #[test]
    fn any_pages_are_clustered(
        rows in prop::collection::vec(("[a-c/?&=#]{0,6}", "[a-d <>/]{0,40}", prop::option::of("[a-c:/?]{0,5}"), 0_u8..6), 0..40),
        kinds in prop::sample::select(vec!["auto", "digest", "simhash,redirect", "shingles,canonical,declared"]),
    ) {
        let pages: Vec<Page> = rows.iter().map(|(url, html, target, kind)| {
            let page = page(&format!("/{url}"), html);
            match kind {
                0 => Page { status: Some(301), redirect: target.clone(), ..page },
                1 => Page { canonical: target.clone(), ..page },
                2 => Page { status: Some(404), ..page },
                3 => Page { no_vary_search: Some("params".into()), ..page },
                _ => page,
            }
        }).collect();
        let (labelled, report) = clustered(&pages, &by(kinds));
        let labels: std::collections::BTreeSet<_> = labelled.iter().filter_map(|page| page.cluster.clone()).collect();
        prop_assert_eq!(report.clusters, labels.len() as u64);
        prop_assert_eq!(report.unknown, labelled.iter().filter(|page| page.cluster.is_none()).count() as u64);
    }
}
