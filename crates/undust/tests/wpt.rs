//! wpt
