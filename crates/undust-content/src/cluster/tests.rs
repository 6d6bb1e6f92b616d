//! Clusters of small sites.
