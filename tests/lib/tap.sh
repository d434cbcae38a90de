# TAP for shell tests. A test is a bash script that begins with
#
#     . "$(dirname "$0")/../lib/tap.sh"
#
# and ends with done_testing. tools/run-tests sets the environment; by hand `bash tests/cli/X.t` works too.
#
#   WORK        a temporary folder, removed at the end         HOME_DIR   $WORK/home, for `pr init`
#   pr ARG...   the program on that home                       PR_BIN     the binary that pr runs
#   run CMD...  runs it; leaves OUT, ERR and STATUS            db SQL     asks its store, which stays as it is
#
#   ok DESC CMD...            passes when CMD succeeds         not_ok DESC CMD...
#   is GOT WANT DESC          same text                        isnt GOT WANT DESC
#   like GOT REGEX DESC       bash regular expression          unlike GOT REGEX DESC
#   one_line GOT DESC         one line of text; no text is none
#   exits STATUS DESC CMD...  as run, passes on that status
#   pass DESC, fail DESC [DIAG...], diag TEXT, skip DESC WHY, skip_all WHY, done_testing
#   need_terminal             skips the whole file where none can be opened, as in a bare chroot
#
#   newest_file FILE...       which of them was written last
#   as_other CMD...           where root runs this: as somebody else, who can come into WORK and run PR_BIN after
#                             `passable`
#   wall_base NAME            makes a folder outside of /tmp, which is a fresh one behind the wall; prints it. To be removed
#
#   wait_for CMD...           until CMD succeeds, at most WAIT seconds (60); else false
#   shut_door, open_door      in between, a program that says `read -r _ <"$WORK/door"` waits there
#   start_serve [ARG...]      starts the master, waits until it is the master: SERVE_PID, $WORK/serve.log
#   stop_serve                asks it to end; its exit status is SERVE_STATUS
#   kill_serve                kill -9

POSTRIDER_SRC=${POSTRIDER_SRC:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
POSTRIDER_BIN=${POSTRIDER_BIN:-$POSTRIDER_SRC/build-check/postrider}
POSTRIDER_PLAIN_BIN=${POSTRIDER_PLAIN_BIN:-$POSTRIDER_SRC/build/postrider}
PR_BIN=$POSTRIDER_BIN
# Programs of tests write wherever they like; tests of the sandbox unset this.
export POSTRIDER_TEST_SANDBOX=off
WORK=$(mktemp -d "${TMPDIR:-/tmp}/t.XXXXXX") || exit 1
HOME_DIR=$WORK/home
WAIT=60 # costs nothing when all is well; a busy machine needs it
TAP_N=0
TAP_FAILED=0
SERVE_PID=

# Something that never becomes readable: waiting on it with a time limit starts no process.
mkfifo "$WORK/.never" && exec {TAP_NEVER}<>"$WORK/.never" || exit 1

tap_end()
{
    [ -z "$SERVE_PID" ] || kill -KILL "$SERVE_PID" 2>/dev/null
    chmod -R u+rwX "$WORK" 2>/dev/null
    rm -rf "$WORK"
}
trap tap_end EXIT
trap 'exit 1' INT TERM

wall_base()
{
    local folder
    for folder in "${WALL_BASE:-$(dirname "$PR_BIN")}" /srv "$(getent passwd "$(id -u)" | cut -d : -f 6)"; do
        case $(realpath "$folder") in /tmp | /tmp/* | /var/tmp | /var/tmp/*) continue ;; esac
        mktemp -d "$folder/$1.XXXXXX" 2>/dev/null && return
    done
    return 1
}

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
pass() { echo "ok $((++TAP_N)) - $1"; }

fail()
{
    echo "not ok $((++TAP_N)) - $1"
    TAP_FAILED=$((TAP_FAILED + 1))
    shift
    [ $# -eq 0 ] || diag "$@"
    return 1
}

skip() { echo "ok $((++TAP_N)) - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
need_terminal() { python3 -c 'import os; os.openpty()' 2>/dev/null || skip_all 'no terminal can be opened here'; }

done_testing()
{
    echo "1..$TAP_N"
    exit $((TAP_FAILED != 0))
}

run()
{
    "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
    STATUS=$?
    OUT=$(cat "$WORK/.out")
    ERR=$(cat "$WORK/.err")
    return $STATUS
}

ok() { local desc=$1; shift; if run "$@"; then pass "$desc"; else fail "$desc" "exit $STATUS: $*
$OUT$ERR"; fi; }
not_ok() { local desc=$1; shift; if run "$@"; then fail "$desc" "exit 0: $*
$OUT$ERR"; else pass "$desc"; fi; }
is() { if [ "$1" = "$2" ]; then pass "$3"; else fail "$3" "got:  $1
want: $2"; fi; }
isnt() { if [ "$1" != "$2" ]; then pass "$3"; else fail "$3" "got, but should not: $1"; fi; }
like() { if [[ $1 =~ $2 ]]; then pass "$3"; else fail "$3" "got:  $1
want: match of /$2/"; fi; }
unlike() { if [[ $1 =~ $2 ]]; then fail "$3" "got: $1
want: no match of /$2/"; else pass "$3"; fi; }
one_line() { if [[ -n $1 && $1 != *$'\n'* ]]; then pass "$2"; else fail "$2" "got:  $1
want: one line"; fi; }
exits()
{
    local want=$1 desc=$2
    shift 2
    run "$@"
    if [ "$STATUS" = "$want" ]; then pass "$desc"; else fail "$desc" "exit $STATUS, want $want: $*
$OUT$ERR"; fi
}

pr() { "$PR_BIN" --home "$HOME_DIR" "$@"; }

# Files of one tick of the kernel's clock have the same time: then the name tells, which begins with a finer one.
newest_file() { find "$@" -maxdepth 0 -printf '%T@ %f\t%p\n' | sort -k1,1n -k2,2V | tail -n 1 | cut -f 2-; }
as_other() { if [ "$(id -u)" = 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
passable()
{
    local folder=$WORK build
    while [[ $folder = /tmp/* || $folder = /var/tmp/* ]]; do
        chmod o+x "$folder"
        folder=$(dirname "$folder")
    done
    # Built in a home of mode 700, or with umask 077. A shell looks: setpriv may still start what the other may not.
    if ! as_other sh -c '[ -x "$1" ]' - "$PR_BIN"; then
        build=$(dirname "$PR_BIN")
        mkdir "$WORK/bin" && cp -R "$PR_BIN" "$build/share" "$WORK/bin" &&
            find "$build/src" -type f -name 'postrider-*' -perm -u+x -exec cp -t "$WORK/bin" {} + && chmod -R a+rX "$WORK/bin"
        PR_BIN=$WORK/bin/postrider
    fi
}
db() { sqlite3 -readonly -cmd '.timeout 60000' "$HOME_DIR/state/postrider.db" "$1"; }

wait_for()
{
    local end=$((SECONDS + WAIT))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        read -r -t 0.02 -u "$TAP_NEVER"
    done
    return 0
}

shut_door() { rm -f "$WORK/door" && mkfifo "$WORK/door"; }
# Whoever waits reads a line; whoever comes later finds an empty file.
open_door()
{
    local fd
    exec {fd}<>"$WORK/door" && : >"$WORK/door.open" && mv "$WORK/door.open" "$WORK/door" && printf '\n\n\n\n' >&"$fd"
}

serve_is_master() { [ "$(head -n 1 "$HOME_DIR/state/master.lock" 2>/dev/null)" = "$SERVE_PID" ]; }

start_serve()
{
    "$PR_BIN" --home "$HOME_DIR" serve "$@" >>"$WORK/serve.log" 2>&1 </dev/null &
    SERVE_PID=$!
    wait_for serve_is_master || { diag "serve did not start: $(tail "$WORK/serve.log")"; return 1; }
}

serve_end() { kill "-$1" "$SERVE_PID"; wait "$SERVE_PID" 2>/dev/null; SERVE_STATUS=$?; SERVE_PID=; }
stop_serve() { serve_end TERM; }
kill_serve() { serve_end KILL; }
