#!/usr/bin/env bash
# valgrind finds nothing to say about the main path: no bad access, no use of what was never set, no leak.
# It needs the build without sanitizers.
. "$(dirname "$0")/../lib/tap.sh"
command -v valgrind >/dev/null || skip_all 'no valgrind'
PR_BIN=$POSTRIDER_PLAIN_BIN
[ -x "$PR_BIN" ] || skip_all 'no build without sanitizers'

# GLib's own list: what it allocates once and keeps until the end, by intention.
SUPP=/usr/share/glib-2.0/valgrind/glib.supp
[ -e "$SUPP" ] || SUPP=/dev/null

# Programs that are not ours (shell, sed) are left alone, and so is the trampoline that sets their limits: valgrind
# lets nobody raise RLIMIT_NOFILE. Each process has a log. System calls that valgrind does not know (openat2,
# pidfd_open) are answered with ENOSYS, as by a kernel of long ago; it says so, and we have another way.
checked()
{
    valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        --num-callers=20 --suppressions="$SUPP" --log-file="$WORK/vg.%p.%n" \
        --trace-children=yes --trace-children-skip='/bin/*,/usr/bin/*,*/scripts/*,*/postrider-limit' \
        "$PR_BIN" --home "$HOME_DIR" "$@"
}
clean() # WANTED-STATUS DESC ARG...
{
    local want=$1 desc=$2 log
    shift 2
    rm -f "$WORK"/vg.*
    run checked "$@"
    log=$(cat "$WORK"/vg.* | grep -v '^--[0-9]*-- ')
    if [ "$STATUS" = "$want" ] && [ -z "$log" ]; then
        pass "$desc"
    else
        fail "$desc" "exit $STATUS: $*" "$ERR" "$(printf '%s\n' "$log" | head -n 60)"
    fi
}

clean 0 'init' init
printf 'line\n' >"$WORK/a.txt"
clean 0 'ask, with an attachment' ask -a "$WORK/a.txt" 'hello wörld'
like "$OUT" 'I have your mail' 'is answered'
id=$(sed -n 's/^Message-ID: //p' "$HOME_DIR"/mail/you/new/*)
cat >"$WORK/reply.eml" <<END
From: You <you@postrider.local>
To: envoy@postrider.local
Subject: =?utf-8?q?Re:_hello_w=C3=B6rld?=
In-Reply-To: $id
References: $id
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>And <b>more</b>?</p>
--b
Content-Type: application/octet-stream
Content-Disposition: attachment; filename*=utf-8''%C3%BC.bin
Content-Transfer-Encoding: base64

AAEC
--b--
END
clean 0 'inject --run of a reply' inject --run --role envoy "$WORK/reply.eml"
printf 'From: x@y.example\nContent-Type: multipart/mixed\n\n\0\377broken' >"$HOME_DIR/mail/envoy/new/1.broken"
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: STATUS\n\n' >"$WORK/order.eml"
run pr inject --role envoy "$WORK/order.eml"
clean 0 'serve --once with a broken mail and an order' serve --once
clean 0 'mail show' mail show 1
clean 0 'mail search' mail search 'hello'
clean 0 'doctor' doctor
clean 66 'an error' ask --to envoi hello
is "$(find "$HOME_DIR/mail/you/new" -type f | wc -l)" 3 'and it did its work'
done_testing
