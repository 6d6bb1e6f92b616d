//! Files to pages: the outside world of undust.
//!
//! [`read`] turns any crawl, index, log or URL list into [`Page`](undust::page::Page)s. The format is recognised by
//! content, compression by magic bytes, and a bad line is counted and sampled instead of ending the run.
//!
//! ```no_run
//! use undust_io::{ReadOptions, read};
//!
//! let mut pages = Vec::new();
//! let summary = read("crawl.cdx.gz".as_ref(), &ReadOptions::default(), &mut |page| pages.push(page))?;
//! assert_eq!(summary.pages, pages.len() as u64);
//! # Ok::<(), undust_io::ReadError>(())
//! ```
//!
//! How the data flows: [`open`] gives an [`Input`] of plain bytes, or a folder; its head names the [`Format`]; [`blocks`]
//! cuts the rest into blocks of whole lines (WARC files into records, folders into files) that are parsed side by side
//! and handed on in order; [`group`] collects pages by site, on disk where memory is short. [`write_atomically`] is the
//! way back out.
//!
//! This crate knows nothing of rules or learners, and never prints.

mod error;
mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod problems;

pub mod blocks;
mod decompress;
mod in_order;
mod input;
mod unzstd;
mod utf16;

mod detect;
mod formats;
mod read;

pub mod group;
pub mod guard;
mod rows;
#[cfg(feature = "arrow")]
mod table;
mod write;

pub use error::{LineError, ReadError, ReadErrorKind};
pub use format::{Format, UnknownFormat};
pub use input::{Input, open};
#[cfg(feature = "parquet")]
pub use parquet::{AddedColumn, write_with_column};
pub use problems::{Problem, Problems};
pub use read::{ReadOptions, Summary, read, read_input, try_read_input, try_read_prepared};
pub use rows::write_pages;
#[cfg(feature = "arrow")]
pub use table::{Texts, is_page_column, pages_of, text_of};
pub use write::{check_writable, write_atomically};
