//! The neural learner: URLs of a site are translated into canonical ones by a small model (SIGIR 2017).

pub mod network;
