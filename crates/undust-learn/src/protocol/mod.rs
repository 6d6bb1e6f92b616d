//! The experiments of the papers, done again on labelled pages. One file per paper, one pure function per site: whoever calls it
//! may run sites side by side.

#[cfg(test)]
mod fixed;
pub mod wsdm10;
pub mod www07;
pub mod www10;

/// Sites with fewer labelled URLs than this say nothing.
pub const MIN_URLS: usize = 100;
