//! Content of fetched pages: text, title, fingerprints, and clusters of pages with the same content.
//!
//! [`Document::read`] turns the bytes of an answer into visible text and a title; [`Sketch`] is the small part of it
//! that is compared. [`pairs_within`] finds those of many fingerprints that differ in few bits.
//!
//! ```
//! use undust_content::{Document, Sketch, SketchOptions};
//!
//! let options = SketchOptions::default();
//! let sketch = |html: &str| Sketch::new(&Document::read(html.as_bytes(), Some("text/html")), &options);
//! let one = sketch("<title>Bees</title><p>Bees are flying insects, close to wasps and ants.");
//! let same = sketch("<title>Bees</title>\n<div>Bees are <b>flying</b> insects, close to wasps and ants.</div>");
//! assert!(one.matches(&same, options.agree));
//! ```
//!
//! Pure computation: no network, files or clocks, and no threads but those of the caller. The bytes come from strangers,
//! so time and stack are bounded for every input.

mod body;
mod boilerplate;
mod charset;
pub mod cluster;
mod declared;
mod document;
mod echoes;
mod hamming;
mod html;
mod imprint;
mod sample;
mod simhash;
mod sketch;
mod text_features;
mod volatile;
mod weights;
mod words;

pub use body::{read_body, resolve};
pub use document::Document;
pub use hamming::pairs_within;
pub use imprint::Imprint;
pub use simhash::simhash;
pub use sketch::{Sketch, SketchOptions};
pub use words::recorded as recorded_words;
