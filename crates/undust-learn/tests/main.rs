//! What the learner finds, what the selection keeps, and what the evaluation says of it.

mod auto;
mod decision_tree;
mod dustbuster;
mod embed;
mod evaluation;
mod examples;
mod honesty;
mod make;
mod odd;
mod pattern_tree;
mod selection;
mod theorem;
