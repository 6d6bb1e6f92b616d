//! real_data
