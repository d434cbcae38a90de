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
is "$(of_target | grep -v '^settings-read$')" "$(installed)" 'which is all that is installed'
like "$(of_target)" 'settings-read' 'and a setting that nothing reads fails it'
unlike "$(ninja -C "$build" -t commands program | sed 's/^cd [^&]*&&//')" ' -o (tests|bench)/' 'no test and no bench'
for tool in tests/crash/fault bench/gate_stress; do
    like "$(ninja -C "$build" -t query test-tools)" "$tool" "tests get their $tool"
done
like "$(ninja -C "$build" -t query all)" 'tests/unit/base/test-base-json' 'ninja alone builds all'

# What was built is what is installed, and what was installed can be taken away.
like "$(make -n -C "$POSTRIDER_SRC" install)" 'ninja -C build program.*meson install -C build --no-rebuild' 'install takes what make built'
unlike "$(make -n -C "$POSTRIDER_SRC" install)" 'build-release' 'and compiles nothing a second time'
ok 'install below a folder' env DESTDIR="$WORK/root" meson install -C "$build" --no-rebuild
ok 'the program is there' test -x "$WORK/root/usr/local/bin/postrider"
echo mine >"$WORK/root/usr/local/bin/other"
like "$(make -n -C "$POSTRIDER_SRC" DESTDIR=/x uninstall)" 'tools/uninstall build "/x"' 'make uninstall'
ok 'uninstall' "$POSTRIDER_SRC/tools/uninstall" "$build" "$WORK/root"
is "$(cd "$WORK/root" && find . -type f -o -type l)" ./usr/local/bin/other 'leaves what is not ours, and nothing of ours'
is "$(find "$WORK/root" -name 'postrider*')" '' 'not even a folder'
ok 'again' "$POSTRIDER_SRC/tools/uninstall" "$build" "$WORK/root"
like "$OUT" 'nothing was installed there' 'says that there is nothing'
done_testing
