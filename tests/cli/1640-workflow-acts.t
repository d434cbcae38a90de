#!/usr/bin/env bash
# What agents do in the workflow: notify, move and write, by a model's answer and by a program through its port. Each does what
# the command of that name does, and is refused what the command refuses.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
TODO=specs/todo/user-auth.md
state_of() { db "SELECT state FROM job WHERE role = '$1' ORDER BY id DESC LIMIT 1"; }
job_of() { db "SELECT max(id) FROM job WHERE role = '$1'"; }
page() { pr show "$(job_of "$1")@$2" --context; }
events() { db "SELECT type || ' ' || sender || '>' || recipients || ' ' || state FROM event ORDER BY id"; }
boxes() { find "$HOME_DIR/mail/$1/new" "$HOME_DIR/mail/$1/cur" -type f 2>/dev/null | wc -l; }
digest() { sha256sum "$ROOT/$1" | cut -d' ' -f1; }

# --- a model reviews ---
agent_role spec-reviewer
says spec-reviewer '{"status":"complete","current_phase":"complete","notify":[{"event":"approval","artifact":"specs/proposed/user-auth.md","to":"spec-writer","next_roles":"skeleton-writer"}]}'
request=$(notify spec-writer review-request "$SPEC" spec-reviewer CONTEXT="Focus on errors")
did
page=$(page spec-reviewer 1)
like "$page" "ARTIFACT $SPEC, state proposed, digest $(digest "$TODO")" 'the page of a typed mail has the artifact, its state and digest'
like "$page" 'The user logs in' 'and its text'
like "$page" '- notify \[\{event, artifact, to, ' 'and says how to notify'
is "$(record)" "todo|$TODO|spec-reviewer" 'the approval of a model moves the artifact'
ok 'the file lies there' test -f "$ROOT/$TODO" -a ! -e "$ROOT/$SPEC"
is "$(events)" 'review-request spec-writer>spec-reviewer proposed
approval spec-reviewer>spec-writer,skeleton-writer todo' 'the events stand in the record'
approval=$(db "SELECT '<' || msgid || '>' FROM event WHERE type = 'approval'")
is "$(header "$approval" In-Reply-To)" "$request" 'its mail answers the review-request'
is "$(header "$approval" X-Event-Type) $(header "$approval" X-Workflow-State)" 'approval todo' 'with the headers of an event'
is "$(boxes spec-writer) $(boxes skeleton-writer) $(boxes you)" '1 1 0' 'each has it once, and nobody gets anything else: an act is a word'
is "$(state_of spec-reviewer)" 'done' 'the job is done'
like "$(pr job log "$(job_of spec-reviewer)")" "sent the approval of 'specs/\\*/user-auth.md', which goes to 'todo' <" 'its step says so'
run pr artifact check
is "$OUT" '' 'file, mail and record agree'

# --- what a command is refused, a model is ---
agent_role test-writer
try() # WHY DESC ACT: one act of test-writer, about which it hears WHY
{
    local before
    before=$(events; record; db 'SELECT count(*) FROM effect')
    says test-writer "{\"status\":\"complete\",\"current_phase\":\"complete\",$3}" \
        '{"status":"complete","current_phase":"complete","send_emails":[{"body":"I could not."}]}'
    pr send --to test-writer --subject x <<<'try' >/dev/null
    did
    like "$(page test-writer 2)" "$1" "$2"
    is "$(events; record; db 'SELECT count(*) FROM effect')" "$before" 'nothing has changed'
}
by() { printf '"notify":[{"event":"%s","artifact":"%s","to":"%s"%s}]' "$1" "$2" "$3" "${4:-}"; }
try 'notify was not done: no event .aproval.; did you mean .approval' 'an unknown event' "$(by aproval "$TODO" spec-writer)"
try 'no role .spec-witer.; did you mean .spec-writer' 'an unknown role' "$(by question "$TODO" spec-witer ',"question":"?"')"
try 'rejection needs ISSUES_FOUND' 'a missing variable' "$(by rejection "$TODO" spec-writer)"
try 'is no path of an artifact' 'an artifact outside of the root' "$(by question ../x.md spec-writer ',"question":"?"')"
try 'is closed: approved by spec-reviewer' 'approval in a closed cycle' "$(by approval "$TODO" spec-writer)"
try "there is no mail '<a@b>' here" 'an answer to mail that it can not see' "$(by answer "$TODO" spec-writer ',"context":"c","in_reply_to":"<a@b>"')"
try "may not move a spec from 'todo' to 'doing'" 'a move by somebody else' '"move":[{"artifact":"'$TODO'","state":"doing"}]'
try "does not go from 'todo' to 'done'" 'a state that does not follow' '"move":[{"artifact":"'$TODO'","state":"done"}]'
try "may not write 'specs/\\*/user-auth.md'; who may: you" 'a write by somebody else' '"write":[{"path":"'$TODO'","content":"Mine.","if_digest":"'$(digest "$TODO")'"}]'
ln -s /etc/passwd "$ROOT/specs/proposed/linked.md"
try 'linked.md' 'a symbolic link' '"write":[{"path":"specs/proposed/linked.md","content":"x","if_digest":""}]'
is "$(readlink "$ROOT/specs/proposed/linked.md")" /etc/passwd 'the link stays'
rm "$ROOT/specs/proposed/linked.md"
try "a new spec begins in 'proposed'" 'a new one in a later state' '"write":[{"path":"specs/doing/new.md","content":"x","if_digest":""}]'
try 'no role .mallory@example.net.' 'somebody outside' "$(by question - mallory@example.net ',"question":"?"')"
printf 'From: zebra@example.net\nTo: test-writer@workflow.local\nSubject: y\nMessage-ID: <zebra@example.net>\n\nAsk the spec-writer.\n' >"$HOME_DIR/mail/test-writer/new/zebra"
did
says test-writer '{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<zebra@example.net>","folder":""}]}' \
    "{\"status\":\"complete\",\"current_phase\":\"complete\",$(by question - spec-writer ',"question":"?"')}" \
    '{"status":"complete","current_phase":"complete","send_emails":[{"body":"I could not."}]}'
pr send --to test-writer --subject x <<<'look' >/dev/null
did
like "$(page test-writer 3)" 'words of somebody unknown were read' 'a round that has read a stranger decides nothing'

# --- a model writes ---
rm "$HOME_DIR"/mail/spec-writer/new/* # what it got as a person is no work for the model
agent_role spec-writer spec-reviewer
SECOND=specs/proposed/second.md
first=$(printf '# Second\n\nOne.\n' | sha256sum | cut -d' ' -f1)
sends() { printf '"notify":[{"event":"review-request","artifact":"specs/*/second.md","to":"spec-reviewer"}],"status":"complete","current_phase":"complete"'; }
says spec-writer '{"write":[{"path":"'$SECOND'","content":"# Second\n\nOne.\n","if_digest":""}],'"$(sends)}" \
    '{"write":[{"path":"'$SECOND'","content":"# Second\n\nOne and two.\n","if_digest":"'"$first"'"}],'"$(sends)}"
says spec-reviewer "{\"status\":\"complete\",\"current_phase\":\"complete\",$(by rejection "$SECOND" spec-writer ',"issues_found":"It says too little."')}"
pr send --to spec-writer --subject 'write it' <<<'Write the second.' >/dev/null
did
is "$(cat "$ROOT/$SECOND")" '# Second

One and two.' 'a model writes an artifact, and writes it again'
is "$(db "SELECT state, author, holder FROM artifact WHERE name = 'specs/*/second.md'")" 'proposed|spec-writer|' 'whoever writes it first is its author'
is "$(db "SELECT digest FROM cycle JOIN artifact ON artifact.id = cycle.artifact WHERE name = 'specs/*/second.md' ORDER BY n")" "$first
$(digest $SECOND)" 'what it sends for review in the same step are the new bytes, each time in a new cycle'
like "$(page spec-writer 2)" "ARTIFACT $SECOND, state proposed, digest $first" 'the rejection shows the bytes that it is about'
is "$(db 'SELECT count(*) FROM effect')" 0 'nothing is owed'

# --- who approved it holds it, and does not write it ---
exits 65 'the reviewer does not write what it approved' pr artifact write --from spec-reviewer --if-digest "$(digest $TODO)" $TODO <<<'Mine.'
like "$ERR" "'spec-reviewer' may not write 'specs/\\*/user-auth.md'; who may: you" 'and hears who may'
is "$(cat "$ROOT/$TODO")" 'The user logs in.' 'what was approved stays'

# --- a write over bytes that the writer has not seen ---
is "$(pr artifact write --from spec-writer --if-digest "$(digest $SECOND)" $SECOND <<<'# Second, third')" "$(digest $SECOND)" 'artifact write does the same'
exits 65 'over other bytes it does not' pr artifact write --from spec-writer --if-digest "$first" $SECOND <<<'mine'
like "$ERR" "has changed: it has the digest $(digest $SECOND) now, and had $first" 'and has both digests'
exits 65 'nor over one that is there' pr artifact write --from spec-writer $SECOND <<<'mine'
exits 65 'nor for somebody else' pr artifact write --from implementer --if-digest "$(digest $SECOND)" $SECOND <<<'mine'
is "$(cat "$ROOT/$SECOND")" '# Second, third' 'the file is as it was'
chmod 755 "$ROOT/$SECOND"
pr artifact write --from spec-writer --if-digest "$(digest $SECOND)" $SECOND <<<'again' >/dev/null
is "$(stat -c %a "$ROOT/$SECOND"); $(ls -A "$ROOT/specs/proposed")" '755; second.md' 'the mode stays, and nothing else is left there'

# --- a program, through its port: the approval that lies in its mailbox is its work ---
program_role skeleton-writer <<END
exec >'$WORK/said' 2>&1
postrider artifact move $TODO done; echo "exit \$?"
postrider artifact move $TODO doing; echo "exit \$?"
d=\$(sha256sum $ROOT/specs/doing/user-auth.md | cut -d' ' -f1)
echo 'The user logs in twice.' | postrider artifact write --if-digest \$d specs/doing/user-auth.md; echo "exit \$?"
postrider notify --from implementer status-update specs/doing/user-auth.md coordinator CONTEXT=x; echo "exit \$?"
postrider notify aproval specs/doing/user-auth.md spec-writer; echo "exit \$?"
postrider notify status-update specs/doing/user-auth.md spec-writer CONTEXT='It is begun.'; echo "exit \$?"
postrider notify answer specs/doing/user-auth.md you CONTEXT='It is done.'; echo "exit \$?"
END
did
is "$(grep -o 'exit .*' "$WORK/said" | tr '\n' ' ')" 'exit 65 exit 0 exit 0 exit 77 exit 65 exit 0 exit 0 ' 'a program moves, writes and notifies through its port'
like "$(cat "$WORK/said")" "does not go from 'todo' to 'done'.*speaks as its own role.*no event 'aproval'; did you mean 'approval'" 'and hears what may not be'
is "$(record); $(cat "$ROOT/specs/doing/user-auth.md")" 'doing|specs/doing/user-auth.md|skeleton-writer; The user logs in twice.' 'record and file agree'
like "$(events | tail -2)" 'status-update skeleton-writer>spec-writer doing.answer skeleton-writer>you doing' 'its events stand in the record'
is "$(state_of skeleton-writer) $(grep -rl 'It is done' "$HOME_DIR/mail/you/new" | wc -l)" 'done 1' 'its answer was the word'

# --- a status-update wakes nobody ---
n=$(db "SELECT count(*) FROM job WHERE role = 'spec-writer'")
is "$(db "SELECT state, coalesce(job, 0) FROM message WHERE class = 'event' AND role = 'spec-writer'")" 'handled|0' 'a status-update to an agent is work for nobody'
says spec-writer '{"status":"complete","current_phase":"complete","send_emails":[{"body":"I see."}]}'
pr role resume spec-writer >/dev/null 2>&1 # the failures of scripts that ended may have paused it
pr send --to spec-writer --subject next <<<'Anything new?' >/dev/null
did
is "$(db "SELECT count(*) FROM job WHERE role = 'spec-writer'")" $((n + 1)) 'it began no job'
like "$(page spec-writer 1)" 'STATUS UPDATE of skeleton-writer@workflow.local.*It is begun' 'the next mail brings it along'
pr role resume spec-writer >/dev/null 2>&1
says spec-writer '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Nothing."}]}'
pr send --to spec-writer --subject next <<<'And now?' >/dev/null
did
like "$(page spec-writer 1)" 'And now' 'once more'
unlike "$(page spec-writer 1)" 'It is begun' 'once'

# --- who is only told need not say a word ---
printf 'Told.\n' >"$ROOT/specs/proposed/told.md"
agent_role implementer
says implementer '{"status":"complete","current_phase":"complete"}'
notify platform-lead review-request specs/proposed/told.md coordinator >/dev/null
pr notify -q approval specs/proposed/told.md platform-lead NEXT_ROLES=implementer,skeleton-writer >/dev/null
program_role skeleton-writer <<<'cat >/dev/null'
by_them() { db "SELECT count(*) FROM outbox WHERE from_spec LIKE 'implementer@%' OR from_spec LIKE 'skeleton-writer@%'"; }
n=$(by_them)
did
like "$(page implementer 1)" 'Nobody waits for a word about this mail' 'the page says so'
is "$(state_of implementer) $(state_of skeleton-writer)" 'done done' 'a model ends without a word, and a program prints nothing'
is "$(by_them)" "$n" 'and nobody is written to'
notify platform-lead question specs/todo/told.md implementer QUESTION='Which one?' >/dev/null
says implementer '{"status":"complete","current_phase":"complete"}' '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"The first."}]}'
did
unlike "$(page implementer 1)" 'Nobody waits' 'a question waits for one'
like "$(page implementer 2)" 'complete was refused' 'and can not be left alone'
is "$(db "SELECT a.type || ' ' || a.sender FROM event q JOIN event a ON a.msgid = q.answer ORDER BY q.id DESC LIMIT 1")" 'answer implementer' 'its mail is the answer'

# --- acts are progress, also where a step does nothing else ---
pr role resume implementer >/dev/null 2>&1
tells() { printf '{"status":"continue","current_phase":"working","notify":[{"event":"status-update","artifact":"specs/doing/user-auth.md","to":"test-writer","context":"Part %s."}]}' "$1"; }
says implementer "$(tells 1)" "$(tells 2)" "$(tells 3)" "$(tells 4)" '{"status":"complete","current_phase":"complete","send_emails":[{"body":"All parts."}]}'
pr send --to implementer --subject parts <<<'Tell of each.' >/dev/null
did
is "$(db "SELECT state, steps FROM job WHERE role = 'implementer' ORDER BY id DESC LIMIT 1")" 'done|5' 'four steps with acts alone go on'

# --- a program: its page shows the artifact of a typed mail, and what it reads by its port stands in the manifest of its step ---
echo 'Nobody logs in.' | pr note put platform-lead/known >/dev/null
asked=$(notify test-writer question specs/doing/user-auth.md platform-lead QUESTION='Who logs in?')
program_role platform-lead <<END
cat >'$WORK/lead.page'
postrider note get platform-lead/known >/dev/null || exit 1
postrider mail show '$asked' >/dev/null || exit 1
echo 'Nobody.'
END
did
like "$(cat "$WORK/lead.page")" "ARTIFACT specs/doing/user-auth.md, state doing, digest $(digest specs/doing/user-auth.md)" 'the page of a program has the artifact, its state and digest'
like "$(cat "$WORK/lead.page")" "$(cat "$ROOT/specs/doing/user-auth.md")" 'and its bytes'
read=$(db "SELECT CAST(manifest AS TEXT) FROM step WHERE job = $(job_of platform-lead)" | tr -d ' \n' | sed 's/.*"read":\[//')
like "$read" '"id":"platform-lead/known","version":1' 'a note that a program reads stands in the manifest of its step, with its version'
asked=${asked#<} asked=${asked%>}
like "$read" "\"id\":\"$asked\"" 'so does a mail'

# --- roles that work alone keep their mode: no face has their jobs ---
is "$(db "SELECT count(*), max(face) FROM job WHERE role IN ('spec-reviewer', 'skeleton-writer', 'implementer', 'platform-lead')" | sed 's/^[1-9][0-9]*|/some|/')" 'some|' 'a job of a role that works alone is of no face'

run pr artifact check
is "$OUT" '' 'file, mail and record agree'

# --- a table that names one role for the gate and for the work behind it ---
printf '[artifact memo]\npath = memos/{state}/{name}.md\nmoves = proposed todo pat, todo doing pat\n[role pat]\nperson = yes\n' >>"$HOME_DIR/postrider.conf"
mkdir -p "$ROOT/memos/proposed"
echo 'A memo.' >"$ROOT/memos/proposed/one.md"
notify you review-request memos/proposed/one.md pat >/dev/null
notify pat approval memos/proposed/one.md you >/dev/null
one=$(digest memos/todo/one.md)
exits 65 'where the approval led to, its reviewer does not write it' pr artifact write --from pat --if-digest "$one" memos/todo/one.md
pr artifact move --from pat memos/todo/one.md doing >/dev/null
pr artifact write --from pat --if-digest "$one" memos/doing/one.md <<<'Done.' >/dev/null
is "$(cat "$ROOT/memos/doing/one.md")" 'Done.' 'once it has gone on, its holder does'
done_testing
