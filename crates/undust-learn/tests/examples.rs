//! The papers' worked examples as things to learn: a small site around each, and the rule that must be proposed.
//!
//! Rules are generalized one key at a time, so that each varying key must vary while the others stand still (the paper's
//! *exhaustive* sample): a product with one spelling of its words teaches nothing about words.

use undust_learn::learn::rewrite::FilterKind;

use crate::make::{Row, candidates, candidates_with, row};

#[track_caller]
fn proposes(rows: &[Row], from: &str, to: &str) {
    let found = candidates(rows);
    let rule = format!("{from} -> {to}");
    assert!(
        found.contains(&rule),
        "{rule} is not among\n{}",
        found.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[track_caller]
fn does_not_propose(rows: &[Row], from: &str, to: &str) {
    let rule = format!("{from} -> {to}");
    assert!(!candidates(rows).contains(&rule), "{rule} is proposed");
}

const TITLES: [&str; 8] = ["Dust", "Web", "Url", "Crawler", "Simhash", "Shingle", "Robot", "Sitemap"];

#[test]
fn a_title_moves_into_the_path() {
    let pair = |title| {
        [
            row(format!("http://en.wikipedia.org/?title={title}"), title),
            row(format!("http://en.wikipedia.org/wiki/{title}"), title),
        ]
    };
    let rows: Vec<Row> = TITLES.into_iter().flat_map(pair).collect();
    let (parameter, path) =
        ("http://en.wikipedia.org/?title={title}", "http://en.wikipedia.org/wiki/{title}");
    proposes(&rows, parameter, path);
    proposes(&rows, "http://en.wikipedia.org/wiki/{path-2}", "http://en.wikipedia.org/?title={path-2}");
}

#[test]
fn a_session_does_not_matter() {
    let rows: Vec<Row> = (0..6)
        .map(|i| row(format!("http://www.xyz.com/show.php?sid={}", 71_829 + 977 * i), "show"))
        .collect();
    proposes(&rows, "http://www.xyz.com/show.php?sid=*", "http://www.xyz.com/show.php?sid=*");
}

#[test]
fn a_session_beside_what_matters() {
    let visits = |cat| (0..6).map(move |i| row(faq(&format!("sid={}{cat}&cat={cat}", 67_873 + 13 * i)), cat));
    let rows: Vec<Row> = (1..8).flat_map(visits).collect();
    proposes(&rows, &faq("cat={cat}&sid=*"), &faq("cat={cat}&sid=*"));
    // The sample says nothing for pages without a session.
    does_not_propose(&rows, &faq("cat={cat}&sid=*"), &faq("cat={cat}"));
}

#[test]
fn a_session_is_left_out() {
    let visits = |cat| (0..6).map(move |i| row(faq(&format!("sid={}&cat={cat}", 67_873 + 13 * i)), cat));
    let page = |cat| visits(cat).chain([row(faq(&format!("cat={cat}")), cat)]);
    let rows: Vec<Row> = (1..8).flat_map(page).collect();
    proposes(&rows, &faq("cat={cat}&sid=*"), &faq("cat={cat}"));
}

fn faq(query: &str) -> String {
    format!("http://cs.stanford.edu/degrees/mscs/faq/index.php?{query}")
}

#[test]
fn words_before_the_number_of_a_book() {
    let names = ["Deathly-Hallows", "Harry-Potter", "Any-string", "Book-7", "HP"];
    let book =
        |i: u32| names.map(|name| row(format!("http://www.amazon.com/{name}/dp/{}", 545_010_225 + i), i));
    let rows: Vec<Row> = (0..6).flat_map(book).collect();
    let canonical = "http://www.amazon.com/*/dp/{path-3}";
    proposes(&rows, canonical, canonical);
}

#[test]
fn a_product_without_its_words() {
    let names = ["Lord-Rings/", "Fellowship/", "Two-Towers/", "Return-King/", "Tolkien/", ""];
    let product = |i: u32| names.map(|name| row(format!("http://www.amazon.com/{name}dp/B000634D{i:02}"), i));
    let rows: Vec<Row> = (0..8).flat_map(product).collect();
    proposes(&rows, "http://www.amazon.com/*/dp/{path-3}", "http://www.amazon.com/dp/{path-3}");
}

#[test]
fn a_page_becomes_a_folder() {
    let pair = |page| {
        [
            row(format!("http://www.xyz.com/?page={page}"), page),
            row(format!("http://www.xyz.com/{page}/index.html"), page),
        ]
    };
    let rows: Vec<Row> = TITLES.into_iter().flat_map(pair).collect();
    proposes(&rows, "http://www.xyz.com/?page={page}", "http://www.xyz.com/{page}/index.html");
    proposes(&rows, "http://www.xyz.com/{path-1}/index.html", "http://www.xyz.com/?page={path-1}");
}

#[test]
fn the_order_of_parameters() {
    let pair = |n: u32| {
        [
            row(format!("http://a.com/show.php?a={}&b={}", 10 + n, 20 + n % 5), n),
            row(format!("http://a.com/show.php?b={}&a={}", 20 + n % 5, 10 + n), n),
        ]
    };
    let rows: Vec<Row> = (0..30).flat_map(pair).collect();
    let ordered = "http://a.com/show.php?a={a}&b={b}";
    proposes(&rows, ordered, ordered);
    proposes(&rows, "http://a.com/show.php?{...}", "http://a.com/show.php?{sorted(...)}");
    proposes(&rows, "{scheme}://{...}/{...}?{...}", "{scheme}://{...}/{...}?{sorted(...)}");
}

#[test]
fn a_sorted_list_of_products() {
    let orders = ["price", "name", "date", "stars", "stock"];
    let product = "http://shopping.yahoo.com/electronics/cameras/digicams/product.php";
    let list = |id| orders.map(|order| row(format!("{product}?prodid={}&sort={order}", 1000 + id), id));
    let rows: Vec<Row> = (0..6).flat_map(list).collect();
    let canonical = format!("{product}?prodid={{prodid}}&sort=*");
    proposes(&rows, &canonical, &canonical);
}

#[test]
fn index_html_at_each_depth() {
    let below = |folder: &str| {
        let folder = folder.to_owned();
        TITLES.map(|title| {
            let page = format!("http://ag.arizona.edu/{folder}{title}");
            [row(format!("{page}/index.html"), &page), row(&page, &page)]
        })
    };
    let rows: Vec<Row> = below("").into_iter().chain(below("srnr/about/")).flatten().collect();
    // Keys count from the left here, so that each depth has its own rule.
    proposes(&rows, "http://ag.arizona.edu/{path-1}/index.html", "http://ag.arizona.edu/{path-1}");
    let deep = "http://ag.arizona.edu/srnr/about/{path-3}";
    proposes(&rows, &format!("{deep}/index.html"), deep);
}

#[test]
fn one_gallery_by_two_names() {
    let movie = |i: u32| {
        let title = format!("http://www.imdb.com/title/tt{:07}", 810_900 + i);
        [row(format!("{title}/photogallery"), i), row(format!("{title}/mediaindex"), i)]
    };
    let rows: Vec<Row> = (0..7).flat_map(movie).collect();
    let title = "http://www.imdb.com/title/{path-2}";
    proposes(&rows, &format!("{title}/photogallery"), &format!("{title}/mediaindex"));
}

#[test]
fn the_shortest_way_to_watch() {
    let video = |i: u32| {
        let watch = format!("http://www.youtube.com/watch?v=S9_4KMVtgw{i}");
        let session = |s| format!("{watch}&feature=channel&ytsession=s{s}");
        let urls = [watch.clone(), format!("{watch}&feature=channel")].into_iter().chain((0..6).map(session));
        urls.map(|url| row(url, i)).collect::<Vec<_>>()
    };
    let rows: Vec<Row> = (0..7).flat_map(video).collect();
    let watch = "http://www.youtube.com/watch";
    proposes(&rows, &format!("{watch}?feature=channel&v={{v}}"), &format!("{watch}?v={{v}}"));
    proposes(&rows, &format!("{watch}?feature=channel&v={{v}}&ytsession=*"), &format!("{watch}?v={{v}}"));
}

#[test]
fn mirrors_of_one_site() {
    let hosts = ["us", "de", "fr", "uk", "jp", "br"];
    let page = |name| hosts.map(|host| row(format!("http://{host}.a.com/{name}"), name));
    let rows: Vec<Row> = TITLES.into_iter().flat_map(page).collect();
    // The canonical key names the site still: another site's mirrors are other pages.
    proposes(&rows, "http://{...}/{path-1}", "http://*.a.com/{path-1}");
}

#[test]
fn archives_that_mirror_each_other() {
    let archive = |page: u32| {
        let display = move |i: u32| row(format!("http://a.com/archive{i}/display?pageid={page}"), page);
        let folder = move |i: u32| {
            (1..4).map(move |sid| row(format!("http://a.com/archive{i}/{page}/display?sid=s{sid}"), page))
        };
        (0..3).map(display).chain((0..3).flat_map(folder))
    };
    let rows: Vec<Row> = (10..22).flat_map(archive).collect();
    let found = candidates_with(&rows, FilterKind::FanOut(3));
    let display = "http://a.com/*/display?pageid={pageid}";
    assert!(found.contains(&format!("{display} -> http://a.com/*/{{pageid}}/display?sid=*")), "{found:?}");
    assert!(found.contains(&format!("{display} -> {display}")), "{found:?}");
}

#[test]
fn users_and_questions() {
    let words = ["", "/rich", "/Rich", "/rich-b", "/rich.b", "/r"];
    let user =
        |i: u32| words.map(|word| row(format!("http://a.com/users/{}{word}", 150_781 + i), format!("u{i}")));
    let question = |i: u32| {
        let id = 132_218 + i;
        let long = |word: &str| format!("http://a.com/questions/{id}{word}");
        words.map(|word| row(if word.is_empty() { format!("http://a.com/q/{id}") } else { long(word) }, id))
    };
    let tagged = |i: u32| row(format!("http://a.com/questions/tagged/tag{i}"), format!("t{i}"));
    let rows: Vec<Row> =
        (0..9).flat_map(|i| user(i).into_iter().chain(question(i)).chain([tagged(i)])).collect();
    proposes(&rows, "http://a.com/users/{path-2}/*", "http://a.com/users/{path-2}");
    proposes(&rows, "http://a.com/questions/{path-2}/*", "http://a.com/q/{path-2}");
}

#[test]
fn an_order_that_is_the_default() {
    let tag = |title| {
        [
            row(format!("http://test.com/tag/{title}?sort=newest"), title),
            row(format!("http://test.com/tag/{title}"), title),
        ]
    };
    let rows: Vec<Row> = TITLES.into_iter().flat_map(tag).collect();
    proposes(&rows, "http://test.com/tag/{path-2}?sort=newest", "http://test.com/tag/{path-2}");
}

#[test]
fn private_messages_are_one_page() {
    let rows: Vec<Row> =
        (0..8).map(|i| row(format!("http://a.com/private-message/set/user{i}"), "login")).collect();
    proposes(&rows, "http://a.com/private-message/set/*", "http://a.com/private-message/set/*");
}
