//! The built command on small inputs and bad inputs; the documents' commands.

mod again;
mod apply;
mod bad_input;
mod cluster;
mod data;
mod documents;
mod ended;
mod eval;
mod exchange;
mod folder;
mod kdd08;
mod learn;
mod markdown;
mod neural;
mod parquet;
mod redirects;
mod report;
mod rules;
#[expect(dead_code, reason = "the fetcher's tests need more of it")]
#[path = "../../undust-fetch/tests/support/mod.rs"]
mod server;
mod tree;
mod validate;
