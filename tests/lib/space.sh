# Roles with spaces between them, for tests that have read tap.sh. Each role's brain says what the test has put there for it, and else
# ends its job without a word.
#
#   space_home ROLE...      a home with these roles; each is asked in steps. Spaces are for the test to add: add_space
#   add_space NAME MEMBERS [TALK]     a section of the settings
#   says ROLE <<END         its next answers, one JSON text a line; @ID@ is the first Message-ID that it was shown
#   asked ROLE              how often it was asked       shown ROLE [N]    what it was shown in its newest (N-th) question
#   box ROLE                the files in its mailbox, but for Sent
#   tell FROM TO SUBJECT [ARG...] <<<BODY      a mail, printing its Message-ID
#   pass_once               all that is to do

space_home()
{
    local role
    rm -rf "$HOME_DIR" "$WORK/brains"
    mkdir "$WORK/brains"
    pr init >/dev/null
    cat >"$HOME_DIR/scripts/brain" <<END
#!/bin/sh
cd '$WORK/brains' || exit 1
n=\$(cat "\$1.n" 2>/dev/null || echo 0)
n=\$((n + 1))
echo \$n >"\$1.n"
cat >"\$1.seen.\$n"
id=\$(sed -n 's/^Message-ID: <\(.*\)>\$/\1/p' "\$1.seen.\$n" | head -n 1)
line=\$(head -n 1 "\$1.says" 2>/dev/null)
[ -z "\$line" ] || sed -i 1d "\$1.says"
printf '%s\n' "\${line:-{\"status\":\"complete\",\"current_phase\":\"complete\"\}}" | sed "s/@ID@/\$id/g"
END
    chmod +x "$HOME_DIR/scripts/brain"
    for role; do
        printf '\n[brain %s]\nkind = command\ncommand = %s %s\n[role %s]\nbrain = %s\nmode = steps\n' \
            "$role" "$HOME_DIR/scripts/brain" "$role" "$role" "$role"
    done >>"$HOME_DIR/postrider.conf"
}

add_space() { printf '\n[space %s]\nmembers = %s\ntalk = %s\n' "$1" "$2" "${3:-8}" >>"$HOME_DIR/postrider.conf"; }
says() { cat >>"$WORK/brains/$1.says"; }
asked() { cat "$WORK/brains/$1.n" 2>/dev/null || echo 0; }
shown() { cat "$WORK/brains/$1.seen.${2:-$(asked "$1")}"; }
box() { find "$HOME_DIR/mail/$1" -path '*/.Sent/*' -prune -o -path '*/tmp/*' -prune -o -type f -path '*/mail/*/*/*' ! -name '.*' -print | grep -v '/maildir' | sort; }
tell()
{
    local from=$1 to=$2 subject=$3
    shift 3
    pr send --from "$from" --to "$to" --subject "$subject" "$@"
}
pass_once() { run pr serve --once; }
