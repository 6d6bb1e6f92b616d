//! The neural learner: URLs of a site are translated into canonical ones by a small model (SIGIR 2017).

pub mod apply;
pub mod corpus;
pub mod distill;
pub mod file;
pub mod learner;
pub mod model;
pub mod network;
pub mod protocol;
pub mod style;
pub mod table;
pub mod targets;
pub mod teach;
pub mod tokens;
pub mod vocabulary;
