//! Sketches of pages as servers send them: the same page at another time, other pages of one template.

use proptest::prelude::*;

use super::*;

const POST: &str = "I have kept three hives behind the barn since spring, and last week the second one fell silent. \
    There is plenty of honey left, no dead bees on the floor, and the queen cells look as if they had been opened from \
    the side. My neighbour says wax moths, the man in the shop says the bees simply left because the box gets too hot \
    after noon. Has anybody seen this before, and is it safe to give the frames to another colony?";

const OTHER_POST: &str = "Which paint do you use for wooden boxes that stand in full rain all winter long? Linseed oil \
    has to be renewed every year and the cheap acrylic I bought peels off in sheets. I would rather not stand \
    over fumes for a whole weekend with nine boxes, so anything that dries quickly and does not smell of solvents for \
    months would be welcome. Colour does not matter, though the old keeper swears that blue ones are found more easily.";

/// A page of a forum, with what changes from view to view.
fn forum(title: &str, post: &str, time: &str, views: u32, advertisement: &str) -> Sketch {
    let page = format!(
        "<html><head><title>{title}</title><script>var t = '{time}';</script></head><body>
        <ul><li>Home<li>Search the board<li>Members<li>Frequently asked questions<li>Register<li>Log in</ul>
        <div class=ad>{advertisement}</div><p>It is currently {time}. Last visit was: never.</p>
        <h1>{title}</h1><p>{post}</p><p>Viewed {views} times.</p>
        <form>Display posts from previous: <select><option>All posts<option>1 day<option>7 days<option>1 month</select>
        Sort by author, post time or subject, ascending or descending.</form>
        <p>Who is online: users browsing this forum: no registered users and 3 guests. You cannot post new topics in this
        forum. You cannot reply to topics in this forum. You cannot edit your posts in this forum. You cannot delete your
        posts in this forum. You cannot post attachments in this forum.</p>
        <p>Powered by a forum software, all times are UTC. Privacy and terms of use. Contact the administrators.</p>"
    );
    Sketch::new(&Document::read(page.as_bytes(), Some("text/html")), &SketchOptions::default())
}

fn text(text: &str, options: &SketchOptions) -> Sketch {
    Sketch::new(&Document::read(text.as_bytes(), Some("text/plain")), options)
}

fn same(a: &Sketch, b: &Sketch) -> bool {
    a.matches(b, SketchOptions::default().agree)
}

#[test]
fn clocks_counters_and_advertisements_do_not_matter() {
    let one = forum("A silent hive", POST, "Mon 3 Mar 2025 10:02", 117, "Honey jars, now 20 % off");
    let two = forum("A silent hive", POST, "Mon 3 Mar 2025 10:07", 131, "Smokers and veils for every keeper");
    assert!(one.resemblance(&two) < 0.9, "they do change: {}", one.resemblance(&two));
    assert!(same(&one, &two), "{}", one.resemblance(&two));
}

#[test]
fn other_topics_of_one_template_differ() {
    let one = forum("A silent hive", POST, "10:02", 117, "Honey jars");
    let two = forum("Paint for boxes", OTHER_POST, "10:02", 117, "Honey jars");
    assert!(!same(&one, &two));
    assert!(one.resemblance(&two) < 0.7, "also without their titles: {}", one.resemblance(&two));
}

#[test]
fn short_posts_in_a_long_template_differ_by_their_titles() {
    let one = forum("Smoke", "No.", "10:02", 5, "Honey jars");
    let two = forum("Veils", "Yes.", "10:02", 5, "Honey jars");
    assert!(one.resemblance(&two) >= 0.8, "the trap: {}", one.resemblance(&two));
    assert!(!same(&one, &two));
}

#[test]
fn resemblance_of_short_texts_is_exact() {
    let options = SketchOptions { words: 1, ..SketchOptions::default() };
    let resemblance = text("a b c", &options).resemblance(&text("b c d", &options));
    assert!((resemblance - 0.5).abs() < 1e-9);
    assert!(!same(&text("yes", &options), &text("no", &options)));
    assert!(same(&text("yes", &options), &text(" yes\n", &options)));
}

#[test]
fn what_has_no_words_is_compared_by_its_bytes() {
    let options = SketchOptions::default();
    assert!(!same(&text("", &options), &text("...", &options)));
    assert!(same(&text("...", &options), &text("...", &options)));
    assert!(!same(&text("", &options), &text("words", &options)));
    let picture = |bytes: &[u8]| Sketch::new(&Document::read(bytes, Some("image/png")), &options);
    assert!(same(&picture(b"one"), &picture(b"one")));
    assert!(!same(&picture(b"one"), &picture(b"two")));
}

#[test]
fn four_shingles_as_in_the_paper() {
    let options = SketchOptions::dustbuster();
    let one = text(POST, &options);
    // One word less spoils one shingle of many: four seldom see it, all do.
    let all = SketchOptions { shingles: usize::MAX, ..options.clone() };
    let less = |options: &SketchOptions| text(POST, options).resemblance(&text(&POST[2..], options));
    assert!(less(&all) < 1.0 && less(&options) >= 0.75, "{} {}", less(&all), less(&options));
    assert!(one.matches(&text(&POST.replace(' ', "\n"), &options), options.agree));
    assert!(!one.matches(&text(OTHER_POST, &options), options.agree));
}

#[test]
fn scripts_without_spaces_are_read_by_letters() {
    let options = SketchOptions::default();
    let long =
        "養蜂家は春から三つの巣箱を納屋の裏に置いていたが先週二つ目が静かになった蜜はまだ十分に残っている";
    let changed = long.replace("三つ", "四つ");
    assert!(text(long, &options).resemblance(&text(&changed, &options)) > 0.7);
}

proptest! {
    #[test]
    fn estimates_are_near_the_truth(shared in 0_usize..2000, left in 0_usize..2000, right in 0_usize..2000) {
        let words = |from: usize, count: usize| (from..from + count).map(|i| format!("w{i}")).collect::<Vec<_>>().join(" ") + " ";
        let options = SketchOptions { words: 1, ..SketchOptions::default() };
        let one = text(&(words(0, shared) + &words(10_000, left)), &options);
        let two = text(&(words(0, shared) + &words(20_000, right)), &options);
        prop_assume!(shared + left + right > 0);
        let truth = shared as f64 / (shared + left + right) as f64;
        // Five standard deviations.
        prop_assert!((one.resemblance(&two) - truth).abs() <= 0.16, "{} {truth}", one.resemblance(&two));
        prop_assert_eq!(one.resemblance(&two).to_bits(), two.resemblance(&one).to_bits());
    }

    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>, content_type in "[a-z/;=+ -]{0,30}") {
        let document = Document::read(&bytes, Some(&content_type));
        let sketch = Sketch::new(&document, &SketchOptions::default());
        prop_assert!(sketch.matches(&sketch, 1.0));
        let html = String::from_utf8_lossy(&bytes).into_owned() + "<p>";
        Document::read(html.as_bytes(), Some("text/html"));
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let list = |files: Vec<u32>, options: &SketchOptions| {
        let row = |n: &u32| format!("<tr><td>file{n}.txt<td>{}<td>{} KB", n * 7, n * 31);
        let rows: Vec<String> = files.iter().map(row).collect();
        let html = format!("<table>{}</table>", rows.concat());
        Sketch::new(&Document::read(html.as_bytes(), Some("text/html")), options)
    };
    let resemblance = |options: &SketchOptions| {
        list((0..40).collect(), options).resemblance(&list((0..40).rev().collect(), options))
    };
    let options = SketchOptions::default();
    assert!((resemblance(&options) - 1.0).abs() < 1e-9);
    assert!(resemblance(&SketchOptions { rows: false, ..options.clone() }) < 0.8);
    let other = list((0..40).collect(), &options).resemblance(&list((40..80).collect(), &options));
    assert!(other < 0.1, "{other}");
}
