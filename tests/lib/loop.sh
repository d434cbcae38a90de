# For tests of a role that works by a scripted brain. Sourced behind tap.sh.
#
#   loop_home           a home whose role envoy works by scripts/steps.jsonl
#   steps JSON...       that script: each argument is one answer; fields that are not given are empty
#   many N JSON         the same answer N times, NNN in it being the number
#   job FIELD [JOB]     a field of `job list --json`
#   doc FIELD FILE      a field of the continuation.json in a mail
#   in_folder FOLDER    the mail files of envoy in a folder (INBOX, Done, Sent, Active)
#   checkpoint [FOLDER] its newest checkpoint mail
#   to_you              how many mails you have
#   you_have TEXT       one of them holds this

steps()
{
    python3 - "$@" >"$HOME_DIR/${STEPS:-scripts/steps.jsonl}" <<'P'
import json, sys
for a in sys.argv[1:]:
    d = dict(status='continue', current_phase='working', working_note='', bundle_key='', reasoning='as told')
    for k in ('add_notes add_emails search_emails search_notes read_attachments drop write_notes rename_notes '
              'delete_notes send_emails move_emails').split():
        d[k] = []
    d['wait'] = {'for': 'reply', 'until': '', 'then': 'continue'}
    d.update(json.loads(a))
    for w in d['write_notes']:
        w.setdefault('mode', 'replace'), w.setdefault('if_version', 0)
    for m in d['send_emails']:
        for k, v in dict(to=['you@postrider.local'], cc=[], subject='', in_reply_to='', attachments=[]).items():
            m.setdefault(k, v)
    print(json.dumps(d))
P
}
loop_home()
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    pr config set 'brain default' kind script
    pr config set 'brain default' script scripts/steps.jsonl
}
many()
{
    local i list=()
    for ((i = 1; i <= $1; i++)); do list+=("${2//NNN/$i}"); done
    steps "${list[@]}"
}
job() { pr --json job list --all | python3 -c 'import json, sys
print(next((j[sys.argv[1]] for j in json.load(sys.stdin) if j["id"] == int(sys.argv[2])), ""))' "$1" "${2:-1}"; }
job_is() { [ "$(job state "${2:-1}")" = "$1" ]; }
in_folder()
{
    local d=$HOME_DIR/mail/envoy
    [ "$1" = INBOX ] || d=$d/.$1
    find "$d/new" "$d/cur" -type f 2>/dev/null | sort -V # by time: its microseconds have no leading zeros
}
checkpoint() { in_folder "${1:-INBOX}" | xargs -r grep -l 'filename="continuation.json"' | tail -1; }
doc()
{
    python3 - "$1" "$2" <<'P'
import email, email.policy, json, sys
m = email.message_from_binary_file(open(sys.argv[2], 'rb'), policy=email.policy.default)
d = json.loads(next(m.iter_attachments()).get_content())
v = d.get(sys.argv[1], '')
print(v if isinstance(v, str) else json.dumps(v))
P
}
to_you() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f 2>/dev/null | wc -l; }
you_have() { grep -rlq -- "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null; }
