//! Exports and imports as their users see them.
