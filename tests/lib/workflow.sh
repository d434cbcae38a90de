# A home with a workflow, for tests that have read tap.sh: roles that only get mail, a git checkout in ROOT.
#
#   workflow_home          makes both: specs/proposed/user-auth.md is committed
#   notify WHO ARG...      `notify` as WHO, printing the Message-ID alone
#   header ID NAME         a header of the mail with that Message-ID, as one line of the file in the mailbox of a role
#   agent_role NAME...     these are agents: models that say what they are told to
#   says NAME STEP...      the answers of one, as steps() of loop.sh takes them; its jobs begin anew with the first
#   program_role NAME      this one is a program: standard input, with a first line for the shell
#   did                    what can be done is done: mail goes round until nothing is left to do
#   record [NAME]          what the record says of the artifact: state, place and holder

ROOT=$WORK/project
SPEC=specs/proposed/user-auth.md
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@t

workflow_home()
{
    rm -rf "$HOME_DIR" "$ROOT"
    pr init >/dev/null
    {
        # Mail to these is kept for people to read: a role that is nobody's brain gets no work done.
        printf '\n[workflow]\nroot = %s\n' "$ROOT"
        printf '[artifact spec]\npath = specs/{state}/{name}.md\n[artifact vision]\npath = VISION.md\nstates = record\n'
        for role in spec-writer spec-reviewer skeleton-writer test-writer implementer implementation-reviewer \
            vision-writer vision-reviewer platform-lead; do
            printf '[role %s]\nperson = yes\n' "$role"
        done
    } >>"$HOME_DIR/postrider.conf"
    sed -i 's/postrider\.local/workflow.local/' "$HOME_DIR/postrider.conf"
    grep -q '^domain' "$HOME_DIR/postrider.conf" || pr config set postrider domain workflow.local
    mkdir -p "$ROOT/specs/proposed"
    printf 'The user logs in.\n' >"$ROOT/$SPEC"
    printf 'A better world.\n' >"$ROOT/VISION.md"
    git -C "$ROOT" init -q -b main && git -C "$ROOT" add -A && git -C "$ROOT" commit -q -m start
}

notify()
{
    local who=$1
    shift
    pr notify --from "$who" --quiet "$@"
}

mail_of() { grep -rlF "Message-ID: $1" "$HOME_DIR/mail" | head -1; }
header() { sed -n "/^\$/q; s/^$2: //p" "$(mail_of "$1")"; }
record() { db "SELECT state, path, holder FROM artifact WHERE name = '${1:-specs/*/user-auth.md}'"; }

no_person() { sed -i "/^\[role $1\]/{n;/^person/d}" "$HOME_DIR/postrider.conf"; }
agent_role()
{
    local name
    for name in "$@"; do
        no_person "$name"
        pr config set "brain $name" kind script && pr config set "brain $name" script "scripts/$name.jsonl" &&
            pr config set "role $name" brain "$name"
        : >"$HOME_DIR/scripts/$name.jsonl"
    done
}
says()
{
    local name=$1
    shift
    STEPS=scripts/$name.jsonl steps "$@"
}
program_role()
{
    { echo '#!/bin/sh'; echo "PATH=${PR_BIN%/*}:\$PATH"; cat; } >"$HOME_DIR/scripts/$1"
    chmod +x "$HOME_DIR/scripts/$1"
    no_person "$1"
    pr config set "brain $1" command "$HOME_DIR/scripts/$1" && pr config set "brain $1" kind command &&
        pr config set "role $1" brain "$1" && pr config set "role $1" mode program
}
did() { for _ in 1 2 3; do pr serve --once >"$WORK/serve.out" 2>&1; done; }
