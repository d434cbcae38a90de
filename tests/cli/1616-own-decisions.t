#!/usr/bin/env bash
# Kinds beside the spec, by their whole tables: a bug goes to_fix, fixing, fixed; an RFC from open to approved or rejected, which its
# author decides. A blocker is reported where no move leads to `blocked`.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
printf '[artifact bug]\npath = bugs/{state}/{name}.md\n[artifact rfc]\npath = rfcs/{state}/{name}.md\n[artifact skeleton]\npath = skeletons/{name}.h\nstates = record\n[role fixer]\nperson = yes\n[role skeleton-reviewer]\nperson = yes\n' >>"$HOME_DIR/postrider.conf"
mkdir -p bugs/to_fix rfcs/open skeletons
at() { ls -d {bugs,rfcs,specs}/*/"$1".md 2>/dev/null; }
tried() { run pr notify --quiet --from "$@"; }
refused() { like "$STATUS $ERR" "^[1-9][0-9]* .*$1" "$2"; }
outcome() { db "SELECT outcome || ' ' || decided_by FROM cycle WHERE artifact = (SELECT id FROM artifact WHERE name = '$1') ORDER BY n DESC LIMIT 1"; }

# --- bugs ---
echo 'It crashes.' >bugs/to_fix/crash.md
notify spec-writer status-update bugs/to_fix/crash.md fixer CONTEXT='Found one.' >/dev/null
run pr artifact move --from implementation-reviewer bugs/to_fix/crash.md fixing
refused "may not move a bug from 'to_fix' to 'fixing'; who may: fixer, implementer" 'who reviews does not begin'
exits 0 'the fixer begins' pr artifact move --from fixer bugs/to_fix/crash.md fixing
is "$(record 'bugs/*/crash.md')" 'fixing|bugs/fixing/crash.md|fixer' 'to_fix to fixing'
notify fixer blocker-report bugs/fixing/crash.md coordinator BLOCKING_DETAILS='No core file.' >/dev/null
is "$(record 'bugs/*/crash.md')" 'blocked|bugs/blocked/crash.md|fixer' 'fixing to blocked, by the holder'
exits 0 'and back' pr artifact move --from fixer bugs/blocked/crash.md fixing
echo 'It crashed.' >>bugs/fixing/crash.md
notify fixer review-request bugs/fixing/crash.md implementation-reviewer >/dev/null
tried fixer approval bugs/fixing/crash.md implementation-reviewer
refused 'wrote .*, and can.t decide on it' 'who fixed it does not say that it is fixed'
notify implementation-reviewer rejection bugs/fixing/crash.md fixer ISSUES_FOUND='It still does.' >/dev/null
is "$(record 'bugs/*/crash.md') $(outcome 'bugs/*/crash.md')" 'fixing|bugs/fixing/crash.md|fixer rejected implementation-reviewer' 'a rejection leaves it'
notify fixer review-request bugs/fixing/crash.md implementation-reviewer >/dev/null
notify implementation-reviewer approval bugs/fixing/crash.md fixer >/dev/null
is "$(record 'bugs/*/crash.md') $(at crash)" 'fixed|bugs/fixed/crash.md|implementation-reviewer bugs/fixed/crash.md' 'fixing to fixed, by the reviewer'
run pr artifact move --from you bugs/fixed/crash.md fixing
refused 'does not go from' 'what is fixed stays fixed, for the coordinator too'
echo 'Slow.' >bugs/to_fix/slow.md
exits 0 'the implementer may begin too' pr artifact move --from implementer bugs/to_fix/slow.md fixing

# --- RFCs ---
for way in approval rejection; do
    echo "Use $way." >rfcs/open/$way.md
    request=$(notify spec-writer review-request rfcs/open/$way.md spec-reviewer)
    tried spec-reviewer approval rfcs/open/$way.md spec-writer
    refused 'may not move an? rfc from .open. to .approved.; who may: author' 'a reviewer does not decide on an RFC'
    run pr artifact move --from spec-writer rfcs/open/$way.md approved
    refused 'under review' 'nor is it moved while it is under review'
    notify spec-reviewer status-update rfcs/open/$way.md spec-writer CONTEXT='Good.' >/dev/null
    echo more >>rfcs/open/$way.md
    tried spec-writer $way rfcs/open/$way.md spec-reviewer ISSUES_FOUND='Too costly.'
    [ $way = rejection ] || refused 'is not what was sent for review' 'what changed was not read'
    [ $way = rejection ] || tried spec-writer approval rfcs/open/$way.md spec-reviewer NEXT_STATE=rejected
    [ $way = rejection ] || refused "approval by its author leads to 'approved', not to 'rejected'" 'an approval does not reject'
    [ $way = rejection ] || { notify spec-writer status-update rfcs/open/$way.md spec-reviewer CONTEXT=More >/dev/null; tried spec-writer $way rfcs/open/$way.md spec-reviewer; }
    is "$STATUS" 0 "its author decides: $way"
    state=${way/approval/approved} state=${state/rejection/rejected}
    is "$(record "rfcs/*/$way.md") $(at $way)" "$state|rfcs/$state/$way.md|spec-writer rfcs/$state/$way.md" "open to $state"
    is "$(outcome "rfcs/*/$way.md")" "$state spec-writer" 'which ends the review'
    like "$(pr mail thread "$request")" 'resolved by <' 'and its thread'
    run pr artifact move --from you "rfcs/$state/$way.md" open
    refused 'does not go from' "$state is for ever"
done
echo 'Third.' >rfcs/open/third.md
notify spec-writer review-request rfcs/open/third.md spec-reviewer >/dev/null
notify spec-reviewer rejection rfcs/open/third.md spec-writer ISSUES_FOUND='Say why.' >/dev/null
is "$(record 'rfcs/*/third.md') $(outcome 'rfcs/*/third.md')" 'open|rfcs/open/third.md| rejected spec-reviewer' 'a reviewer who wants changes leaves it open'
exits 0 'then its author may move it' pr artifact move --from spec-writer rfcs/open/third.md rejected
echo 'Told.' >rfcs/open/told.md
run pr artifact move --from spec-writer rfcs/open/told.md approved
refused 'who may: author' 'of one that nobody has spoken of nobody is the author'
notify spec-writer status-update rfcs/open/told.md you CONTEXT='A proposal.' >/dev/null
pr deliver 2>/dev/null
rm -rf "$HOME_DIR/state"
exits 0 'whoever tells of it first is, after a lost store too' pr artifact move --from spec-writer rfcs/open/told.md approved
is "$(record 'rfcs/*/told.md')" 'approved|rfcs/approved/told.md|spec-writer' 'and decides'

# --- an RFC that somebody has only asked about ---
echo 'Asked.' >rfcs/open/asked.md
notify implementer question rfcs/open/asked.md spec-writer QUESTION='By when?' >/dev/null
pr deliver 2>/dev/null
POSTRIDER_CLOCK=@$(($(date +%s) + 90000)) pr serve --once 2>/dev/null
is "$(db "SELECT sender FROM event WHERE type = 'status-update' ORDER BY id DESC LIMIT 1")" implementer 'a reminder names who asked'
pr deliver 2>/dev/null
rm -rf "$HOME_DIR/state"
run pr artifact move --from implementer rfcs/open/asked.md approved
refused 'who may: author' 'who asked is not the author, after a lost store too'

# --- blockers where no move leads to `blocked` ---
echo 'int f(void);' >skeletons/f.h
for of in "$SPEC" skeletons/f.h rfcs/open/blocked.md bugs/to_fix/blocked.md; do
    [ -e "$of" ] || echo 'Blocked.' >"$of"
    run pr notify --quiet --from skeleton-writer blocker-report "$of" coordinator BLOCKING_DETAILS='Nobody knows.'
    is "$STATUS" 0 "a blocker of $of is reported"
    like "$(pr mail thread "$OUT")" '\[[a-z]+\], open' 'it is open'
    pr deliver 2>/dev/null
    is "$(header "$OUT" X-Workflow-State) $(ls "$of")" "$(db "SELECT state FROM event ORDER BY id DESC LIMIT 1") $of" 'and the file stays'
    notify you --in-reply-to "$OUT" answer "$of" skeleton-writer CONTEXT='Ask me.' >/dev/null
    like "$(pr mail thread "$OUT")" 'resolved by' 'until it is answered'
done
pr artifact move --from spec-reviewer "$SPEC" deferred >/dev/null
exits 0 'of a deferred one' pr notify --quiet --from spec-writer blocker-report "specs/*/user-auth.md" coordinator BLOCKING_DETAILS=x
is "$(record)" 'deferred|specs/deferred/user-auth.md|spec-reviewer' 'which stays deferred'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
