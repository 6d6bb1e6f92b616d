# Each target is what a person would type. The first one lists them all.

# A fresh machine may lack nextest; cargo's own runner gives the same verdict, only slower.
RUN_TESTS = $(if $(shell cargo nextest --version 2>/dev/null),cargo nextest run --workspace,cargo build --package undust-learn --example embed && cargo test --workspace --lib --bins --tests)

# Targets here mostly compile from nothing, where incremental compilation costs more than it gives. `CARGO_INCREMENTAL=1 make ...` wants it.
export CARGO_INCREMENTAL ?= 0

TARGET = $(or $(CARGO_TARGET_DIR),target)

APT_INSTALL = [ "$$(id -u)" = 0 ] && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends
HAS_BROWSER = { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
INSTALL_BROWSER = { $(APT_INSTALL) chromium fonts-dejavu-core; }
HAS_SERVERS = { command -v nginx && command -v apache2 && command -v php && ls /usr/share/dokuwiki; } >/dev/null
INSTALL_SERVERS = { $(APT_INSTALL) nginx-light apache2-bin php-cli php-xml dokuwiki; } >/dev/null

# Labelled sets to do the papers' experiments on, and the learners to compare.
DATA ?= ../shared/data
METHODS ?= dustbuster,rewrite,decision-tree,pattern-tree,seq2seq,auto

.PHONY: help demo test format check rust python browser py spark wheel testwheel servers java bench pybench livebench results

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

demo: ## learn rules from a real site that comes with the program, and show what they save
	cargo build --profile demo --package undust-cli --no-default-features
	$(abspath $(TARGET))/demo/undust demo

# Rust and Python side by side: one compiles while the other installs or waits for a server. What Python says is shown at the end.
test: format browser servers java ## everything that must hold: format, lints, tests, examples in the documentation, the Python package, also on Spark
	@mkdir -p $(PY)
	@$(MAKE) --no-print-directory python >$(PY)/log 2>&1 & python=$$!; \
	$(MAKE) --no-print-directory rust; rust=$$?; \
	wait $$python; python=$$?; \
	cat $(PY)/log; \
	[ $$rust = 0 ] || { echo "make rust failed"; exit 1; }; \
	[ $$python = 0 ] || { echo "make python failed"; exit 1; }

rust: check browser ## the half of `test` without Python
	$(RUN_TESTS)
	cargo test --workspace --doc

python: py spark ## the other half

format:
	cargo fmt --all --check
	cargo fmt --manifest-path benches/peers/Cargo.toml --check

# Clippy also says what Rust of `rust-version` does not have yet (`incompatible_msrv`).
check: format ## format, lints, the documentation's links, and that the command builds without its features
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package undust --package undust-io --package undust-fetch --package undust-cli --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --lib --no-deps --quiet

# A test opens the report in a browser. Where there is none, and nobody may install one, that test alone is skipped.
browser:
	@$(HAS_BROWSER) || $(INSTALL_BROWSER) || echo "no browser: the report is not tested in one (apt-get install chromium, as root)"

# Python 3.10 or later with its module venv; all else is installed into an environment of our own.
PYTHON ?= python3
PY = $(TARGET)/py
MATURIN = $(PY)/venv/bin/maturin build --quiet --manifest-path crates/undust-py/Cargo.toml --interpreter $(PY)/venv/bin/python
PYTEST = $(PY)/venv/bin/pytest --quiet -p no:cacheprovider
INSTALL_WHEEL = $(PY)/venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps

# The wheel brings the command as a script, not inside of its module: maturin takes what is in this folder.
ADD_COMMAND = mkdir -p crates/undust-py/wheel.data/scripts && cp $(TARGET)/$(1)/undust crates/undust-py/wheel.data/scripts/

py: testwheel servers ## the Python package: its wheel, its types and its tests, in an environment of its own
	cd crates/undust-py && $(abspath $(PY))/venv/bin/mypy --cache-dir $(abspath $(PY))/mypy
	UNDUST_WHEEL=$$(echo $(abspath $(PY))/wheel/*.whl) UNDUST_BIN=$(abspath $(PY))/venv/bin/undust \
		$(PYTEST) --ignore crates/undust-py/tests/test_spark.py crates/undust-py

# `make spark MASTER='local-cluster[2,1,1024]'` runs them there instead.
spark: testwheel java ## the Python package on a Spark cluster of its own: a master and two workers on loopback
	UNDUST_SPARK_MASTER='$(MASTER)' $(PYTEST) crates/undust-py/tests/test_spark.py

# Fully optimised, which takes minutes. `pip install --find-links` takes it from there.
WHEELS = $(TARGET)/wheels
wheel: $(PY)/venv/ready ## the Python package as a wheel to install, in target/wheels
	rm -rf $(WHEELS)
	cargo build --profile dist --package undust-cli
	$(call ADD_COMMAND,dist)
	$(MATURIN) --out $(WHEELS)
	@ls $(WHEELS)/*.whl

# For tests it need not be as fast, and is built in less time.
testwheel: $(PY)/venv/ready
	rm -rf $(PY)/wheel
	cargo build --workspace --bin undust --features undust-py/as-tested
	$(call ADD_COMMAND,debug)
	$(MATURIN) --profile dev --features as-tested --out $(PY)/wheel
	$(INSTALL_WHEEL) $(PY)/wheel/*.whl

# Spark runs on Java 17 or later. Where there is none, and nobody may install it, the tests say so and are skipped.
java:
	@command -v java >/dev/null || { $(APT_INSTALL) openjdk-17-jre-headless; } >/dev/null || echo "no Java: Spark is not tested (apt-get install openjdk-17-jre-headless, as root)"

# Exported rules are tried out in the servers they are for, and a wiki is crawled. Where there are none, and nobody may install them, those tests alone are skipped.
servers:
	@$(HAS_SERVERS) || $(INSTALL_SERVERS) || echo "no nginx, Apache or DokuWiki: their tests are skipped (apt-get install nginx-light apache2-bin php-cli php-xml dokuwiki, as root)"

$(PY)/venv/ready: crates/undust-py/requirements-test.txt
	$(PYTHON) -m venv $(PY)/venv || { echo "Python 3.10 or later with its module venv is needed (apt-get install python3-venv)"; exit 1; }
	$(PY)/venv/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

bench: ## how fast it applies, learns and compares, also beside other libraries
	cargo bench --package undust --package undust-learn --package undust-content --package undust-neural --bench '*'
	cargo bench --manifest-path benches/peers/Cargo.toml --target-dir target/peers
	$(MAKE) pybench

pybench: wheel ## only the last part: from Python, beside its libraries
	$(INSTALL_WHEEL) $(WHEELS)/*.whl
	$(PY)/venv/bin/python crates/undust-py/benches/peers.py

livebench: testwheel servers ## what rules save in Scrapy's crawls of Apache and DokuWiki on loopback, by what they were learned from
	$(PY)/venv/bin/python crates/undust-py/benches/live_crawl.py

results: ## the experiments of the papers on the labelled sets in DATA, written to docs/results.md
	cargo build --release --package undust-cli
	scripts/results.sh $(TARGET)/release/undust "$(DATA)" "$(METHODS)" docs/results.md
