//! Line charts as SVG: small, the same bytes for the same data, legible on light and dark screens and on paper.
//!
//! Our own, since the crate at hand (`plotters`) writes fixed colours, which cannot follow the reader's.

use crate::markup::escaped;
use crate::scale::{Axis, Scale};

/// A line chart.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// A line.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Size of a chart, and of the plot in it.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 424.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 252.0;
/// The names of lines stand above the plot, so many beside each other, and each further row takes room from the plot.
const NAMES: usize = 2;
const NAMES_HEIGHT: f64 = 16.0;
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
.s4 { stroke: #a6761d }
.s5 { stroke: #777; stroke-dasharray: 6 3 }
.s6 { stroke: #7570b3; stroke-dasharray: 2 3 }
.s7 { stroke: #d7191c; stroke-dasharray: 9 3 2 3 }
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

/// Number of kinds of lines in [`STYLE`].
const KINDS: usize = 8;

/// `charts` in a grid under one title.
pub(crate) fn svg(title: &str, charts: &[Chart]) -> String {
    let columns = charts.len().clamp(1, COLUMNS);
    let (width, height) = (columns as f64 * WIDTH, charts.len().div_ceil(columns) as f64 * HEIGHT + HEAD);
    let size = format!("width=\"{width}\" height=\"{height}\"");
    let mut parts = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" {size} role=\"img\">"
        ),
        format!("<title>{}</title>\n<style>\n{STYLE}</style>\n<rect class=\"back\" {size}/>", escaped(title)),
        text((LEFT, 26.0), "class=\"title head\"", title),
    ];
    for (n, chart) in charts.iter().enumerate() {
        let (x, y) = ((n % columns) as f64 * WIDTH, (n / columns) as f64 * HEIGHT + HEAD);
        parts.push(format!("<g transform=\"translate({x} {y})\">"));
        chart.draw(&mut parts);
        parts.push("</g>".to_owned());
    }
    parts.push("</svg>\n".to_owned());
    parts.join("\n")
}

impl Chart {
    fn draw(&self, out: &mut Vec<String>) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(&self.x, points().map(|point| point.0), LEFT, RIGHT);
        let top = TOP + self.series.len().div_ceil(NAMES).saturating_sub(1) as f64 * NAMES_HEIGHT;
        let y = Scale::new(&self.y, points().map(|point| point.1), BOTTOM, top);
        out.push(text((LEFT, 18.0), "class=\"title\"", &self.title));
        for (value, at) in x.ticks() {
            out.push(line("grid", (at, top), (at, BOTTOM)));
            out.push(text((at, BOTTOM + 16.0), MIDDLE, &value));
        }
        for (value, at) in y.ticks() {
            out.push(line("grid", (LEFT, at), (RIGHT, at)));
            out.push(text((LEFT - 6.0, at + 4.0), "text-anchor=\"end\"", &value));
        }
        out.push(line("axis", (LEFT, BOTTOM), (RIGHT, BOTTOM)));
        out.push(line("axis", (LEFT, top), (LEFT, BOTTOM)));
        out.push(text((f64::midpoint(LEFT, RIGHT), BOTTOM + 34.0), MIDDLE, &self.x.label));
        let upwards = format!("{MIDDLE} transform=\"rotate(-90)\"");
        out.push(text((-f64::midpoint(top, BOTTOM), 14.0), &upwards, &self.y.label));
        for (n, series) in self.series.iter().enumerate() {
            let at = LEFT + (n % NAMES) as f64 * (RIGHT - LEFT) / NAMES as f64;
            let below = 36.0 + (n / NAMES) as f64 * NAMES_HEIGHT;
            let class = format!("line s{}", n % KINDS);
            out.push(line(&class, (at, below), (at + 24.0, below)));
            out.push(text((at + 30.0, below + 4.0), "", &series.name));
            let point = |(a, b): &(f64, f64)| format!("{:.1},{:.1}", x.at(*a), y.at(*b));
            let points: Vec<String> = series.points.iter().map(point).collect();
            out.push(format!("<polyline class=\"{class}\" points=\"{}\"/>", points.join(" ")));
        }
    }
}

const MIDDLE: &str = "text-anchor=\"middle\"";

fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>")
}

fn text((x, y): (f64, f64), how: &str, text: &str) -> String {
    format!("<text {how} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(title: &str) -> Chart {
        let series =
            |name: &str, points: &[(f64, f64)]| Series { name: name.to_owned(), points: points.to_vec() };
        Chart {
            title: title.to_owned(),
            x: Axis { label: "k".to_owned(), from: 0.0, to: None },
            y: Axis { label: "share".to_owned(), from: 0.0, to: Some(1.0) },
            series: vec![series("a < b", &[(0.0, 0.0), (40.0, 0.5)]), series("none", &[])],
        }
    }

    #[test]
    fn a_grid_of_charts_is_xml() {
        let charts: Vec<Chart> = ["1", "2", "3", "R&D"].map(chart).into();
        let text = svg("All of <it>", &charts);
        let tree = roxmltree::Document::parse(&text).expect("well-formed XML");
        let all = |tag| tree.descendants().filter(move |node| node.has_tag_name(tag));
        assert_eq!(
            all("g").filter_map(|g| g.attribute("transform")).collect::<Vec<_>>(),
            ["translate(0 40)", "translate(440 40)", "translate(880 40)", "translate(0 340)",]
        );
        assert_eq!(tree.root_element().attribute("viewBox"), Some("0 0 1320 640"));
        assert_eq!(all("title").next().and_then(|title| title.text()), Some("All of <it>"));
        assert!(all("text").any(|node| node.text() == Some("R&D")));
    }

    #[test]
    fn points_and_ticks_are_where_they_belong() {
        let text = svg("", &[chart("")]);
        let tree = roxmltree::Document::parse(&text).expect("well-formed XML");
        let lines: Vec<_> = tree.descendants().filter_map(|node| node.attribute("points")).collect();
        assert_eq!(lines, ["56.0,252.0 424.0,154.0", ""]);
        let ticks: Vec<_> = tree.descendants().filter(|node| node.has_attribute("text-anchor")).collect();
        let ticks: Vec<_> = ticks.iter().filter_map(roxmltree::Node::text).collect();
        let expected = ["0", "10", "20", "30", "40", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "k", "share"];
        assert_eq!(ticks, expected);
    }

    #[test]
    fn many_names_take_room_from_the_plot() {
        let series = |name: &str| Series { name: name.to_owned(), points: vec![(0.0, 1.0)] };
        let text = svg("", &[Chart { series: ["a", "b", "c", "d", "e"].map(series).into(), ..chart("") }]);
        let tree = roxmltree::Document::parse(&text).expect("well-formed XML");
        let place = |name: &str| {
            let node = tree.descendants().find(|n| n.has_tag_name("text") && n.text() == Some(name));
            let node = node.expect("a name");
            (node.attribute("x"), node.attribute("y"))
        };
        let names = ["a", "b", "c", "d", "e"].map(place);
        let at = |x, y| (Some(x), Some(y));
        let (left, right) = ("86.0", "270.0");
        let rows =
            [at(left, "40.0"), at(right, "40.0"), at(left, "56.0"), at(right, "56.0"), at(left, "72.0")];
        assert_eq!(names, rows);
        assert!(text.contains("points=\"56.0,88.0\""), "two rows more: the plot begins lower\n{text}");
    }

    #[test]
    fn nothing_to_draw() {
        let empty = Chart { series: Vec::new(), ..chart("empty") };
        let text = svg("", &[empty]) + &svg("", &[]);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}
