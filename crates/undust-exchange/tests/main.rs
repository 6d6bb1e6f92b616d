//! Exports and imports as their users see them.

#[expect(dead_code, reason = "the tests of the rules need more of it")]
#[path = "../../undust/tests/generate.rs"]
mod generate;
mod import;
mod plain;
mod redirects;
