# For tests of secrets that come back, behind tap.sh.
#
#   CANARY              the secret; FORMS: how else it may be written
#   no_canary DESC      it is in no file of the home but those below secrets/, in nothing that a verb prints,
#                       in nothing that a test put into $WORK/said or $WORK/children
#   nowhere DESC        the same, with a few verbs only: for many cases
#   said REGEX          somebody was told: $WORK/said, status, doctor, the outbox

CANARY='CANARY-s3cret-9f27'
# What base64 of the canary holds wherever it stands in what was encoded.
inside() { local k; for k in '' x xx; do printf '%s%s' "$k" "$CANARY" | base64 -w 0 | cut -c 4-20; done; }
mapfile -t FORMS < <(echo "$CANARY"; inside)

# no_canary DESC: all files but those that hold the secret, and all that verbs print.
no_canary()
{
    local verb form
    {
        for verb in status 'status --json' doctor 'mail list' 'outbox list --all' 'outbox show 1' 'job list --all' 'job log 1' 'show 1' 'show 1@1' \
            'mail trace 1' 'mail search no' cost 'config show' 'config check' 'note list'; do
            # shellcheck disable=SC2086
            pr $verb 2>&1
            # shellcheck disable=SC2086
            pr --json $verb 2>&1
        done
        cat "$WORK/said" "$WORK/children" 2>/dev/null
        find "$HOME_DIR" -type f ! -path "$HOME_DIR/secrets/*" -exec cat {} +
    } >"$WORK/all"
    for form in "${FORMS[@]}"; do
        if grep -aqF -- "$form" "$WORK/all"; then
            fail "$1" "'$form': $(grep -aF -m 3 -- "$form" "$WORK/all" | cut -c 1-300) in $(grep -rlaF -- "$form" "$HOME_DIR")"
            return
        fi
    done
    pass "$1"
    : >"$WORK/said"
}
said() { grep -aq "$1" "$WORK/said" || pr status 2>&1 | grep -aq "$1" || pr doctor 2>&1 | grep -aq "$1" || pr outbox list --all 2>&1 | grep -aq "$1"; }
# The same for many cases: files, and a few verbs.
nowhere()
{
    { pr status; pr --json show 1; pr job log 1; cat "$WORK/said"; find "$HOME_DIR" -type f ! -path "$HOME_DIR/secrets/*" -exec cat {} +; } >"$WORK/all" 2>&1
    if grep -aqF "$(printf '%s\n' "${FORMS[@]}")" "$WORK/all"; then
        fail "$1" "$(grep -aF -m 3 "$(printf '%s\n' "${FORMS[@]}")" "$WORK/all" | cut -c 1-300)"
    else
        pass "$1"
    fi
}
