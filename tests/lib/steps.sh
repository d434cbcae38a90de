# For tests of the steps, behind tap.sh: a home whose agent is a program that says what it is told
# to, and writes down what it was shown.
#
#   steps_home              makes the home                      answers <<END   the next answers, one JSON text a line;
#                                                               @ID@ is the Message-ID of the original mail
#   mail_in SUBJECT ARG...  mails standard input and runs it: OUT, ERR, STATUS
#   seen N                  what was shown in question N        got        the answers in the owner's mailbox, by name
#   newest                  the newest of them, as text         results N  the block about the last step in question N
#   stranger [SUBJECT] <<<TEXT  mail of somebody unknown comes to the agent and is taken in: <zebra@example.net>
#   add_person ADDRESS RIGHT...  somebody with rights             add_program_role NAME   a role whose brain is scripts/NAME
#   pass_once               all that is to do: OUT, ERR, STATUS  last_job   its number
#   $reads, $done_now       answers: to be shown the stranger's mail; to end with a word to whoever asked

reads='{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<zebra@example.net>","folder":""}]}'
done_now='{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}'

steps_home()
{
    pr init >/dev/null && pr config set 'brain default' kind command &&
        pr config set 'brain default' command "$HOME_DIR/scripts/think" &&
        pr config set 'role envoy' mode steps || return 1
    cat >"$HOME_DIR/scripts/think" <<END
#!/bin/sh
read -r n <'$WORK/n'
echo \$((n += 1)) >'$WORK/n'
cat >'$WORK/seen.'\$n
[ ! -x '$WORK/before' ] || '$WORK/before' \$n
id=\$(sed -n 's/^Message-ID: <\(.*\)>\$/\1/p' '$WORK/seen.'\$n | head -n 1)
sed -n "\${n}s/@ID@/\$id/g;\${n}p" '$WORK/answers'
END
    chmod +x "$HOME_DIR/scripts/think"
}

# Both write what comes behind the home's other settings.
add_person()
{
    local address=$1
    shift
    printf '\n[person %s]\naddress = %s\nmay = %s\n' "${address%@*}" "$address" "$*" >>"$HOME_DIR/postrider.conf"
}

add_program_role()
{
    printf '\n[brain %s]\nkind = command\ncommand = %s\n\n[role %s]\naddress = %s\nbrain = %s\nmode = program\n' \
        "$1" "$HOME_DIR/scripts/$1" "$1" "$1@postrider.local" "$1" >>"$HOME_DIR/postrider.conf"
}

answers()
{
    rm -f "$WORK"/seen.* "$WORK/before"
    echo 0 >"$WORK/n"
    cat >"$WORK/answers"
}

mail_in()
{
    local subject=$1
    shift
    cat >"$WORK/body"
    pr inject --subject "$subject" "$@" --run <"$WORK/body" >"$WORK/.out" 2>"$WORK/.err"
    STATUS=$?
    OUT=$(cat "$WORK/.out")
    ERR=$(cat "$WORK/.err")
}

stranger()
{
    { printf '%s\n' 'From: Mallory <mallory@example.net>' 'To: envoy@postrider.local' "Subject: ${1:-Zebra}" \
        'Message-ID: <zebra@example.net>' 'Date: Sun, 15 Nov 2026 10:00:00 +0000' ''; cat; } >"$HOME_DIR/mail/envoy/new/1.stranger"
    pass_once
}

pass_once() { run pr serve --once; }
last_job() { db 'SELECT max(id) FROM job'; }
seen() { cat "$WORK/seen.$1" 2>/dev/null; }
results() { seen "$1" | sed -n '/^=== RESULTS OF YOUR LAST STEP/,/^=== END/p'; }
got() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f 2>/dev/null | sort -V; }
mails() { got | wc -l; }
newest() { cat "$(newest_file $(got))"; }
