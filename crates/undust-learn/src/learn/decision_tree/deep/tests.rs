//! The paper's examples, real software's values, and the laws.
