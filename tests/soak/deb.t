#!/usr/bin/env bash
# The package in a fresh Debian: installs with what it needs, works, and leaves nothing behind when removed.
# Needs root and a mirror; takes a few minutes.
. "$(dirname "$0")/../lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'needs root'
command -v debootstrap >/dev/null || skip_all 'no debootstrap'

root=$WORK/root
mounted=
tidy() { [ -z "$mounted" ] || umount "$root/proc"; tap_end; }
trap tidy EXIT
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root chroot "$root" "$@"; }
# What packages own, and what they could leave: not what apt itself keeps.
things()
{
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log \
        -o -path ./tmp -o -path ./etc/ld.so.cache -o -path ./var/lib/systemd \) -prune -o -print | sort)
    inside dpkg-query -W -f '${Package} ${db:Status-Status}\n'
}

ok 'configure' meson setup "$WORK/build" "$POSTRIDER_SRC" --prefix=/usr --buildtype=release
ok 'make deb' "$POSTRIDER_SRC/packaging/build-deb" "$WORK/build" "$WORK/out" || done_testing
deb=$(tail -n 1 <<<"$OUT")

run debootstrap --variant=minbase bookworm "$root" ${DEBIAN_MIRROR:-}
[ "$STATUS" = 0 ] || { skip 'a fresh root' "debootstrap: $(tail -n 1 <<<"$OUT$ERR")"; done_testing; }
pass 'a fresh root'
mount -t proc proc "$root/proc" && mounted=yes
cp "$deb" "$root/tmp/postrider.deb"
ok 'installs with what it depends on' inside apt-get install -y --no-install-recommends /tmp/postrider.deb
is "$(inside dpkg --audit)" '' 'dpkg has no complaint'
ok 'its files are whole' inside dpkg --verify postrider
ok 'init' inside postrider --home /tmp/home init
ok 'ask' inside postrider --home /tmp/home ask hello
like "$OUT" 'Hello, this is envoy' 'is answered'
ok 'the program with libcurl starts' inside postrider --home /tmp/home setup brain --kind command --command 'echo fine' --yes
ok 'installs again over itself' inside dpkg -i /tmp/postrider.deb
ok 'removes' inside apt-get purge -y postrider
is "$(things | grep postrider)" '' 'nothing of that name is left'
things >"$WORK/before"
ok 'once more' inside dpkg -i /tmp/postrider.deb
ok 'used once more' inside postrider --home /tmp/other init
ok 'and removed, without a purge' inside dpkg --remove postrider
things >"$WORK/after"
is "$(diff "$WORK/before" "$WORK/after")" '' 'all is as it was before'
ok "a user's home stays" test -f "$root/tmp/home/postrider.conf"

done_testing
