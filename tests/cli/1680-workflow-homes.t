#!/usr/bin/env bash
# A project is there once, whatever is done to homes: in a copy of a home, in an older store and in a restored home nothing is decided
# a second time, and what was decided elsewhere is known, or named.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
printf '[brain ann]\ncommand = true\n[brain ben]\ncommand = true\n' >>"$HOME_DIR/postrider.conf"
at() { local home=$1; shift; "$PR_BIN" --home "$home" "$@"; }
files() { find . -name .git -prune -o -type f -print | sort; }
COPY=$WORK/copy THERE=$WORK/there
for name in second third; do echo "About $name." >specs/proposed/$name.md; done
for name in user-auth second third; do notify spec-writer review-request specs/proposed/$name.md spec-reviewer >/dev/null; done
pr serve --once 2>/dev/null
pr backup "$WORK/backup" >/dev/null
cp -a "$HOME_DIR" "$COPY"

# --- in a copy ---
before=$(files)
exits 78 'in a copy of a home nothing is decided' at "$COPY" notify --from spec-reviewer approval "$SPEC" spec-writer
like "$ERR" "is worked by the home .*$HOME_DIR.* serve --take-over" 'and it says what to do'
exits 78 'nor moved' at "$COPY" artifact move --from spec-reviewer specs/proposed/third.md deferred
exits 78 'nor written' at "$COPY" artifact write --from spec-writer specs/proposed/new.md /etc/hostname
exits 78 'nor is a panel begun' at "$COPY" panel review --members ann,ben "$SPEC"
exits 78 'which would write' at "$COPY" panel write --members ann,ben specs/proposed/new.md x
is "$(files)" "$before" 'the project is as it was'
exits 0 'what only shows works there' at "$COPY" artifact list
exits 0 'and so does --dry-run' at "$COPY" notify --dry-run --from spec-reviewer approval "$SPEC" spec-writer

# --- decided here, and then the copy takes over ---
notify spec-reviewer approval "$SPEC" spec-writer >/dev/null
notify spec-reviewer rejection specs/proposed/second.md spec-writer ISSUES_FOUND=No. >/dev/null
pr serve --once 2>/dev/null
exits 0 'the copy takes over' at "$COPY" serve --once --take-over
exits 65 'what was decided in the other home is not decided again' at "$COPY" notify --from spec-reviewer approval 'specs/*/second.md' spec-writer
like "$ERR" "was rejected by spec-reviewer: its record is in the project, though not in this store; a new review-request begins another" 'and says why'
exits 1 'artifact check names it' at "$COPY" artifact check 'specs/*/second.md'
like "$OUT" 'asked for is open, but a review record says that it was rejected by spec-reviewer; a new review-request begins another' 'with its cure'
like "$(at "$COPY" artifact check)" "user-auth.md: the record says 'proposed', but the file lies in 'todo'" 'a file that was moved is named too'
exits 0 'what nobody decided is decided there' at "$COPY" notify --from spec-reviewer rejection specs/proposed/third.md spec-writer ISSUES_FOUND=No.
exits 0 'the cure' at "$COPY" notify --from spec-writer review-request specs/proposed/second.md spec-reviewer
exits 0 'helps' at "$COPY" artifact check 'specs/*/second.md'
rm -rf "$COPY"

# --- an older store is put back ---
rm -rf "$HOME_DIR/state" && cp -a "$WORK/backup/state" "$HOME_DIR/state"
before=$(files)
exits 75 'an older store is noticed by the mail about the approval' pr notify --from spec-reviewer approval 'specs/*/user-auth.md' spec-writer
like "$ERR" 'nothing is decided here now: the store is older than the mail.*doctor --accept-backup' 'and nothing is decided'
is "$(files)" "$before" 'nothing has moved'
pr doctor --accept-backup >/dev/null
exits 65 'then it knows what was decided' pr notify --from spec-reviewer approval 'specs/*/user-auth.md' spec-writer
like "$ERR" 'is closed: approved by spec-reviewer' 'from mail'
is "$(db "SELECT name, state, outcome FROM artifact JOIN cycle ON cycle.id = artifact.cycle ORDER BY name")" 'specs/*/second.md|proposed|rejected
specs/*/third.md|proposed|rejected
specs/*/user-auth.md|todo|approved' 'and from the review record what the copy decided'
exits 0 'file, mail and record agree' pr artifact check

# --- a restored home has the mail of the backup alone: review records tell ---
at "$THERE" restore "$WORK/backup" >/dev/null
exits 75 'in a restored home nothing is decided' at "$THERE" notify --from spec-reviewer approval 'specs/*/user-auth.md' spec-writer
at "$THERE" doctor --accept-backup >/dev/null
exits 0 'once it is accepted, nothing disagrees' at "$THERE" artifact check
HOME_DIR=$THERE
is "$(db "SELECT name, state, outcome FROM artifact JOIN cycle ON cycle.id = artifact.cycle ORDER BY name")" 'specs/*/second.md|proposed|rejected
specs/*/third.md|proposed|rejected
specs/*/user-auth.md|todo|approved' 'what was decided since the backup is decided here'
pr serve --once 2>/dev/null
is "$(grep -rlE 'has ended: (approved|rejected) by spec-reviewer' "$THERE/mail/spec-writer/new" | wc -l)" 3 'and the author hears it'
notify spec-writer review-request specs/proposed/third.md spec-reviewer >/dev/null
exits 0 'a new review is decided' pr notify --from spec-reviewer approval specs/proposed/third.md spec-writer
exits 0 'and agrees' pr artifact check
done_testing
