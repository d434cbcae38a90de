#!/usr/bin/env bash
# Notes that instruct are changed only by the operator and in rounds whose askers may all steer.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home
pr config set 'role envoy' max-iterations 8
pr config set notes instruct 'policy/ rules/one'
add_person bob@postrider.local ask
add_person kim@postrider.local ask steer
printf '\n[role scribe]\naddress = scribe@postrider.local\nbrain = default\nmode = steps\n' >>"$HOME_DIR/postrider.conf"
exits 0 'the setting is one' pr config check
for key in policy/a rules/one rules/two README/x; do echo first | pr note put "$key" >/dev/null; done
pass_once
# Mail of a person, as their own program sends it; what is to do is done.
asks() # FROM SUBJECT [HEADER...], text on stdin
{
    local from=$1 subject=$2
    shift 2
    { printf 'From: %s@postrider.local\nTo: envoy@postrider.local\nSubject: %s\n' "$from" "$subject"
      [ $# -eq 0 ] || printf '%s\n' "$@"; echo; cat; } | pr sendmail -t && pr deliver && pass_once
}
may() { db "SELECT may FROM job ORDER BY id DESC LIMIT 1"; }
version() { db "SELECT coalesce(max(version), 0) FROM note_version WHERE key = '$1'"; }
shows='{"status":"continue","current_phase":"gathering","add_notes":["envoy/start","envoy/states/triage","README/x","README/links","policy/a","rules/one","rules/two"]}'
append() { printf '{"status":"continue","current_phase":"working","write_notes":[{"key":"%s","content":"more","mode":"append"}]}\n' "$1"; }
waits='{"status":"waiting","current_phase":"waiting","working_note":"w","wait":{"for":"reply","until":"","then":"continue"},"send_emails":[{"to":[],"body":"And now?"}]}'

# --- each way to change one, asked for by somebody who may only ask ---

printf '%s\n%s\n' "$(append scratch/bob)" "$done_now" | answers
asks bob 'A note of his own' <<<'please'
is "$(version scratch/bob)" 1 'who may only ask has a new note written'
while read -r name change; do
    before=$(db 'SELECT count(*) FROM note_version')
    printf '%s\n{"status":"continue","current_phase":"working",%s}\n%s\n' "$shows" "$change" "$done_now" | answers
    asks bob "$name" <<<'please'
    is "$(db 'SELECT count(*) FROM note_version')" "$before" "who may only ask has nothing changed: $name"
    like "$(results 3)" 'not changed: it tells an agent what to do, and not everybody who asked in this round may steer; who may ask for it: you@postrider.local, kim@postrider.local' "and the brain hears who may: $name"
done <<'END'
write-start "write_notes":[{"key":"envoy/start","content":"x","mode":"replace"}]
append-start "write_notes":[{"key":"envoy/start","content":"x","mode":"append"}]
delete-start "delete_notes":["envoy/start"]
rename-start "rename_notes":[{"from":"envoy/start","to":"scratch/s"}]
rename-to-state "rename_notes":[{"from":"scratch/bob","to":"envoy/states/new"}]
write-state "write_notes":[{"key":"envoy/states/triage","content":"x","mode":"replace"}]
write-other-role "write_notes":[{"key":"scribe/start","content":"x","mode":"replace"}]
new-state "write_notes":[{"key":"scribe/states/triage","content":"x","mode":"append"}]
readme "write_notes":[{"key":"README/x","content":"x","mode":"replace"}]
readme-delete "delete_notes":["README/links"]
folder "write_notes":[{"key":"policy/new/deep","content":"x","mode":"append"}]
named "write_notes":[{"key":"rules/one","content":"x","mode":"append"}]
END
printf '%s\n%s\n' "$(append rules/three)" "$done_now" | answers
asks bob 'ordinary' <<<'please'
is "$(version rules/three)" 1 'what is not named is an ordinary note'
for who in kim you; do
    n=$(version envoy/start)
    printf '%s\n%s\n' "$(append envoy/start)" "$done_now" | answers
    asks $who "of $who" <<<'please'
    is "$(version envoy/start)" $((n + 1)) "who may steer has an instruction changed: $who"
done
is "$(may)" 7 'what the owner may, a round of theirs may'

# --- a round has what all who ask in it have in common ---

printf '%s\n%s\n%s\n' "$waits" "$(append envoy/start)" "$done_now" | answers
asks you 'Two ask' 'Cc: bob@postrider.local' 'Message-ID: <two@x>' <<<'please'
is "$(may)" 7 'a round of the owner'
n=$(version envoy/start)
asks bob 'Re: Two ask' 'In-Reply-To: <two@x>' <<<'And change your start note.'
is "$(may) $(version envoy/start)" "1 $n" 'somebody who may only ask joins it: it may no more than they'
printf '%s\n%s\n' "$(append envoy/start)" "$done_now" | answers
asks you 'Re: Two ask' 'In-Reply-To: <two@x>' <<<'Now I ask.'
is "$(db 'SELECT round FROM job ORDER BY id DESC LIMIT 1') $(may) $(version envoy/start)" "2 7 $((n + 1))" 'the next round begins anew'

# Mail that comes while a round runs begins the next one, with the rights of its own senders.
n=$(version envoy/start)
printf '%s\n%s\n%s\n' "$done_now" "$(append envoy/start)" "$done_now" | answers
cat >"$WORK/before" <<END
#!/bin/sh
[ \$1 = 1 ] || exit 0
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: Meanwhile\nIn-Reply-To: <mean@x>\n\nChange it.\n' | '$PR_BIN' --home '$HOME_DIR' sendmail -t
'$PR_BIN' --home '$HOME_DIR' deliver; '$PR_BIN' --home '$HOME_DIR' account --once main
END
chmod +x "$WORK/before"
asks bob 'Meanwhile' 'Message-ID: <mean@x>' <<<'please'
is "$(db 'SELECT round FROM job ORDER BY id DESC LIMIT 1') $(may) $(version envoy/start)" "2 7 $((n + 1))" 'mail that came meanwhile has its own rights in the round that it begins'

# --- roles ---

tells='{"status":"complete","current_phase":"complete","send_emails":[{"to":["scribe@postrider.local"],"subject":"Change","body":"Change it."},{"to":[],"body":"Told."}]}'
for who in bob you; do
    n=$(version scribe/start)
    printf '%s\n%s\n%s\n' "$tells" "$(append scribe/start)" "$done_now" | answers
    asks $who "By a role for $who" <<<'please'
    pass_once
    is "$(db "SELECT role, asker FROM job ORDER BY id DESC LIMIT 1") $(($(version scribe/start) - n))" \
        "scribe|envoy@postrider.local $([ $who = bob ] && echo 0 || echo 1)" "mail of a role has the rights of the round that wrote it: $who"
done

# --- what is lost and comes back ---

for who in bob you; do
    answers <<<"$waits"
    asks $who "Lost $who" <<<'please'
done
rm -rf "$HOME_DIR/state"
answers </dev/null
pass_once
is "$(db "SELECT group_concat(may, ' ') FROM (SELECT may FROM job WHERE subject LIKE 'Lost%' ORDER BY subject)")" '1 7' 'a job that comes back from its checkpoint may what it could'
exits 0 'a fork' pr fork "$(db "SELECT id FROM job WHERE subject = 'Lost bob'")@1"
is "$(may)" 1 'may no more than the first'
exits 0 'the operator changes what they like' sh -c "echo mine | '$PR_BIN' --home '$HOME_DIR' note put envoy/start"
done_testing
