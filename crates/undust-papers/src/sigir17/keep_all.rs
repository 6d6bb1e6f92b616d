//! The baseline of the experiment of SIGIR 2017.

use undust::page::Page;

use super::{Canonical, Method};

/// The baseline: every URL is a page of its own, and is crawled.
pub struct KeepAll;

impl Method for KeepAll {
    fn name(&self) -> &'static str {
        "keep-all"
    }

    fn learn(&self, _site: &str, _pages: &[Page]) -> Box<dyn Canonical> {
        Box::new(KeepAll)
    }
}

impl Canonical for KeepAll {
    fn append_key(&mut self, url: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(url);
    }

    fn rules(&self) -> u64 {
        0
    }
}
