//! Axes of charts: from values to places, and round values to show.

/// An axis and what it shows.
pub(crate) struct Axis {
    #[cfg_attr(not(feature = "papers"), expect(dead_code, reason = "experiments use it"))]
    pub(crate) label: String,
    pub(crate) from: f64,
    /// Where it ends; as far as the points reach, if not given.
    pub(crate) to: Option<f64>,
}

/// From values to places.
pub(crate) struct Scale {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Scale {
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>, start: f64, end: f64) -> Scale {
        let greatest = axis.to.unwrap_or_else(|| values.fold(axis.from, f64::max));
        let to = if greatest > axis.from { greatest } else { axis.from + 1.0 };
        Scale { from: axis.from, to, start, end }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }

    /// Round values, about five of them, and their places.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = (String, f64)> {
        let rough = (self.to - self.from) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough * 0.999);
        let step = round.unwrap_or(rough);
        let digits = (0..9).take_while(|&digits| step < 0.999 * 0.1f64.powi(digits)).count();
        let (first, last) = ((self.from / step).ceil() as i64, (self.to / step + 1e-9).floor() as i64);
        (first..=last).map(move |n| (format!("{:.digits$}", n as f64 * step), self.at(n as f64 * step)))
    }
}
