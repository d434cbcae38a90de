#!/usr/bin/env bash
# Notes have readers: a role sees its own notes, shared ones, and what [notes] shared names. What it may not see it may not
# change, attach, bundle or link either, and hears the same words whether there is such a note or not.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home
add_program_role scout
pr note put scout/plan >/dev/null <<<'Heron at noon.'
pr note put spaces/den/x >/dev/null <<<'Heron at night.'
pr note put team/plan >/dev/null <<<'Heron for all.'
HIDDEN="may not see or change"

# --- through the port: a program of the role envoy tries what is scout's, there and not there ---

pr config set 'role envoy' mode program
pr config set 'brain default' command scripts/pry
cat >"$HOME_DIR/scripts/pry" <<S
#!/bin/sh
exec 2>&1
p='$PR_BIN'
t() { echo "[\$*]"; echo over it | "\$p" "\$@"; echo "[status \$?]"; }
for k in scout/plan scout/none spaces/den/x spaces/den/none; do
    t note get \$k
    t note get \$k@1
    t note history \$k
    t note put \$k
    t note put --if-version 0 \$k
    t note put --if-version 1 \$k
    t note append \$k
    t note rename \$k mine
    t note rename team/plan \$k
    t note delete \$k
    echo "[link \$k]"; echo "see [it](\$k)" | "\$p" note put linked; echo "[status \$?]"
    echo "[list \$k]"; printf -- '- %s: words\n' \$k | "\$p" note append linked; echo "[status \$?]"
done
t note get scout/plam
t note get team/plam
t note list
t note list scout/
t note search heron
t note get team/plan
S
chmod 700 "$HOME_DIR/scripts/pry"
ok 'a program that pries' pr ask 'look around'
SEEN=$OUT
part() { printf '%s\n' "$SEEN" | awk -v want="[$1]" '$0 == want {on = 1; next} on && /^\[status/ {print; exit} on'; }
for verb in 'note get' 'note history' 'note put' 'note put --if-version 0' 'note put --if-version 1' 'note append' 'note rename' 'note rename team/plan' 'note delete' link list; do
    for place in scout spaces/den; do
        there=$place/plan
        [ $place = scout ] || there=$place/x
        last=
        [ "$verb" != 'note rename' ] || last=' mine'
        a=$(part "$verb $there$last") b=$(part "$verb $place/none$last")
        status=77
        case $verb in link | list) status=65 ;; esac
        like "$a" "$there.*role 'envoy' $HIDDEN.*status $status" "$verb $there: refused"
        is "${a//$there/KEY}" "${b//"$place/none"/KEY}" "$verb: the same words whether there is such a note or not"
    done
done
like "$(part 'note get scout/plan@1')" "$HIDDEN.*status 77" 'nor an older version'
unlike "$(part 'note get scout/plam')" 'did you mean' 'no hint at what it may not see'
like "$(part 'note get team/plam')" "did you mean 'team/plan'" 'as for what it may see'
unlike "$(part 'note list')" 'scout/|spaces/' 'list: what it may see'
like "$(part 'note list')" 'CONTENTS.*envoy/start.*team/plan' 'and all of that'
is "$(part 'note list scout/')" 'no notes
[status 0]' 'list of a folder of others'
like "$(part 'note search heron')" 'team/plan' 'search finds'
unlike "$(part 'note search heron')" 'scout|den|noon|night' 'and passes over'
is "$(pr note get scout/plan) $(pr note get spaces/den/x)" 'Heron at noon. Heron at night.' 'nothing was changed'
exits 66 'nothing was made' pr note get scout/none
exits 66 'no link was written' pr note get linked
like "$(pr note get scout/plan --json; pr note list scout/)" 'scout/plan' 'the operator sees all'

# --- in steps ---

pr config set 'role envoy' mode steps
pr config set 'role envoy' max-iterations 20
pr config set 'brain default' command scripts/think
tries() { # KEY: everything that an answer can do with a note, one a step
    cat <<END
{"status":"continue","current_phase":"gathering","add_notes":["$1"],"search_notes":["noon"]}
{"status":"continue","current_phase":"gathering","bundle_key":"$1"}
{"status":"continue","current_phase":"working","bundle_key":"-","write_notes":[{"key":"$1","content":"over it","mode":"replace"}]}
{"status":"continue","current_phase":"working","write_notes":[{"key":"$1","content":"behind it","mode":"append"}]}
{"status":"continue","current_phase":"working","rename_notes":[{"from":"$1","to":"mine"}]}
{"status":"continue","current_phase":"working","rename_notes":[{"from":"team/plan","to":"$1"}]}
{"status":"continue","current_phase":"working","delete_notes":["$1"]}
{"status":"continue","current_phase":"working","write_notes":[{"key":"linked","content":"[[$1]]","mode":"replace"}]}
{"status":"continue","current_phase":"working","send_emails":[{"to":[],"body":"x","attachments":[{"note_key":"$1","filename":"n.txt"}]}]}
{"status":"continue","current_phase":"working","send_emails":[{"to":["scout@postrider.local"],"body":"x","attachments":[{"note_key":"$1","filename":"n.txt"}]}]}
{"status":"continue","current_phase":"working","write_notes":[{"key":"list","content":"- $1: words","mode":"replace"}]}
$done_now
END
}
for key in scout/plan scout/none; do
    tries $key | answers
    n=$(mails)
    mail_in "Try $key" <<<'please'
    is "$(mails)" $((n + 1)) "$key: one mail came, the last"
    for i in {2..12}; do echo "step $i"; seen $i | grep "$HIDDEN"; done | sed "s|$key|KEY|g" >"$WORK/${key##*/}.told"
    is "$(grep -c "$HIDDEN" "$WORK/${key##*/}.told")" 11 "$key: each try is told"
    unlike "$(cat "$WORK"/seen.*)" 'Heron at noon' "$key: and never shown"
done
is "$(cat "$WORK/plan.told")" "$(cat "$WORK/none.told")" 'the same words whether there is such a note or not'
is "$(pr note get scout/plan)" 'Heron at noon.' 'nothing was changed'
is "$(pr note list | grep -c 'scout/none\|linked\|^list\|^mine')" 0 'nothing was made'

# CONTENTS is shown whole, and an edit of it may keep what stands there.
pr note append CONTENTS <<<'- [plan](scout/plan) of scout' >/dev/null
{ echo '{"status":"continue","current_phase":"gathering","add_notes":["CONTENTS"]}'
  echo '{"status":"continue","current_phase":"working","write_notes":[{"key":"CONTENTS","content":"- [plan](scout/plan) of scout\n- [[team/plan]]\n","mode":"replace"}]}'
  echo "$done_now"; } | answers
mail_in Contents <<<'please'
like "$(seen 2)" '\[plan\]\(scout/plan\) of scout' 'CONTENTS names notes of other roles'
like "$(pr note get CONTENTS)" 'scout/plan.*team/plan' 'and who writes it anew may keep them'
echo '- [[spaces/den/x]]' >"$WORK/contents"
exits 65 'CONTENTS never names a space' pr note put CONTENTS "$WORK/contents"
like "$ERR" "can't name 'spaces/den/x'" 'which is said'
pr note put team/den <<<x >/dev/null
pr note append CONTENTS <<<'- [[team/den]]' >/dev/null
ok 'a note that becomes one of a space' pr note rename team/den spaces/den/y
unlike "$(pr note get CONTENTS)" 'den' 'is in CONTENTS no more'
echo '- spaces/den/x: words' >>"$HOME_DIR/notes/CONTENTS.md"
run pr note check
like "$OUT" 'CONTENTS:[0-9]+: .*spaces/ must not stand here' 'note check finds one in the file'
unlike "$OUT" 'spaces/den/[xy]: is not listed' 'and misses none'

# --- [notes] shared ---

exits 78 'a folder of nobody is refused' pr config set notes shared scuot
like "$ERR" "'scuot' is no folder of a role.*did you mean 'scout'" 'with a hint'
ok 'a folder of scout is shared' pr config set notes shared scout
{ echo '{"status":"continue","current_phase":"gathering","add_notes":["scout/plan"],"search_notes":["noon"]}'; echo "$done_now"; } | answers
mail_in Shared <<<'please'
like "$(seen 2)" 'NOTE: scout/plan.*Heron at noon' 'and now seen'
like "$(results 2)" 'scout/plan: Heron at noon' 'and found'

# --- a note that goes to another role ---

attach() { printf '{"status":"complete","current_phase":"complete","send_emails":[{"to":["%s"],"subject":"x","body":"x","attachments":[{"note_key":"%s","filename":"n.txt"}]}]}\n' "$2" "$1"; }
last() { db "SELECT d.state || ' ' || coalesce(d.why, '') FROM delivery d JOIN outbox o ON o.id = d.outbox WHERE d.address = '$1@postrider.local' ORDER BY o.id DESC LIMIT 1"; }
printf '#!/bin/sh\ncat >/dev/null\necho thanks\n' >"$HOME_DIR/scripts/scout"
chmod 700 "$HOME_DIR/scripts/scout"
attach team/plan scout@postrider.local | answers
mail_in Pass <<<'Give scout the plan of the team.'
unlike "$(last scout)" held 'a note that scout may see goes to scout'
pr note put envoy/secret <<<'of the owner' >/dev/null
attach envoy/secret scout@postrider.local | answers
mail_in Pass2 <<<'Give scout the secret.'
is "$(last scout)" 'held note envoy/secret is not for scout@postrider.local to read' 'one that it may not see waits for a yes'

# --- an old home, in which envoy was shown a note of scout ---

pr config set notes shared ''
sed -i '/^shared/d' "$HOME_DIR/postrider.conf"
sqlite3 "$HOME_DIR/state/postrider.db" "DELETE FROM meta WHERE key = 'note-readers-kept'"
run pr status
like "$OUT" "role 'envoy' was shown notes of other roles.*shared = scout" 'status tells which setting keeps it so'
pass_once
like "$ERR" "role 'envoy' was shown notes of other roles.*shared = scout" 'the first start logs it'
pass_once
unlike "$ERR" 'was shown notes' 'once'
run pr doctor
like "$OUT" "role 'envoy' was shown notes of other roles.*shared = scout" 'doctor too'
pr config set notes shared ''
run pr status
unlike "$OUT" 'was shown notes' 'until the setting is there, empty or not'

done_testing
