#!/usr/bin/env bash
# Members of a panel tell each other what they found in a space of their own, once the ballots are revealed; what the panel decides is
# told to the panels of writers and reviewers. Nobody else sees or enters either.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
says() { echo "{\"verdict\": \"$2\", \"assessment\": \"$3\", \"findings\": []}" >"$WORK/$1.says"; }
for brain in ann ben eve; do
    cat >"$WORK/$brain" <<END
#!/bin/sh
cat >"$WORK/$brain.page"
grep -rl 'internal@' "$HOME_DIR/mail" >>"$WORK/$brain.seen" 2>/dev/null
sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT subject FROM outbox WHERE space IS NOT NULL" >>"$WORK/$brain.seen"
echo "round over" >>"$WORK/$brain.seen"
cat "$WORK/$brain.says"
END
    chmod +x "$WORK/$brain"
    printf '[brain %s]\ncommand = %s\n' $brain "$WORK/$brain" >>"$HOME_DIR/postrider.conf"
    says $brain approve "Fine, says $brain."
done
printf '[panel spec-reviewer-panel]\nmembers = ann, ben, eve\nrule = majority\n[panel spec-writer-panel]\nmembers = ann, ben\n' >>"$HOME_DIR/postrider.conf"
INTERNAL=spec-reviewer-panel-internal DISCUSSION=spec-discussion
once() { pr serve --once >"$WORK/serve.out" 2>&1; }
of_space() { grep -rlE "^To:.*<?$1@workflow.local" "$HOME_DIR/mail/$2/new" "$HOME_DIR/mail/$2/cur" 2>/dev/null; }
review() { echo "About $1." >"specs/proposed/$1.md"; notify spec-writer review-request "specs/proposed/$1.md" spec-reviewer-panel; }

# --- they disagree, and tell each other ---
says eve revise 'Eve misses a timeout.'
request=$(review login)
once
once
is "$(sed -n '1p' "$WORK/ann.seen"; sed -n 1p "$WORK/eve.seen")" 'round over
round over' 'before the reveal no member has told another anything'
like "$(cat "$WORK/ann.page")" 'WHAT THE OTHERS SAID.*Eve misses a timeout' 'afterwards each is shown it'
is "$(for m in ann ben eve; do of_space $INTERNAL spec-reviewer-panel.$m | wc -l; done | tr '\n' ' ')" '2 2 2 ' 'each member has the mail of the two others'
like "$(cat $(of_space $INTERNAL spec-reviewer-panel.ann) | tr '\n' ' ')" 'Eve misses a timeout' 'with what they found'
like "$(cat $(of_space $INTERNAL spec-reviewer-panel.ann))" 'From: .*spec-reviewer-panel.eve@workflow.local' 'from whom'
is "$(db "SELECT count(*), count(DISTINCT in_reply_to) FROM outbox WHERE space = '$INTERNAL'")" '3|2' 'in one thread'
unlike "$(cat $(of_space $INTERNAL spec-reviewer-panel.ann))" "${request//[<>]/}" 'which names no mail of the writer'
is "$(grep -rl 'Eve misses' "$HOME_DIR/mail" | grep -c -v 'spec-reviewer-panel\.\|/spec-reviewer-panel/')" 1 'nobody outside has any, but for the decision'
is "$(db "SELECT talk, face FROM space WHERE name = '$INTERNAL'")" '9|workflow' 'the space has a limit of its own: three mails of each member'
is "$(db "SELECT group_concat(member) FROM (SELECT member FROM space_member WHERE space = '$INTERNAL' ORDER BY member)")" 'spec-reviewer-panel.ann,spec-reviewer-panel.ben,spec-reviewer-panel.eve' 'and no other members'

# --- the decision, told to both panels ---
is "$(record 'specs/*/login.md')" 'todo|specs/todo/login.md|spec-reviewer-panel' 'they decide'
for box in spec-writer-panel spec-reviewer-panel.ben; do
    is "$(of_space $DISCUSSION $box | wc -l)" 1 "$box hears it"
done
like "$(cat $(of_space $DISCUSSION spec-writer-panel) | tr '\n' ' ')" 'Subject: .PANEL. login.md: approve.*Eve misses a timeout' 'with the dissent'
unlike "$(sed '/^$/q' $(of_space $DISCUSSION spec-writer-panel))" '^(References|In-Reply-To):' 'in a new thread'
is "$(db "SELECT count(*) FROM job WHERE role IN ('spec-writer-panel')")" 0 'it is work for nobody'
is "$(of_space $DISCUSSION spec-writer; of_space $INTERNAL spec-writer)" '' 'the writer alone has neither'
is "$(db "SELECT count(*) FROM event WHERE type = 'approval'")" 1 'and one approval'

# --- an outsider ---
shown=$(db "SELECT msgid FROM outbox WHERE space = '$INTERNAL' LIMIT 1")
program_role implementer <<END
exec >'$WORK/tried' 2>&1
postrider mail search timeout; echo "exit \$?"
postrider mail list; echo "exit \$?"
postrider note list spaces; echo "exit \$?"
for id in '$shown' 'none@workflow.local'; do postrider mail show "<\$id>" 2>&1 | sed "s/\$id/ID/"; done >'$WORK/ids'
for to in $INTERNAL $DISCUSSION nobody-at-all; do echo 'Let me in, please.' | postrider send --to \$to@workflow.local --subject x 2>&1 | sed "s/\$to/TO/g"; echo "exit \$?"; done >'$WORK/sent'
echo Done.
END
pr send --to implementer --subject try <<<'Try.' >/dev/null
did
unlike "$(cat "$WORK/tried" "$WORK/ids")" 'Eve|internal|discussion' 'an outsider finds nothing' || diag "$(cat "$WORK/tried")"
is "$(sort "$WORK/ids" | uniq -c | awk '{ print $1 }' | sort -u)" 2 'a mail of the space has the words of one that is not there'
is "$(sort "$WORK/sent" | uniq -c | awk '{ print $1 }' | sort -u)" 3 'its addresses have the words of one that nobody has' || diag "$(cat "$WORK/sent")"
is "$(db "SELECT count(*) FROM outbox WHERE from_spec LIKE 'implementer@%' AND space IS NOT NULL")" 0 'and nothing is written there'

# --- no discussion, no mail; and a death in between ---
n=$(db "SELECT count(*) FROM outbox WHERE space = '$INTERNAL'")
says eve approve 'Now fine.'
review same >/dev/null
once
is "$(db "SELECT count(*) FROM outbox WHERE space = '$INTERNAL'")" "$n" 'where they agree nothing is discussed'
says eve revise 'Eve misses a button.'
review killed >/dev/null
POSTRIDER_DIE_AT=panel-round pr serve --once >/dev/null 2>&1
for hours in 1 2 3; do POSTRIDER_CLOCK=@$(($(date +%s) + hours * 3600)) pr serve --once >/dev/null 2>&1; done
is "$(db "SELECT count(*) FROM outbox WHERE space = '$INTERNAL'")" "$((n + 3))" 'killed on the way: each has told it once'
is "$(db "SELECT count(*) FROM outbox WHERE space = '$DISCUSSION'")" 3 'and the decision was told once'

# --- a panel that writes ---
for m in ann ben; do
    printf '#!/bin/sh\ncase $(cat) in *"You are the primary: decide"*) echo "{\\"summary\\": \\"it ends\\", \\"text\\": \\"It ends.\\"}" ;; *) echo "%s brings an idea" ;; esac\n' $m >"$WORK/$m"
done
pr panel write --sections 'Goals' specs/proposed/made.md 'Sessions must end.' >/dev/null 2>&1
once
like "$(cat $(of_space spec-writer-panel-internal spec-writer-panel.ben) | tr '\n' ' ')" 'ann brings an idea' 'writers tell each other their ideas'
like "$(cat $(of_space spec-writer-panel-internal spec-writer-panel.ben))" 'Starting Section A: Goals' 'and the primary what comes'
exits 0 'doctor is clean' pr doctor
done_testing
