#!/usr/bin/env bash
# A file that somebody saves while an artifact is being written: no bytes that nobody has seen are lost, and whoever wrote the
# artifact hears it, and the coordinator.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
NEW='The user logs in twice.'
FOLDER=specs/proposed
digest() { sha256sum "$SPEC" | cut -d' ' -f1; }
write_as() { pr artifact write --from "$1" --if-digest "$(digest)" "$SPEC" <<<"$NEW" 2>&1; }
dies_at() { POSTRIDER_DIE_AT=$1 write_as spec-writer >/dev/null 2>&1; }
swap() { find "$FOLDER" -name '.postrider-swap-*'; }
files() { ls -A "$FOLDER" | tr '\n' ' '; }
hear() { grep -l 'Subject: An artifact was not written' "$HOME_DIR/mail/spec-writer/new"/* "$HOME_DIR/mail/you/new"/* 2>/dev/null | wc -l; }
again() # the spec is as it was, and nobody has heard anything
{
    rm -f "$FOLDER"/.postrider* "$FOLDER"/*.edited-* "$HOME_DIR"/mail/{spec-writer,you}/new/*
    printf 'The user logs in.\n' >"$SPEC"
}
settles() # DESC: a later pass ends what was owed; the writer and the coordinator hear it
{
    pr serve --once 2>/dev/null
    is "$(db "SELECT count(*) FROM effect WHERE failed IS NULL")" 0 "$1"
    is "$(hear)" 2 'the writer and the coordinator hear it, once each'
    pr serve --once 2>/dev/null
    is "$(hear)" 2 'and not again'
}
notify spec-writer review-request "$SPEC" spec-reviewer >/dev/null

# --- without anybody ---
for point in file-writing file-tmp file-written file-exchanged file-replaced; do
    again
    dies_at "$point"
    find "$FOLDER" -name '.postrider-tmp-*' -exec touch -d '2 days ago' {} +
    isnt "$(db 'SELECT count(*) FROM effect')" 0 "it dies at $point"
    pr serve --once 2>/dev/null
    is "$(cat "$SPEC"); $(files)$(hear)" "$NEW; user-auth.md 0" 'the artifact is written, and nobody hears of it'
done

# --- saved between the decision and the exchange ---
again
dies_at file-writing
echo theirs >"$SPEC"
settles 'a file that was saved before the exchange'
is "$(cat "$SPEC"); $(files)" 'theirs; user-auth.md ' 'is left alone'
like "$(cat "$HOME_DIR"/mail/spec-writer/new/*)" "'$SPEC' was to be written, but '$SPEC' was changed meanwhile" 'they hear why'
run pr doctor
like "$OUT$ERR" "file-write '.*' to '.*was changed meanwhile" 'doctor names it'

# --- saved in the moment of the exchange: what came out is theirs ---
again
dies_at file-exchanged
echo theirs >"$(swap)"
POSTRIDER_DIE_AT=file-giving-back pr serve --once >/dev/null 2>&1
is "$(cat "$SPEC")" "$NEW" 'it dies before it gives a file back'
settles 'a file that was saved in the moment of the exchange'
is "$(cat "$SPEC"); $(files)" 'theirs; user-auth.md ' 'is back at its place'

# --- and its place was taken again ---
again
dies_at file-exchanged
echo theirs >"$(swap)"
echo newest >"$SPEC"
settles 'a file that has lost its place'
is "$(cat "$SPEC"); $(files)" 'newest; user-auth.md user-auth.md.edited-1 ' 'lies beside the newest'
is "$(cat "$SPEC.edited-1")" theirs 'with all its bytes'
like "$(tr '\n' ' ' <"$(grep -l 'was not written' "$HOME_DIR"/mail/you/new/*)")" 'user-auth.md.edited-1' 'and the mail names it'

# --- saved after the exchange ---
again
dies_at file-replaced
echo theirs >"$SPEC"
settles 'a file that was saved after the exchange'
is "$(cat "$SPEC"); $(files)" 'theirs; user-auth.md ' 'is left alone'

# --- an editor that has the old file open, and writes to it later ---
again
exec 9>>"$SPEC"
is "$(write_as spec-writer); $(hear)" "postrider: '$SPEC' can't be written now; it is tried again; 0" 'while an editor has the file open the write is not done'
echo 'And out.' >&9
exec 9>&-
settles 'what the editor wrote'
is "$(tr '\n' ' ' <"$SPEC"); $(files)" 'The user logs in. And out. ; user-auth.md ' 'is in the file again'

# --- a new artifact, and somebody begins it too ---
POSTRIDER_DIE_AT=file-writing pr artifact write --from spec-writer $FOLDER/second.md <<<'ours' >/dev/null 2>&1
echo theirs >$FOLDER/second.md
rm -f "$HOME_DIR"/mail/{spec-writer,you}/new/*
settles 'a file that somebody else began'
is "$(cat $FOLDER/second.md)" theirs 'is theirs'
done_testing
