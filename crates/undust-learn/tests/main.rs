//! What the learner finds, what the selection keeps, and what the evaluation says of it.

mod evaluation;
mod examples;
mod honesty;
mod make;
mod odd;
mod selection;
mod theorem;
