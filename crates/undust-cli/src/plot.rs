//! Line charts as SVG: small, the same bytes for the same data, legible on light and dark screens and on paper.
//!
//! Our own, since the crate at hand (`plotters`) writes fixed colours, which cannot follow the reader's.

use std::fmt::Write;

/// A line chart.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// An axis and what it shows.
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) from: f64,
    /// Where it ends; as far as the points reach, if not given.
    pub(crate) to: Option<f64>,
}

/// A line.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// One chart takes so much room, and its plot so much of that.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 424.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 252.0;
/// Above all charts.
const HEAD: f64 = 40.0;
/// Beside each other.
const COLUMNS: usize = 3;

/// Lines differ in colour and in dashes: both survive some printers. Colours after Okabe and Ito. On paper it is always light.
const STYLE: &str = "\
text { font: 12px sans-serif; fill: #222 }
.title { font-weight: bold }
.head { font-size: 15px }
.back { fill: #fff }
.grid { stroke: #ddd }
.axis { stroke: #222 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.s0 { stroke: #0072b2 }
.s1 { stroke: #d55e00; stroke-dasharray: 6 3 }
.s2 { stroke: #009e73; stroke-dasharray: 2 3 }
.s3 { stroke: #cc79a7; stroke-dasharray: 9 3 2 3 }
@media screen and (prefers-color-scheme: dark) {
text { fill: #ddd }
.back { fill: #181818 }
.grid { stroke: #3c3c3c }
.axis { stroke: #ddd }
.s0 { stroke: #56b4e9 }
.s1 { stroke: #e69f00 }
.s2 { stroke: #2bc79a }
}
";

/// So many kinds of lines there are in [`STYLE`].
const KINDS: usize = 4;

/// `charts` in a grid under one title.
pub(crate) fn svg(title: &str, charts: &[Chart]) -> String {
    let columns = charts.len().clamp(1, COLUMNS);
    let (width, height) = (columns as f64 * WIDTH, charts.len().div_ceil(columns) as f64 * HEIGHT + HEAD);
    let mut out = String::new();
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">"
        ),
    );
    put(&mut out, format_args!("<title>{}</title>\n<style>\n{STYLE}</style>", escaped(title)));
    put(&mut out, format_args!("<rect class=\"back\" width=\"{width}\" height=\"{height}\"/>"));
    text(&mut out, (LEFT, 26.0), "title head", title);
    for (n, chart) in charts.iter().enumerate() {
        let (x, y) = ((n % columns) as f64 * WIDTH, (n / columns) as f64 * HEIGHT + HEAD);
        put(&mut out, format_args!("<g transform=\"translate({x} {y})\">"));
        chart.draw(&mut out);
        put(&mut out, format_args!("</g>"));
    }
    put(&mut out, format_args!("</svg>"));
    out
}

impl Chart {
    fn draw(&self, out: &mut String) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(&self.x, points().map(|point| point.0), LEFT, RIGHT);
        let y = Scale::new(&self.y, points().map(|point| point.1), BOTTOM, TOP);
        text(out, (LEFT, 18.0), "title", &self.title);
        for (value, at) in x.ticks() {
            line(out, "grid", (at, TOP), (at, BOTTOM));
            anchored(out, (at, BOTTOM + 16.0), "middle", &value);
        }
        for (value, at) in y.ticks() {
            line(out, "grid", (LEFT, at), (RIGHT, at));
            anchored(out, (LEFT - 6.0, at + 4.0), "end", &value);
        }
        line(out, "axis", (LEFT, BOTTOM), (RIGHT, BOTTOM));
        line(out, "axis", (LEFT, TOP), (LEFT, BOTTOM));
        anchored(out, (f64::midpoint(LEFT, RIGHT), BOTTOM + 34.0), "middle", &self.x.label);
        let (turn, label) = (f64::midpoint(TOP, BOTTOM), escaped(&self.y.label));
        put(
            out,
            format_args!(
                "<text transform=\"translate(14 {turn}) rotate(-90)\" text-anchor=\"middle\">{label}</text>"
            ),
        );
        for (n, series) in self.series.iter().enumerate() {
            let at = LEFT + n as f64 * (RIGHT - LEFT) / self.series.len() as f64;
            line(out, &format!("line s{}", n % KINDS), (at, 36.0), (at + 24.0, 36.0));
            text(out, (at + 30.0, 40.0), "", &series.name);
            series.draw(out, n % KINDS, &x, &y);
        }
    }
}

impl Series {
    fn draw(&self, out: &mut String, kind: usize, x: &Scale, y: &Scale) {
        let point = |(a, b): &(f64, f64)| format!("{:.1},{:.1}", x.at(*a), y.at(*b));
        let points: Vec<String> = self.points.iter().map(point).collect();
        put(out, format_args!("<polyline class=\"line s{kind}\" points=\"{}\"/>", points.join(" ")));
    }
}

/// From values to places.
struct Scale {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, start: f64, end: f64) -> Scale {
        let greatest = axis.to.unwrap_or_else(|| values.fold(axis.from, f64::max));
        let to = if greatest > axis.from { greatest } else { axis.from + 1.0 };
        Scale { from: axis.from, to, start, end }
    }

    fn at(&self, value: f64) -> f64 {
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }

    /// Round values, about five of them, and their places.
    fn ticks(&self) -> impl Iterator<Item = (String, f64)> {
        let rough = (self.to - self.from) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let digits = if step >= 1.0 { 0 } else { (-step.log10().floor()) as usize };
        let first = (self.from / step).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        (first..=last).map(move |n| (format!("{:.digits$}", n as f64 * step), self.at(n as f64 * step)))
    }
}

fn put(out: &mut String, line: std::fmt::Arguments) {
    // A string takes whatever is written to it.
    let _ = writeln!(out, "{line}");
}

fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    put(
        out,
        format_args!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"),
    );
}

fn text(out: &mut String, (x, y): (f64, f64), class: &str, text: &str) {
    put(out, format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text)));
}

fn anchored(out: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    put(
        out,
        format_args!("<text text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text)),
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
