# The front of the build. Meson does the work; this file knows which packages a target needs, which
# build directory it uses, and what runs afterwards. `make help` lists the targets.
#
#   build/          what `make` leaves: build/postrider; `make install` installs that
#   build-check/    with AddressSanitizer and UBSan, for the tests
#   build-release/  optimised further, for `make bench`
#   build-deb/      optimised for /usr, and the package itself
#   build-fuzz/     clang and libFuzzer
#   build-mutate/   copies of the tree, for `make mutate`

PREFIX       ?= /usr/local
DESTDIR      ?=
WERROR       ?= true
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
N            ?= 300
SEED         ?= 1
FILES        ?= src/engine/**.c src/store/**.c src/steps/**.c src/mail/**.c

DEPS      = tools/install-deps build
SANITIZE  = -Db_sanitize=address,undefined -Db_lundef=false
# Reports have functions and lines; for a debugger there is build/. What UBSan finds ends the program by an illegal instruction, which
# ASan reports: texts of its own are 8 MB of data in postrider-mail, which each of tens of thousands of processes of a run relocates.
CHECKED   = $(SANITIZE) -Db_pie=false -Doptimization=g -Ddebug=false -Dc_args='-g1 -fsanitize-undefined-trap-on-error'
C_SOURCES = $(shell find src tests bench man -name '*.[ch]')

.PHONY: all prefix check check-build demo demo-briefing demo-plan demo-team bench fuzz soak mutate install uninstall release deb format lint clean help

all: ## build the program at build/postrider
	@$(DEPS)
	@test -f build/build.ninja || meson setup build
	@ninja -C build program

check: check-build ## build with sanitizers and run all tests
	@tools/run-tests

check-build: # all that the tests need, and no test: .ci/run goes on from here
	@$(DEPS) test
	@test -f build/build.ninja || meson setup build
	@test -f build-check/build.ninja || meson setup build-check $(CHECKED) -Dwerror=$(WERROR)
	@ninja -C build program test-tools
	@ninja -C build-check

demo: all ## a few seconds with it: a task, a crash, an answer
	@tools/demo

demo-briefing: all ## a briefing, two replies, one answer
	@tools/demo-briefing

demo-plan: all ## an agent that stops early finishes a plan
	@tools/demo-plan

demo-team: all ## three members review a spec, one dissents, it is mended and moves
	@tools/demo-team

bench: release ## measure against floors, in one run
	@tools/install-deps bench
	@ninja -C build-release
	@tools/run-bench build-release

fuzz: ## fuzz each parser for FUZZ_SECONDS=60, and the verbs by 3,000 runs
	@$(DEPS) fuzz
	@test -f build-fuzz/build.ninja || CC=clang meson setup build-fuzz $(SANITIZE) -Dfuzz=true
	@ninja -C build-fuzz
	@tools/run-fuzz build-fuzz $(FUZZ_SECONDS)
	@tests/fuzz/verbs build-fuzz/postrider --runs 3000

soak: check-build ## long stress tests, SOAK_SECONDS=600 each
	@SOAK_SECONDS=$(SOAK_SECONDS) tools/run-tests --suite soak --time-limit $$(($(SOAK_SECONDS) * 2 + 300))

mutate: ## N=300 small faults on purpose, SEED=1, in FILES='src/store/**.c ...': which does no test notice?
	@$(DEPS) test
	@tools/mutate -n $(N) --seed $(SEED) $(patsubst %,'%',$(FILES))

release:
	@$(DEPS)
	@test -f build-release/build.ninja || meson setup build-release --buildtype=release
	@ninja -C build-release program

# Another prefix than the one that was built for is compiled in anew.
prefix: all
	@test "$$(cat build/.prefix 2>/dev/null || echo /usr/local)" = "$(abspath $(PREFIX))" || \
	    { meson configure build -Dprefix=$(abspath $(PREFIX)) && echo "$(abspath $(PREFIX))" >build/.prefix && ninja -C build program; }

install: prefix ## install below DESTDIR and PREFIX=/usr/local
	@DESTDIR=$(DESTDIR) meson install -C build --no-rebuild

uninstall: ## remove what `make install` installed; homes stay
	@tools/uninstall build "$(DESTDIR)"

deb: ## build a Debian package in build-deb/
	@$(DEPS) deb
	@test -f build-deb/build.ninja || meson setup build-deb --prefix=/usr --buildtype=release
	@packaging/build-deb build-deb build-deb

format: ## clang-format all C files
	@$(DEPS) lint
	@clang-format -i $(C_SOURCES)

lint: all ## layers, clang-tidy and cppcheck over src
	@tools/install-deps lint
	@tools/run-lint build

clean: ## remove all build directories
	rm -rf build build-check build-release build-deb build-fuzz build-mutate

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
