//! The built command on small inputs, bad inputs and real data; the README's commands; the order of the repository.

mod apply;
mod bad_input;
mod data;
mod eval;
mod folder;
mod learn;
mod readme;
mod real_data;
mod rules;
mod tidy;
