//! `export` and `import`.
