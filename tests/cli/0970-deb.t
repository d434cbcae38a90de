#!/usr/bin/env bash
# The Debian package: what is in it, and that it works from where it was unpacked. That it installs and removes
# cleanly in a fresh root is tests/soak/deb.t.
. "$(dirname "$0")/../lib/tap.sh"
for tool in dpkg-deb dpkg-shlibdeps strip; do command -v $tool >/dev/null || skip_all "no $tool"; done

build=$(dirname "$POSTRIDER_PLAIN_BIN")
ok 'make deb' "$POSTRIDER_SRC/packaging/build-deb" "$build" "$WORK/out" || done_testing
deb=$(tail -n 1 <<<"$OUT")
ok 'its name is on the last line' test -f "$deb"
like "$(basename "$deb")" "^postrider_[0-9.]+_$(dpkg --print-architecture)\.deb$" 'and has version and architecture'

files=$(dpkg-deb -c "$deb" | awk '{ print $1, $2, $6 }')
for file in ./usr/bin/postrider ./usr/libexec/postrider/postrider-{limit,mail,net,setup} ./usr/share/man/man1/postrider.1.gz \
    ./usr/share/man/man1/postrider-setup.1.gz ./usr/share/man/man5/postrider.conf.5.gz \
    ./usr/share/bash-completion/completions/postrider ./usr/share/fish/vendor_completions.d/postrider.fish ./usr/share/postrider/prices.conf ./usr/share/postrider/plugin/.mcp.json \
    ./usr/lib/systemd/user/postrider.service ./usr/share/doc/postrider/{copyright,changelog.gz,README.md,mutt.md}; do
    like "$files" " root/root ${file//./\\.}" "has $file"
done
is "$(awk '$2 != "root/root"' <<<"$files")" '' 'all of it root:root'
is "$(grep '^-....w\|^-.......w\|^-..s\|^-.....s' <<<"$files")" '' 'nothing that others may write, nothing setuid'
is "$(awk '{ print $3 }' <<<"$files" | grep -v '^\./\(usr/.*\)\?$')" '' 'nothing outside /usr'
dpkg-deb -e "$deb" "$WORK/ctl"
is "$(ls "$WORK/ctl" | tr '\n' ' ')" 'control md5sums ' 'no scripts, no conffiles'
depends=$(dpkg-deb -f "$deb" Depends)
for library in libc6 libglib2.0-0 libgmime-3.0-0 libsqlite3-0 libcurl4 libjansson4; do
    like "$depends" "$library( |,|$)" "depends on $library"
done

ok 'unpack' dpkg-deb -x "$deb" "$WORK/root"
ok 'sums are right' sh -c "cd '$WORK/root' && md5sum --quiet -c '$WORK/ctl/md5sums'"
PR_BIN=$WORK/root/usr/bin/postrider
ok 'init, from there' pr init
ok 'ask' pr ask hello
like "$OUT" 'Hello, this is envoy' 'is answered'
ok 'setup finds its program' pr setup
run pr setup service --print --system
like "$OUT" "ExecStart=\"$WORK/root/usr/bin/postrider\"" 'and the one that it would start'
unlike "$(readelf -S "$PR_BIN" 2>/dev/null)" 'debug_info' 'programs are stripped'
if command -v systemd-analyze >/dev/null; then
    sed "s|\"/usr/bin/postrider\"|$PR_BIN|" "$WORK/root/usr/lib/systemd/user/postrider.service" >"$WORK/postrider.service"
    ok 'its unit passes systemd-analyze' env XDG_RUNTIME_DIR="$WORK" SYSTEMD_LOG_LEVEL=warning \
        systemd-analyze verify --user --man=no "$WORK/postrider.service"
else
    skip 'its unit passes systemd-analyze' 'no systemd-analyze'
fi
if command -v lintian >/dev/null; then
    ok 'lintian has no error' lintian --fail-on error "$deb"
else
    skip 'lintian has no error' 'no lintian'
fi

done_testing
