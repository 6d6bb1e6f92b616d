//! The example program, which cargo builds beside the tests.

use std::process::Command;

#[test]
fn the_example_learns_saves_loads_canonicalizes_and_explains() {
    let tests = std::env::current_exe().expect("a test has a path");
    let target = tests.ancestors().nth(2).expect("tests are in target/PROFILE/deps");
    let run =
        Command::new(target.join("examples/embed")).output().expect("the example is built with the tests");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let printed = String::from_utf8(run.stdout).expect("text");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "http://shop.example/item?id=4711");
    assert!(lines.len() == 2 && lines[1].contains("sid"), "{printed}");
}
