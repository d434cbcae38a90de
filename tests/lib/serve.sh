# For tests of the master, behind tap.sh.
#
#   has_answers N     the owner has N answers in INBOX          answers    how many
#   logged REGEX      the master or a part of it said so        job_is STATE
#   at_work           the pids of the master's parts on this home
#
#   slow_brain        a brain that says when it has begun, and ends when it is told to
#   begun N           it has begun N times                      open_gate  lets the newest one end
#   end_brains        lets all of them end: those too whose run was killed

answers() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f 2>/dev/null | wc -l; }
has_answers() { [ "$(answers)" -ge "$1" ]; }
logged() { grep -q "$1" "$WORK/serve.log"; }
job_is() { pr --json job list --all | grep -q "\"state\": *\"$1\""; }

at_work()
{
    local p words
    for p in /proc/[0-9]*; do
        mapfile -d '' -t words <"$p/cmdline" && [[ "${words[*]} " = *"--home $HOME_DIR "* ]] && echo "${p#/proc/}"
    done 2>/dev/null
}

# Each has a gate of its own: one that was left behind must not take another's word.
slow_brain()
{
    cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >/dev/null
mkfifo '$WORK'/gate.\$\$
echo \$\$ >>'$WORK/begun'
read -r _ <'$WORK'/gate.\$\$
echo done
END
}

begun() { [ -s "$WORK/begun" ] && [ "$(wc -l <"$WORK/begun")" -ge "$1" ]; }
open_gate() { echo go >"$WORK/gate.$(tail -n 1 "$WORK/begun")"; }

end_brains()
{
    local gate
    for gate in "$WORK"/gate.[0-9]*; do
        [ ! -p "$gate" ] || echo go 1<>"$gate" # for reading too, so that nobody needs to be there
    done
}
