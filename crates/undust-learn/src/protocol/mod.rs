//! The experiments of the papers, done again on labelled pages. One file per paper, one pure function per site: whoever calls it
//! may run sites side by side.

pub mod www07;
