//! Every learner that experiments know by name, with its usual settings: the one place to add another.

use undust_learn::learn::pool::Pool;
use undust_learn::learn::{self, Learner};
use undust_neural::auto;
use undust_neural::learner::Seq2seq;

/// All of them.
pub fn all() -> Vec<Box<dyn Learner>> {
    let mut learners = learn::all();
    learners.push(Box::new(Seq2seq::default()));
    learners.push(Box::new(Pool::new(auto::members())));
    learners
}
