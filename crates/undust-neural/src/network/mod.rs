//! The network: one sequence of tokens is translated into another.
//!
//! An encoder and a decoder, each a gated recurrent unit of one layer (Cho et al. 2014; the candidate's reset gate as in cuDNN, so that
//! the three gates are one matrix product), over one table of embeddings that are as long as the hidden state. The decoder starts
//! from the encoder's last state. Nothing is padded: the rows of a batch stand in order of their length, and a step is worked out
//! for those that have it.
//!
//! A network that copies reads in both directions and can repeat what it has read, see [`Shape::copies`].
//!
//! One thread works on one network: a batch is too small to be worth splitting. The same seed gives the same bits on the same machine.

mod copying;
mod curves;
mod decode;
#[cfg(feature = "gpu")]
pub mod gpu;
mod gradient;
mod gru;
mod layout;
mod matrix;
mod memory;
mod optimize;
mod random;
mod steps;
mod train;

pub use decode::{Allowed, Decoder, Translation};
pub use layout::{BadTensor, Copying, Layout, MAX_TOKENS_MATCHED, Network, Shape, Tensor};
pub use optimize::Optimizer;
pub use train::{Training, loss, train};

/// A word of the vocabulary, by its number.
pub type Token = u16;

/// Ends every translation, and is the decoder's first input.
pub const END: Token = 0;

/// A sequence and its translation, to learn from. Neither holds [`END`], which is added where it is needed.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// What is read.
    pub source: Vec<Token>,
    /// What should be written.
    pub target: Vec<Token>,
    /// How often the pair counts.
    pub weight: f32,
}
