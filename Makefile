# Everything builds into one folder, target/; each command sets up by itself what it needs.
.DEFAULT_GOAL := help
.PHONY: help run build ui dev test lint check bench embedding fuzz clean

help: ## shows this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ui ## builds the server with its web app and starts it
	cargo run --release --package repertoire-cli --bin repertoire -- serve

build: ui ## builds the program with its web app: target/release/repertoire
	cargo build --release --package repertoire-cli --bin repertoire

ui: ## builds the web app, if there is Node: ui/dist
	@scripts/ui build

dev: ## starts a server, and a second one that shows each change of the web app at once
	@scripts/ui dev

test: ## runs every test; sets up Python packages, a PostgreSQL and a browser by itself
	@scripts/test $(ARGS)

lint: ## checks form, lints, documentation and dependencies
	@scripts/lint

check: lint test ## what a change must pass: lint and test

bench: ## measures Repertoire beside its peers
	@scripts/bench $(ARGS)

embedding: ## makes the data of search anew (needs data that is not in the repository; hours without a GPU)
	@scripts/embedding $(ARGS)

fuzz: ## runs each fuzz target for a short while
	@scripts/fuzz

clean: ## removes everything that was built or installed here
	cargo clean
	rm -rf .venv .test fuzz/target fuzz/artifacts fuzz/coverage ui/dist ui/node_modules
