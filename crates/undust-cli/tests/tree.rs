//! `undust tree`.

use insta::assert_snapshot;

use crate::folder::Folder;

fn forum() -> Folder {
    let rows = |n: usize| {
        [
            format!("http://a.com/view.php?t={n}\tt{n}"),
            format!("http://a.com/view.php?t={n}&sid=s{n}\tt{n}"),
            format!("http://a.com/user.php?u={n}\tu{n}"),
        ]
    };
    let rows: Vec<String> = (0..40).flat_map(rows).collect();
    Folder::with("forum.tsv", format!("url\tcluster\n{}\nhttp://b.com/\tb\nnonsense\tx\n", rows.join("\n")))
}

#[test]
fn the_patterns_of_sites() {
    assert_snapshot!(forum().undust("tree forum.tsv"), @"
    a.com: 5 patterns

          URLs  duplicates  pattern
           120      33.3 %  http://a.com/*?{...}
            80      50.0 %    http://a.com/view.php?{...}&t=*  [path-1 = view.php]
            40       0.0 %      http://a.com/view.php?t=*  [no sid]
            40       0.0 %      http://a.com/view.php?t=*&sid=*  [sid = *]
            40       0.0 %    http://a.com/user.php?u=*  [path-1 = *]

    b.com: 1 pattern

          URLs  duplicates  pattern
             1       0.0 %  http://b.com/
    = 0
    ");
}

#[test]
fn some_of_it() {
    assert_snapshot!(forum().undust("tree --site a.com --depth 1 --min-urls 41 forum.tsv"), @"
    a.com: 5 patterns

          URLs  duplicates  pattern
           120      33.3 %  http://a.com/*?{...}
            80      50.0 %    http://a.com/view.php?{...}&t=*  [path-1 = view.php]
    = 0
    ");
}

#[test]
fn urls_without_labels() {
    let urls: Vec<String> = (0..12).map(|n| format!("http://a.com/{}/{n}", ["x", "y"][n % 2])).collect();
    assert_snapshot!(Folder::with("urls.txt", urls.join("\n")).undust("tree urls.txt"), @"
    a.com: 3 patterns

          URLs  duplicates  pattern
            12           ?  http://a.com/*/*
             6           ?    http://a.com/x/*  [path-1 = x]
             6           ?    http://a.com/y/*  [path-1 = y]
    = 0
    ");
}

#[test]
fn nodes_in_json() {
    let folder = forum();
    let text = folder.undust("tree --json forum.tsv").fine();
    assert_eq!(text, folder.undust("tree --json --threads 1 forum.tsv").fine());
    let trees: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (site, nodes) = (&trees[0]["site"], trees[0]["nodes"].as_array().expect("nodes"));
    assert_eq!((site, &trees[0]["labelled"]), (&"a.com".into(), &true.into()));
    assert_eq!(
        (&nodes[0]["urls"], &nodes[0]["pages"], &nodes[0]["parent"]),
        (&120.into(), &80.into(), &().into())
    );
    let of_root = nodes.iter().filter(|node| node["parent"] == 0);
    assert_eq!(of_root.map(|node| node["urls"].as_u64().expect("a number")).sum::<u64>(), 120);
    assert!(nodes[1]["told_by"]["key"].is_string() && nodes[1]["example"].is_string(), "{}", nodes[1]);
}

#[test]
fn urls_that_no_pattern_speaks_of() {
    let urls = "http://a.com/x?a=1&a=2\nhttp://a.com/x?a=1\n";
    assert_snapshot!(Folder::with("urls.txt", urls).undust("tree urls.txt"), @"
    a.com: 1 pattern

          URLs  duplicates  pattern
             1           ?  http://a.com/x?a=1
    ! left out, with a user, a fragment, a bare ?, a parameter twice or very many parts: 1 URL
    = 0
    ");
}

#[test]
fn nothing_to_show() {
    let folder = forum().and("none.tsv", "url\tcluster\nnonsense\tx\n");
    assert_eq!(
        folder.undust("tree --site c.com forum.tsv").failed(),
        "undust: the input has no URLs of the site 'c.com'\n"
    );
    assert_eq!(folder.undust("tree none.tsv").failed(), "undust: the input has no full URLs\n");
}
