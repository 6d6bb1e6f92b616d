//! The network: one sequence of numbers is translated into another.
