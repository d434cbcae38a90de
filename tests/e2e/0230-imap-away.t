#!/usr/bin/env bash
# A server that is away, refuses us or can't be trusted; a wire that is cut; and what idling and starting cost.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
silent_port
imap_home
FORWARD=
plug() { "$POSTRIDER_SRC/tests/lib/forward" "$PORT" "$IMAPS_PORT" "$WORK/wire" & FORWARD=$!; wait_for grep -q up "$WORK/wire"; }
cut_wire() { kill "$FORWARD" && wait "$FORWARD" 2>/dev/null; : >"$WORK/wire"; }
trap '[ -z "$FORWARD" ] || kill "$FORWARD" 2>/dev/null; imap_end' EXIT
: >"$WORK/wire"
works() { ! pr status | grep -q "account 'work' does not work"; }
status_says() { pr status | grep -qE "account 'work' does not work: .*($1)"; }
told() { grep -c 'the account does not work' "$WORK/serve.log"; }

box append INBOX "${IMAP_OLD:-1000}"

# Away
start_serve
ok "nobody listens: status says so" wait_for status_says ''
pid=$(remote_pid)
plug
ok "when the server is back, so are we" wait_for visited
ok "and status has forgotten" wait_for works
is "$(remote_pid)" "$pid" "it is the same process: nobody was restarted"
is "$(told)" 1 "it was told once"

# Cut while it idles
cut_wire
ok "a cut wire is noticed at once" wait_for status_says ''
box send 1 you@postrider.local agent@test.example 'in between'
plug
ok "mail that came meanwhile is work" wait_for box_has postrider/Done 'in between'
ok "it works again" wait_for works

# Only what is watched
box append Sent 2 you@postrider.local
box append Trash 2 you@postrider.local
box append Elsewhere 1 you@postrider.local
box send 1 you@postrider.local agent@test.example 'a second'
ok "the next one" wait_for box_has postrider/Done 'a second'
is "$(jobs)" 2 "mail in other folders is nobody's business"

# Idle
wait_for works
wait_for nothing_owed
# still: three seconds in which nothing happens; leaves COST in ticks and who is there, BEFORE and AFTER
still()
{
    wait_for calm
    local used
    used=$(ticks) BEFORE=$(at_work)
    read -r -t 3 -u "$TAP_NEVER" # what does not happen has no event to wait for
    COST=$(($(ticks) - used)) AFTER=$(at_work)
    [ "$COST" = 0 ] && [ "$AFTER" = "$BEFORE" ]
}
still || still # once a minute the master looks round, which may fall into one of two
is "$COST" 0 "idling costs nothing"
is "$AFTER" "$BEFORE" "and starts nobody"
stop_serve

# Starting again reads only what is new
cut_wire
plug
box send 1 you@postrider.local agent@test.example 'the only new one'
exits 0 "one pass" pr account work --once
wait_for grep -q '^[0-9]' "$WORK/wire"
heard=$(grep '^[0-9]' "$WORK/wire" | tail -1)
ok "$heard bytes were read, with ${IMAP_OLD:-1000} mails lying there" [ "$heard" -lt 20000 ]

# Refused
echo wrong >"$HOME_DIR/secret"
: >"$WORK/serve.log"
exits 78 "a wrong password, by hand" pr account work --once
unlike "$ERR" 'wrong' "is not shown"
start_serve
ok "status says so" wait_for status_says 'login|refuse|AUTH|auth'
echo agent-pw >"$HOME_DIR/secret"
kill -HUP "$SERVE_PID"
ok "with the right one and SIGHUP it works" wait_for works
ok "and what the pass has fetched is work" wait_for has_jobs 3
stop_serve
chmod 644 "$HOME_DIR/secret"
exits 78 "a password file that others can read" pr account work --once
like "$ERR" 'chmod 600' "says what to do"
chmod 600 "$HOME_DIR/secret"

pr config set 'account work' password-command 'cat secret'
exits 0 "the password of a command" pr account work --once
pr config set 'account work' password-command 'sh -c "echo agent-pw; exit 3"'
exits 78 "a command that fails gives none" pr account work --once
unlike "$ERR" 'agent-pw' "and is not repeated"
pr config set 'account work' password-command 'cat secret'

# Not to be trusted
"$mailserver" certs "$WORK/other" >/dev/null 2>&1
pr config set 'account work' ca-file "$WORK/other/ca.pem"
: >"$WORK/serve.log"
exits 78 "a certificate of somebody else" pr account work --once
like "$ERR" 'certificate' "is named"
start_serve
ok "status names it" wait_for status_says certificate
read -r -t 2 -u "$TAP_NEVER" # long enough for whoever would be started again; that nobody is has no event
is "$(grep -c "ended, and should not have" "$WORK/serve.log")" 0 "and nothing is started over and over"
stop_serve
is "$(jobs)" 3 "no other mail became work"
done_testing
