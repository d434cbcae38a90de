#!/usr/bin/env bash
# Every verb with input that is wrong: one clear line, the right exit status, nothing lost.
. "$(dirname "$0")/../lib/tap.sh"

esc=$'\033]0;pwn\007'
bad=$'\377\376x'
# All but the marks by which doctor knows an unchanged note file: it renews them when they have aged.
state() { sqlite3 "$HOME_DIR/state/postrider.db" .dump | sed -E "/^INSERT INTO clock VALUES/d" | sed -E '/^INSERT INTO note VALUES/s/(,[0-9]+){3}\);$/);/' | sha256sum; }

pr init >/dev/null
pr ask hello >/dev/null
before=$(state)

verbs=$("$PR_BIN" help --rows | sed -n 's/^\([a-z]*\)\t.*/\1/p')
for verb in $verbs; do
    [ "$verb" = sendmail ] && continue # takes any option, as sendmail does
    exits 64 "$verb: an unknown option" pr "$verb" --no-such-option
    one_line "$ERR" "$verb: one line"
    run pr "$verb" "--$esc"
    unlike "$ERR$OUT" $'[\033\007]' "$verb: an escape sequence is echoed escaped"
    run pr help "$verb"
    is "$STATUS" 0 "$verb: has help"
done

# Operands that are missing, too many, or nonsense.
for line in 'show' 'show 1 2' 'stop' 'stop x' 'stop 1 2' 'continue' 'continue x' 'cancel' 'cancel x' 'watch x' \
    'config nix' 'config set a' 'doctor x' 'backup' 'restore' 'serve x' 'job nix' 'job show' 'mail nix' 'mail show' \
    'mail thread' 'mail trace' 'mail search' 'outbox nix' 'outbox show' 'outbox approve' 'send' 'send x' 'receive' \
    'account' 'nix' 'job list --limit -1' 'outbox list --limit -1' 'continue --steps x 1' 'status x' \
    'fork' 'fork x' 'job log' 'job log 1 2' 'every' 'every x' 'every list x' 'every remove' 'every now x' 'cost x' 'cost --by x' \
    'cost --since x' 'run --timers 1'; do
    # shellcheck disable=SC2086
    exits 64 "$line" pr $line
    one_line "$ERR" "$line: one line"
done
exits 64 'a home without a name' "$PR_BIN" status --home
for line in 'show 99' 'stop 99' 'cancel 99' 'continue 99' 'outbox show 99' 'mail show 99' 'job show 99' 'run 99' 'account nix' \
    'fork 99' 'fork 1@99' 'show 1@99' 'job log 99' 'every remove 99' 'every now 99' 'every 1h --to nix -s x'; do
    # shellcheck disable=SC2086
    run pr $line
    like "$STATUS" '^(65|66|75)$' "$line: no such thing"
    one_line "$ERR" "$line: one line"
done
for line in 'send --to envoy --subject x --attach nix' 'inject --subject x --attach nix' 'ask -a nix hello' 'inject nix' 'note put a nix'; do
    # shellcheck disable=SC2086
    exits 66 "$line: no such file" pr $line
    one_line "$ERR" "$line: one line"
done
exits 65 'a sender who is none' pr inject --subject x --from 'bad address'
like "$ERR" "'bad address' is no address" 'is not taken for a role'
for line in 'inject --subject x --max-iterations 3' 'resume --max-iterations 3'; do
    # shellcheck disable=SC2086
    run pr $line
    like "$ERR" '--max-iterations counts with --run; nothing is run now' "$line: it is said that this does nothing"
done

# Escape sequences and bytes that are no text, wherever they are typed.
for arg in "$esc" "$bad"; do
    for line in '' 'show' 'stop' 'watch' 'mail' 'mail show' 'mail thread' 'mail trace' 'mail list --role' 'mail list --state' \
        'outbox show' 'job' 'job list --role' 'job list --state' 'config' 'account' 'ask --to' 'send --to' 'receive --role' \
        'inject --role' 'doctor --release' 'run' 'help' 'restore' 'fork' 'job log' 'every' 'every remove' 'every 1h -s x --to' \
        'cost --by' 'cost --since'; do
        # shellcheck disable=SC2086
        run pr $line "$arg"
        isnt "$STATUS" 0 "$(printf '%q' "$line ${arg@Q}"): is refused"
        unlike "$ERR$OUT" $'[\033\007]' 'and not echoed as it is'
    done
done
long=$(head -c 120000 /dev/zero | tr '\0' x)
for line in 'show' 'mail show' 'mail trace' 'stop' 'job list --role' 'outbox show'; do
    # shellcheck disable=SC2086
    run pr $line "$long"
    like "$STATUS" '^6[46]$' "$line with a very long operand"
done
for line in 'show' 'stop' 'watch' 'mail show' 'outbox show' 'job show' 'backup' 'restore' 'account'; do
    # shellcheck disable=SC2086
    run pr $line ''
    like "$STATUS" '^6[46]$' "$line with an empty operand"
done

# Standard output that is closed, full, or left by its reader.
for line in 'status' 'job list --all' 'show 1' 'mail list' 'mail show 1' 'mail show --raw 1' 'mail thread 1' 'mail trace 1' \
    'mail search hello' 'outbox list --all' 'config show' 'doctor' 'help' 'help mail' '--version' 'watch 1'; do
    # shellcheck disable=SC2086
    pr $line >/dev/full 2>"$WORK/err"
    is $? 74 "$line > /dev/full"
    is "$(wc -l <"$WORK/err")" 1 'is one line'
    # shellcheck disable=SC2086
    pr $line >&- 2>"$WORK/err"
    isnt $? 0 "$line >&-"
done
is "$(state)" "$before" 'and the store is as it was'

for n in 0 1 2; do
    case $n in
    0) pr mail list <&- >"$WORK/out" 2>&1 ;;
    1) pr mail list 2>&1 >&- | cat >"$WORK/out" ;;
    2) pr mail list 2>&- >"$WORK/out" ;;
    esac
    ok "the store survives without descriptor $n" sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'PRAGMA quick_check'
done
exits 0 'and is well' pr doctor

done_testing
