//! Scores of one site after the other.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyRecordBatch;
use undust::apply::Form;
use undust::page::Page;
use undust_learn::evaluate::SiteScore;

use super::{BySite, SITE, Stream, table};
use crate::crawl::Crawl;
use crate::rules::RuleSet;

/// Scores rules on batches of labelled rows that are sorted by the column `site`.
#[pyclass(module = "undust")]
pub(crate) struct ScoreStream {
    stream: Stream<SiteScorer>,
}

/// Scores one site after the other.
struct SiteScorer {
    crawl: Crawl,
    done: ScoreRows,
}

#[pymethods]
impl ScoreStream {
    #[new]
    fn new(rules: &RuleSet) -> PyResult<ScoreStream> {
        let crawl = Crawl::new(rules.file(), Form::Key);
        Ok(ScoreStream { stream: Stream::new(SiteScorer { crawl, done: ScoreRows::default() })? })
    }

    /// Take in some rows; those that cannot be read, or have no label, are passed over. Returns a row for each site that is complete.
    fn push(&mut self, py: Python<'_>, batch: AnyRecordBatch) -> PyResult<PyRecordBatch> {
        Ok(self.stream.push(py, batch)?.into())
    }

    /// The rows of the last sites.
    fn finish(&mut self, py: Python<'_>) -> PyRecordBatch {
        self.stream.finish(py).into()
    }
}

impl BySite for SiteScorer {
    fn begin(&mut self, _: &str) {}

    fn add(&mut self, row: Result<Page, String>) {
        if let Ok(page) = row {
            self.crawl.add(&page);
        }
    }

    fn end(&mut self) {
        self.crawl.scorer.finish().sites.into_iter().for_each(|site| self.done.add(&site));
    }

    fn take(&mut self) -> RecordBatch {
        self.done.take()
    }
}

/// Scores as rows of a table.
#[derive(Default)]
struct ScoreRows {
    site: StringBuilder,
    counts: [Int64Builder; 5],
    metrics: [Float64Builder; 3],
}

impl ScoreRows {
    fn add(&mut self, SiteScore { site, score }: &SiteScore) {
        self.site.append_value(site);
        let counts = [score.urls, score.clusters, score.crawled, score.covered, score.rules];
        for (column, count) in self.counts.iter_mut().zip(counts) {
            column.append_value(count.cast_signed());
        }
        let metrics = [score.metrics.precision, score.metrics.recall, score.metrics.f1];
        for (column, metric) in self.metrics.iter_mut().zip(metrics) {
            column.append_value(metric);
        }
    }

    fn take(&mut self) -> RecordBatch {
        let site = self.site.finish();
        let [urls, clusters, crawled, covered, rules] = self.counts.each_mut().map(Int64Builder::finish);
        let [precision, recall, f1] = self.metrics.each_mut().map(Float64Builder::finish);
        table([
            (SITE, Arc::new(site)),
            ("urls", Arc::new(urls)),
            ("clusters", Arc::new(clusters)),
            ("crawled", Arc::new(crawled)),
            ("covered", Arc::new(covered)),
            ("rules", Arc::new(rules)),
            ("precision", Arc::new(precision)),
            ("recall", Arc::new(recall)),
            ("f1", Arc::new(f1)),
        ])
    }
}
