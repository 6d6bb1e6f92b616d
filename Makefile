# Each target is what a person would type. The first one lists them all.

# A fresh machine may lack nextest; cargo's own runner gives the same verdict, only slower.
RUN_TESTS = $(if $(shell cargo nextest --version 2>/dev/null),cargo nextest run --workspace,cargo test --workspace --lib --bins --tests)

HAS_BROWSER = { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
INSTALL_BROWSER = { [ "$$(id -u)" = 0 ] && apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; }

# Labelled sets to do the papers' experiments on, and the learners to compare.
DATA ?= ../shared/data
METHODS ?= dustbuster,rewrite,decision-tree,pattern-tree,seq2seq,auto

.PHONY: help demo test check browser bench results

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

demo: ## learn rules from a real site that comes with the program, and show what they save
	cargo build --release --package undust-cli
	./target/release/undust demo

test: check browser ## everything that must hold: format, lints, tests, examples in the documentation
	$(RUN_TESTS)
	cargo test --workspace --doc

check: ## format and lints only
	cargo fmt --all --check
	cargo fmt --manifest-path benches/peers/Cargo.toml --check
	cargo clippy --workspace --all-targets -- -D warnings

# A test opens the report in a browser. Where there is none, and nobody may install one, that test alone is skipped.
browser:
	@$(HAS_BROWSER) || $(INSTALL_BROWSER) || echo "no browser: the report is not tested in one (apt-get install chromium, as root)"

bench: ## how fast it applies, learns and compares, also beside other libraries
	cargo bench --package undust --package undust-learn --package undust-content --package undust-neural --bench '*'
	cargo bench --manifest-path benches/peers/Cargo.toml --target-dir target/peers

results: ## the experiments of the papers on the labelled sets in DATA, written to docs/results.md
	cargo build --release --package undust-cli
	scripts/results.sh $${CARGO_TARGET_DIR:-target}/release/undust "$(DATA)" "$(METHODS)" docs/results.md
