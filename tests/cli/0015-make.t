#!/usr/bin/env bash
# What `make` builds: all that is installed, and nothing that only tests and benches need.
. "$(dirname "$0")/../lib/tap.sh"
build=$(dirname "$POSTRIDER_PLAIN_BIN")
[ -f "$build/build.ninja" ] || skip_all 'no build without sanitizers'

like "$(make -n -C "$POSTRIDER_SRC" all)" 'ninja -C build program' 'make builds the program'
of_target() { ninja -C "$build" -t query program | sed -n 's/^  *| *//p' | sort; }
installed() { python3 -c 'import json, os, subprocess, sys
paths = json.loads(subprocess.check_output(["meson", "introspect", "--installed", sys.argv[1]]))
print(*sorted(os.path.relpath(p, sys.argv[1]) for p in paths if p.startswith(sys.argv[1] + "/")), sep="\n")' "$build"; }
is "$(of_target)" "$(installed)" 'which is all that is installed'
unlike "$(ninja -C "$build" -t commands program | sed 's/^cd [^&]*&&//')" ' -o (tests|bench)/' 'no test and no bench'
for tool in tests/crash/fault bench/gate_stress; do
    like "$(ninja -C "$build" -t query test-tools)" "$tool" "tests get their $tool"
done
like "$(ninja -C "$build" -t query all)" 'tests/unit/base/test-base-json' 'ninja alone builds all'
done_testing
