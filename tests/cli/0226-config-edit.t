#!/usr/bin/env bash
# An edit of postrider.conf, by any editor, and a question at once: the brain that was just written answers, whichever
# program it needs. And an edit ends the pause of a brain that did not work.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/model.sh"

ROUNDS=${ROUNDS:-112}
PR_BIN=$POSTRIDER_PLAIN_BIN # the rounds are to be quick
conf=$HOME_DIR/postrider.conf

said() # TEXT: a model's whole answer
{
    printf '{"reasoning": "", "status": "complete", "current_phase": "complete", "working_note": "", "bundle_key": "", '
    printf '"add_notes": [], "add_emails": [], "search_emails": [], "search_notes": [], "read_attachments": [], '
    printf '"drop": [], "write_notes": [], "rename_notes": [], "delete_notes": [], '
    printf '"send_emails": [{"to": [], "cc": [], "subject": "", "body": "%s", "in_reply_to": "", "attachments": []}], ' "$1"
    printf '"move_emails": [], "wait": {"for": "reply", "until": "", "then": "remind"}}\n'
}

# What an editor leaves in the file. KIND: a program, a model, nothing that works.
settings() # KIND ROUND
{
    printf '[postrider]\n[account main]\nkind = maildir\n[role envoy]\n'
    case $1 in
        program) printf '[brain default]\nkind = command\ncommand = scripts/say %s\n' "$2" ;;
        model) printf '[brain default]\nkind = openai\nurl = %s/v1\nmodel = m%s\n' "$URL" "$2" ;;
        broken) printf '[brain default]\nkind = command\ncommand = scripts/none-%s\n' "$2" ;;
    esac
}

# The ways of editors. Truncated and written in two pieces; renamed over; renamed away and written anew; copied.
edit() # WAY KIND ROUND
{
    settings "$2" "$3" >"$WORK/new.conf"
    case $1 in
        0) { head -c 40 "$WORK/new.conf"; tail -c +41 "$WORK/new.conf"; } >"$conf" ;;
        1) cp "$WORK/new.conf" "$conf.tmp" && mv "$conf.tmp" "$conf" ;;
        2) mv "$conf" "$conf~" && cat "$WORK/new.conf" >"$conf" ;;
        3) cp -p "$WORK/new.conf" "$conf" ;;
    esac
}

pr init >/dev/null
printf '#!/bin/sh\ncat >/dev/null\necho "program $1"\n' >"$HOME_DIR/scripts/say"
chmod +x "$HOME_DIR/scripts/say"
fake all < <(for ((i = 1; i <= ROUNDS; i++)); do said 'a model said it'; done)
ok 'serve' start_serve || done_testing

right=0 models=0
for ((i = 1; i <= ROUNDS; i++)); do
    # Two in three change the executable that is needed; one in four is the second edit within a moment.
    if ((i % 3)); then kind=program want="program $i"; else kind=model want='a model said it' models=$((models + 1)); fi
    ((i % 4)) || edit $((i / 4 % 4)) broken "$i"
    edit $((i / 3 % 4)) "$kind" "$i"
    if run timeout 20 "$PR_BIN" --home "$HOME_DIR" ask "round $i" && [[ $OUT = *"$want"* ]]; then
        right=$((right + 1))
    else
        diag "round $i, $kind: exit $STATUS: $OUT$ERR"
    fi
done
is "$right" "$ROUNDS" "$ROUNDS of $ROUNDS questions right after an edit are answered by what was written"
is "$(wc -l <"$WORK/all.log")" "$models" 'a model was asked as often as it should'
unlike "$(cat "$HOME_DIR"/mail/you/*/* 2>/dev/null)" 'does not work' 'nobody heard of a brain that does not work'

# A brain that counts as broken; the edit that mends it ends the pause, with no word from anybody.
edit 1 broken x
run pr ask --no-wait 'who mends it'
ok 'a brain that does not work is told' wait_for grep -qr 'does not work' "$HOME_DIR/mail/you/new"
edit 0 program mended
ok 'the edit alone ends its pause' wait_for grep -qr 'program mended' "$HOME_DIR/mail/you"
unlike "$(cat "$WORK/serve.log")" 'settings are refused' 'no half of a file was ever taken for the whole'
stop_serve
is "$SERVE_STATUS" 0 'clean stop'
done_testing
