//! Pictures: what is saved by what may be lost, and learners beside each other.

use undust_learn::pipeline::Contribution;
use undust_learn::survey::Point;

use super::html::{Html, bar, said, tag, tag_with, text};
use super::page::{Report, Section};
use crate::messages::{counted, in_percent, percent_asked, percent_at_most, thousands};
use crate::scale::{Axis, Scale};

/// Size of the chart, and of the plot in it.
const VIEW: &str = "0 0 420 250";
const LEFT: f64 = 46.0;
const RIGHT: f64 = 408.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 204.0;

/// A chart with more points is no more telling.
const MAX_CURVE_POINTS: usize = 120;

/// Nothing where rules were not judged.
pub(super) fn trade_off(report: &Report) -> Option<Section> {
    if report.curve.is_empty() {
        return None;
    }
    let lead = "How much is saved, by the share of pages that may be lost. The chosen rules are taken one after the other, the safest first: a smaller limit would have kept the first of them, a larger one would have let in others, not shown here.";
    let curve = Curve::new(thinned(&report.curve), report.facts.total.urls, report.facts.config.max_fpr);
    let keys = [
        ("i.bound", "may be lost (95 % confidence)"),
        ("i.seen", "lost on held-out URLs"),
        ("i.limit", "the limit, --max-fpr"),
    ];
    let keys = keys.map(|(sign, what)| tag("li", [tag(sign, []), text(what)]));
    let body = tag("figure", [curve.draw(), tag("ul.legend", keys)]);
    Some(Section { id: "trade-off", title: "Trade-off", lead: text(lead), body })
}

/// Not too many points; the last is always there.
fn thinned(points: &[Point]) -> Vec<Point> {
    let step = points.len().div_ceil(MAX_CURVE_POINTS).max(1);
    points.iter().rev().step_by(step).rev().copied().collect()
}

struct Curve {
    points: Vec<Point>,
    urls: u64,
    max_fpr: f64,
    x: Across,
    y: Scale,
}

impl Curve {
    fn new(points: Vec<Point>, urls: u64, max_fpr: f64) -> Curve {
        let shares = || points.iter().map(|point| point.max_fpr).chain([max_fpr]);
        let x = Across::new(shares().fold(1.0, f64::min), shares().fold(0.0, f64::max));
        // In per cent, which is how the axis is labelled; with some air above.
        let saved = points.iter().map(|point| 112.0 * point.saved as f64 / urls.max(1) as f64);
        let y = Scale::new(&Axis { label: String::new(), from: 0.0, to: None }, saved, BOTTOM, TOP);
        Curve { points, urls, max_fpr, x, y }
    }

    fn draw(&self) -> Html {
        let attributes = [("viewBox", VIEW.to_owned()), ("role", "img".to_owned())];
        let bound = self.steps(|point| point.max_fpr);
        let area = format!("{bound}V{BOTTOM}H{LEFT}Z");
        let parts = [
            said("title", "URLs saved, by the share of pages that may be lost"),
            self.grid(),
            path("path.area", area),
            path("path.seen", self.steps(|point| point.lost)),
            path("path.bound", bound),
            self.limit(),
            self.points.iter().filter(|point| self.is_best(point)).map(|point| self.dot(point)).collect(),
        ];
        tag_with("svg.chart", &attributes, parts)
    }

    fn grid(&self) -> Html {
        let across = self.x.ticks().map(|(value, at)| {
            let number = label("text.middle", (at, BOTTOM + 16.0), &value);
            [line("line.grid", (at, TOP), (at, BOTTOM)), number].into_iter().collect::<Html>()
        });
        let up = self.y.ticks().map(|(value, at)| {
            let number = label("text.end", (LEFT - 6.0, at + 4.0), &value);
            [line("line.grid", (LEFT, at), (RIGHT, at)), number].into_iter().collect::<Html>()
        });
        let names = [
            label("text.middle", (f64::midpoint(LEFT, RIGHT), BOTTOM + 36.0), "pages lost, %"),
            label("text", (4.0, 11.0), "URLs saved, %"),
        ];
        across.chain(up).chain(names).collect()
    }

    /// Stairs up: under each limit, what the best of the points to the left of it saves.
    fn steps(&self, limit: fn(&Point) -> f64) -> String {
        let mut places: Vec<(f64, f64)> =
            self.points.iter().map(|point| (self.x.at(limit(point)), self.height(point))).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = BOTTOM;
        let steps = places.into_iter().map(|(x, y)| {
            // Upwards is less.
            best = best.min(y);
            format!("H{x:.1}V{best:.1}")
        });
        let steps: String = steps.collect();
        format!("M{LEFT},{BOTTOM}{steps}H{RIGHT}")
    }

    fn height(&self, point: &Point) -> f64 {
        self.y.at(100.0 * point.saved as f64 / self.urls.max(1) as f64)
    }

    fn limit(&self) -> Html {
        let at = self.x.at(self.max_fpr);
        let name = label("text.end", (at - 5.0, BOTTOM - 6.0), &percent_asked(self.max_fpr));
        [line("line.limit", (at, TOP), (at, BOTTOM)), name].into_iter().collect()
    }

    /// Points that others beat are not worth a dot.
    fn is_best(&self, point: &Point) -> bool {
        !self.points.iter().any(|other| other.max_fpr <= point.max_fpr && other.saved > point.saved)
    }

    fn dot(&self, point: &Point) -> Html {
        let attributes = [
            ("cx", format!("{:.1}", self.x.at(point.max_fpr))),
            ("cy", format!("{:.1}", self.height(point))),
            ("r", "2.5".to_owned()),
        ];
        let what = format!(
            "{}: {} saved, at most {} of the pages lost",
            counted(point.rules, "rule"),
            counted(point.saved, "URL"),
            percent_at_most(point.max_fpr)
        );
        tag_with("circle", &attributes, [said("title", what)])
    }
}

/// Shares of pages from left to right, each as far from its double as any other: limits are thought of in this way.
struct Across {
    /// The least and the greatest share that is shown.
    from: f64,
    to: f64,
}

impl Across {
    /// Reaches from one share to another, with some air.
    fn new(least: f64, greatest: f64) -> Across {
        let from = (least / 2.0).clamp(1e-6, 0.1);
        Across { from, to: (greatest * 1.5).max(from * 10.0) }
    }

    /// The place of a share; what is less than can be shown is at the left end.
    fn at(&self, share: f64) -> f64 {
        let part = (share.max(self.from) / self.from).ln() / (self.to / self.from).ln();
        LEFT + part * (RIGHT - LEFT)
    }

    /// Round shares, in per cent, and their places; fewer of them where there are many.
    fn ticks(&self) -> impl Iterator<Item = (String, f64)> {
        let digits: &[f64] = if self.to / self.from > 500.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let round = (-6..2).flat_map(move |power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        let is_shown = |share: &f64| (self.from..=self.to).contains(share);
        round.filter(is_shown).map(|share| (in_percent(share), self.at(share)))
    }
}

fn path(name: &'static str, d: String) -> Html {
    tag_with(name, &[("d", d)], [])
}

fn line(name: &'static str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Html {
    let attributes =
        [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)].map(|(key, at)| (key, format!("{at:.1}")));
    tag_with(name, &attributes, [])
}

fn label(name: &'static str, (x, y): (f64, f64), words: &str) -> Html {
    tag_with(name, &[("x", format!("{x:.1}")), ("y", format!("{y:.1}"))], [text(words)])
}

/// Nothing where it is not known who proposed what.
pub(super) fn learners(report: &Report) -> Option<Section> {
    let mut learners: Vec<(&String, &Contribution)> = report.collected.learners.iter().collect();
    if learners.is_empty() {
        return None;
    }
    learners.sort_by_key(|(_, learner)| std::cmp::Reverse(learner.saved));
    let most = learners[0].1.saved.max(1);
    let seconds = &report.facts.seconds;
    let row = |(name, learner): (&String, &Contribution)| {
        let number = |n: u64| said("td.number", thousands(n));
        let took = seconds.get(name).map(|seconds| said("td.number", format!("{seconds:.1}")));
        let cells = [
            said("th", name),
            number(learner.candidates),
            number(learner.rules),
            number(learner.saved),
            tag("td.share", [bar("span.bar", learner.saved as f64 / most as f64, 1.0)]),
        ];
        tag("tr", cells.into_iter().chain(took))
    };
    let columns = ["learner", "proposed", "kept", "URLs saved", ""];
    let columns = columns.into_iter().chain((!seconds.is_empty()).then_some("seconds"));
    let head = tag("thead", [tag("tr", columns.map(|column| said("th", column)))]);
    let table = tag("table", [head, tag("tbody", learners.into_iter().map(row))]);
    let lead = "Rules proposed, those of them kept, and the URLs that these save. A rule that several proposed counts for the first.";
    Some(Section { id: "learners", title: "Learners", lead: text(lead), body: tag("div.scroll", [table]) })
}
