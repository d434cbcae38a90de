# A repository for tests of worktrees: `git_project DIR` makes one with a first commit. The person who owns it has a name,
# and no setting of this machine counts.
export GIT_CONFIG_GLOBAL=$WORK/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --file "$GIT_CONFIG_GLOBAL" user.name Ann
git config --file "$GIT_CONFIG_GLOBAL" user.email ann@example.org
git config --file "$GIT_CONFIG_GLOBAL" init.defaultBranch main
git config --file "$GIT_CONFIG_GLOBAL" protocol.file.allow always

git_project() # DIR
{
    git init -q "$1" && mkdir "$1/src" && printf 'one\ntwo\nthree\n' >"$1/src/a.txt" && printf 'hello\n' >"$1/README" &&
        printf '*.o\n' >"$1/.gitignore" && git -C "$1" add -A && git -C "$1" commit -q -m 'First'
}

# The patch of the newest mail to the owner: `patch_of FILE >x.patch`.
patch_of()
{
    python3 - "$1" <<'P'
import sys, email, email.policy
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
for a in m.iter_attachments():
    if a.get_filename().endswith('.patch'):
        sys.stdout.buffer.write(a.get_payload(decode=True))
P
}
