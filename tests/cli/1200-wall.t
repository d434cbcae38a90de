#!/usr/bin/env bash
# A program agent behind the wall: tests/peers/wall-tries tries to get out of it. The same tries without a wall all succeed,
# so none of them is there for nothing; what they would have changed is looked at from outside.
. "$(dirname "$0")/../lib/tap.sh"
unset POSTRIDER_TEST_SANDBOX
TRIES=$POSTRIDER_SRC/tests/peers/wall-tries
BASE=$(wall_base wall) || exit 1
WITNESSES=()
end() { for pid in "${WITNESSES[@]}"; do kill "$pid" 2>/dev/null; done; rm -rf "$BASE"; tap_end; }
trap end EXIT
command -v bwrap >/dev/null || skip_all 'no bubblewrap here'
bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all 'bubblewrap does not work here'

canary() { mkdir -p "$(dirname "$1")" && echo CANARY >"$1"; }
git_() { git -c user.name=t -c user.email=t@t -C "$@"; }

# A machine with things to be found: ROOM/home, ROOM/op (the operator's own), ROOM/repo, ROOM/tmp (in /tmp).
furnish()
{
    local f
    ROOM=$BASE/$1 HOME=$BASE/$1/op HOME_DIR=$BASE/$1/home
    mkdir -p "$HOME" "$WORK/$1" && ln -s "$WORK/$1" "$ROOM/tmp" && canary "$ROOM/tmp/secret"
    for f in .ssh/id_ed25519 .gnupg/secring .aws/credentials .netrc .config/gh/hosts.yml .bash_history .codex/auth.json \
        .bashrc keys/model; do canary "$HOME/$f"; done
    chmod 600 "$HOME/keys/model"
    cp "$TRIES" "$ROOM/wall-tries"
    git init -q -b main "$ROOM/repo" && echo a >"$ROOM/repo/a" && git_ "$ROOM/repo" add a && git_ "$ROOM/repo" commit -qm one
    git_ "$ROOM/repo" worktree add -q -b work "$ROOM/tree" 2>/dev/null
    pr init >/dev/null
    printf '# CANARY\n[trust]\nallow = guest@example.org\nrequire-auth = none\n[role clerk]\n[brain model]\nkind = openai\nmodel = m\nkey-file = %s\n' "$HOME/keys/model" >>"$HOME_DIR/postrider.conf"
    canary "$HOME_DIR/secrets/model.key"; chmod 600 "$HOME_DIR/secrets/model.key"
    for f in in/x out/x log/stream tree/x; do canary "$HOME_DIR/work/envoy/77/$f"; done
    canary "$HOME_DIR/work/clerk/5/in/x"
    pr config set 'role envoy' workdir "$ROOM/tree" >/dev/null
    echo CANARY | pr send --to clerk@postrider.local --subject CANARY >/dev/null
    echo CANARY | pr note put clerk/plan >/dev/null
    pr serve --once >/dev/null 2>&1 # clerk answers: mail in both mailboxes, a log, an index
    pr index >/dev/null 2>&1
    echo CANARY >>"$HOME_DIR/log/postrider.log"
    "$TRIES" witness "$ROOM" & WITNESSES+=($!)
    wait_for [ -s "$ROOM/witness" ]
}
# All that the tries would change, as it is now
outside() { (cd "$ROOM" && find home/postrider.conf home/key home/notes home/mail/clerk home/work/envoy/77 op repo/a repo/.git/config \
    repo/.git/hooks wall-tries -type f ! -path '*/cur/*' -exec sha256sum {} + | sort -k 2; ls repo/.git); }
# work_on [bare]: the agent tries everything, with a key in the session's keyring
work_on()
{
    local words
    words=$(tr ' ' , <"$ROOM/witness")
    pr config set 'brain default' command "$ROOM/wall-tries $ROOM $words $*" >/dev/null
    BEFORE=$(outside)
    python3 - "$PR_BIN" --home "$HOME_DIR" ask $'Try it all.\n\ncanary' >"$WORK/ask.out" 2>&1 <<'END'
import ctypes, os, sys
libc = ctypes.CDLL(None)
add_key, keyctl = (217, 219) if os.uname().machine == "aarch64" else (248, 250)
libc.syscall(keyctl, 1, 0)  # a session keyring of our own
libc.syscall(add_key, b"user", b"postrider-canary", b"CANARY", 6, -3)
os.environ["POSTRIDER_CANARY"] = "CANARY"
os.execv(sys.argv[1], sys.argv[1:])
END
    JOB=$(ls "$HOME_DIR/work/envoy" | grep -v 77)
    REPORT=$HOME_DIR/work/envoy/$JOB/report
    ok "the agent came to its end" grep -q '^[a-z]* sockets_of_services\|^[a-z]* daemon' "$REPORT"
}
daemons() { pgrep -f "postrider-daemon-$(basename "$ROOM")"; }

# --- without a wall, each try succeeds ---
furnish bare
pr config set 'role envoy' sandbox off >/dev/null
work_on bare
while read -r how name why; do
    [ "$how" = got ] && pass "without a wall: $name" || fail "without a wall: ${name%:}" "$why"
done <"$REPORT"
is "$(sort -u "$ROOM/heard" | tr '\n' ' ')" 'abstract_socket loopback name_server signal_another socket_in_tmp socket_of_the_master ' \
    'and the witness heard of it'
ok 'what it left behind goes on working' wait_for daemons
kill $(daemons)

# --- with one, none does ---
furnish walled
pr config set 'role envoy' sandbox required >/dev/null
pr config set 'role envoy' net none >/dev/null
work_on
n=0
while read -r how name why; do
    n=$((n + 1))
    [ "$how" = none ] && pass "behind the wall: ${name%:}" || fail "behind the wall: $name"
done <"$REPORT"
ok "$n tries were made" [ "$n" -ge 60 ]
is "$(outside)" "$BEFORE" 'nothing outside has changed'
ok 'the witness heard nothing' [ ! -s "$ROOM/heard" ]
not_ok 'no daemon is left' daemons
answer=$(grep -l 'I tried it all' "$HOME_DIR"/mail/you/new/*)
ok 'it answers' [ -n "$answer" ]
python3 - "$answer" >"$WORK/attached" <<'END'
import email, sys
for part in email.message_from_binary_file(open(sys.argv[1], "rb")).walk():
    if part.get_filename():
        print(part.get_filename(), part.get_payload(decode=True))
END
not_ok 'and no file that goes with the answer has any of it' grep -qi canary "$WORK/attached"

# --- what it costs ---
: >"$HOME_DIR/work/envoy/$JOB/port.sock"
python3 - "$HOME_DIR/work/envoy/$JOB/argv" >"$WORK/cost" <<'END'
import statistics, subprocess, sys, time
argv = open(sys.argv[1], "rb").read().split(b"\0")
def start(wall):
    def once():
        began = time.monotonic()
        subprocess.run([*wall, "/bin/true"], check=True)
        return (time.monotonic() - began) * 1000
    return statistics.median(once() for _ in range(20))
bare, walled = start([]), start(argv[:argv.index(b"--") + 1])
print(f"a start takes {bare:.1f} ms, behind the wall {walled:.1f} ms (median of 20, {len(argv)} words)")
END
like "$(cat "$WORK/cost")" 'behind the wall' 'the wall was built 20 times'
diag "$(cat "$WORK/cost")"

# --- root has more to lose; most people are not root ---
if [ "$(id -u)" = 0 ]; then
    passable
    chmod o+rx "$BASE" && mkdir "$BASE/other" && chown 65534:65534 "$BASE/other"
    if as_other sh -c 'cd "$1" && [ -r "$2" ]' - "$BASE/other" "$TRIES"; then
        as_other env WALL_BASE="$BASE/other" TMPDIR=/tmp POSTRIDER_BIN="$PR_BIN" bash "$POSTRIDER_SRC/tests/cli/1200-wall.t" >"$WORK/other" 2>&1
        is "$?" 0 'the same holds for somebody who is not root' || diag "$(grep -A 4 '^not ok' "$WORK/other")"
    else
        skip 'the same holds for somebody who is not root' 'who cannot come here'
    fi
fi
done_testing
