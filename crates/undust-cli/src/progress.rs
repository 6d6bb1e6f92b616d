//! Progress bars, on a terminal only (indicatif hides them elsewhere).

use indicatif::{ProgressBar, ProgressStyle};

/// Counts things whose number is not known.
pub(crate) fn spinner(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(style("{spinner} {msg}: {human_pos} ({per_sec})"));
    bar.set_message(what);
    bar
}

/// Counts to `total`.
pub(crate) fn bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(style("{msg} {wide_bar} {human_pos}/{human_len} {eta}"));
    bar.set_message(what);
    bar
}

/// Counts rules to `total`; its message tells what that takes.
pub(crate) fn rules(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(style("rules {wide_bar} {human_pos}/{human_len} {msg}"));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
