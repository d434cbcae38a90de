#!/usr/bin/env bash
# What a role writes to people has an HTML part made from its Markdown. Python's email package and its HTML parser read
# both parts: nothing is loaded from elsewhere, no link is hidden or new, and the text stays what it was.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

export POSTRIDER_CLOCK=@1794733200
ok 'a home whose agent works in steps' steps_home
add_person bob@postrider.local ask steer
printf '\n[role clerk]\nbrain = default\nmode = steps\n' >>"$HOME_DIR/postrider.conf"

cat >"$WORK/look" <<'END'
import email, email.policy, html.parser, sys
class Page(html.parser.HTMLParser):
    """What a reader sees, where its links lead, and all that would be loaded or run."""
    def __init__(self):
        super().__init__(); self.text, self.links, self.bad, self.hide, self.tags = "", [], [], 0, set()
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.hide += tag in ("head", "style")
        self.text += "\n" if tag in ("p", "li", "br", "tr", "td", "pre") else ""
        for name, value in attrs:
            if (tag, name) == ("a", "href"): self.links.append(value)
            elif (tag, name) not in (("meta", "charset"), ("ol", "start")): self.bad.append(f"{tag} {name}")
        if tag in ("img", "script", "iframe", "link", "object", "form", "svg", "base"): self.bad.append(tag)
    def handle_endtag(self, tag): self.hide -= tag in ("head", "style")
    def handle_data(self, data):
        if not self.hide: self.text += data
        elif "url" in data or "@" in data: self.bad.append(data)
mail = email.message_from_binary_file(open(sys.argv[2], "rb"), policy=email.policy.default)
page = Page()
if mail.get_body(("html",)): page.feed(mail.get_body(("html",)).get_content())
def types(m): return [m.get_content_type()] + [types(p) for p in m.iter_parts()]
print({"types": lambda: types(mail), "text": lambda: mail.get_body(("plain",)).get_content(), "seen": lambda: page.text,
       "links": lambda: page.links, "bad": lambda: page.bad, "tags": lambda: sorted(page.tags), "defects": lambda: mail.defects,
       "cc": lambda: mail["Cc"]}[sys.argv[1]]())
END
look() { python3 "$WORK/look" "$1" "${2:-$(newest_file $(got))}"; }
says() { python3 -c 'import json,sys
print(json.dumps({"status":"complete","current_phase":"complete","send_emails":[{"to":sys.argv[2:],"body":sys.argv[1]}]}))' "$@"; }
ask() { says "$@" | answers; mail_in Question <<<'See https://docs.example/a_b?c=1 and https://evil.example/?d=1'; }

# --- both parts ---

body=$'# Result\n\nIt is **done** — <b>really</b>:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls <x>\n```\nRead [this](https://docs.example/a_b?c=1), ![p](https://evil.example/?d=1) [s](javascript:alert(1)).'
ask "$body"
is "$(look types)" "['multipart/alternative', ['text/plain'], ['text/html']]" 'the text stands first, its HTML behind it'
is "$(look defects)" '[]' 'and the mail is well formed'
like "$(look text)" '^# Result.*\*\*done\*\* — <b>really</b>.*\(javascript\[:\]alert\(1\)\)' 'the text is what was written'
like "$(look text)" $'\n-- \njob 1 · step 1 of .* · reply STOP, STATUS, WHY, or just write' 'with its footer'
like "$(look seen)" 'Result.*It is done — <b>really</b>:.*one.*two.*ls <x>' 'a reader of the HTML sees the same, raw HTML as text'
like "$(look seen)" $'\n-- \n+job 1 · step 1 of .* · reply STOP, STATUS, WHY, or just write' 'and the footer'
is "$(look tags)" "['a', 'body', 'br', 'h1', 'head', 'html', 'li', 'meta', 'ol', 'p', 'pre', 'small', 'strong', 'style', 'table', 'td', 'th', 'tr']" 'with headings, lists, tables and code'
is "$(look bad)" '[]' 'nothing is loaded or run, pictures neither'
is "$(look links)" "['https://docs.example/a_b?c=1', 'https://evil.example/?d=1']" 'links are those that people gave; javascript: is none'
like "$(look seen)" 'this <https://docs.example/a_b\?c=1>, p <https://evil.example/\?d=1> s <javascript\[:\]alert\(1\)>' 'and show where they lead'
look text >"$WORK/with"
run pr mail show --json "$(db "SELECT msgid FROM outbox WHERE job = 1 ORDER BY id DESC LIMIT 1")"
unlike "$OUT" 'text/html.*filename|alt_mismatch' 'our own reader takes the HTML for no file'

pr config set 'role envoy' html no
ask "$body"
is "$(look types)" "['text/plain']" 'html = no: the text alone'
is "$(look text | sed 's/job 2 /job 1 /')" "$(cat "$WORK/with")" 'the very same'
pr config set 'role envoy' html yes

# --- with files; what has no HTML ---

echo '{"status":"complete","current_phase":"complete","write_notes":[{"key":"scratch/f","content":"x","mode":"replace"}],"send_emails":[{"to":[],"body":"*see*","attachments":[{"note_key":"scratch/f","filename":"f.txt"}]}]}' | answers
mail_in File <<<'please'
is "$(look types)" "['multipart/mixed', ['multipart/alternative', ['text/plain'], ['text/html']], ['text/plain']]" 'files stand behind both'
ask 'The sum is 2*3*4.'
is "$(look types)" "['text/plain']" 'a text that Markdown would read as something else has no HTML'
ask 'See https\://evil.example/?d=2'
is "$(look types)" "['text/plain']" 'nor has one of which it would make a link that is none'
ask 'See [x](&#104;ttps://evil.example/?d=3)'
unlike "$(look links)" 'd=3' 'an entity makes no link'
like "$(look seen)" '&#104;ttps' 'and is shown as it is'
ask "$(printf 'long line %.0s' {1..7000})"
is "$(look types)" "['text/plain']" 'a text of more than 64 KB has none'
says 'for the *clerk*' clerk@postrider.local | answers
mail_in Clerk <<<'tell the clerk'
pass_once
is "$(look types "$(newest_file "$HOME_DIR"/mail/clerk/.*/cur/*)")" "['text/plain']" 'mail between roles has none'

# --- links that must not work ---

stranger <<<'Show them https://evil.example/?q=1'
printf '%s\n%s\n' "$reads" "$(says 'Look at [it](https://plain.example/) and https://plain.example/.' bob@postrider.local you@postrider.local)" | answers
mail_in Reads <<<'What does the stranger want?'
F=$(grep -rl 'Subject: .*Reads' "$HOME_DIR/mail/you/new" | xargs ls -t | head -n 1)
like "$(look text "$F")" 'https\[:\]//plain\[\.\]example' 'a link of a round that read a stranger does not work in the text'
is "$(look links "$F") $(look bad "$F")" '[] []' 'nor in the HTML'

# --- held mail: what is asked about is what leaves ---

says 'New: **https://new.example/?d=4** <b>' bob@postrider.local | answers
mail_in Held <<<'write to bob'
question=$(newest_file $(grep -l 'leave? Nothing of' $(got)))
is "$(look types "$question")" "['text/plain']" 'a question is plain text'
like "$(look text "$question")" '\| New: \*\*https\[:\]//new\[\.\]example/\?d=4\*\* <b>' 'and shows the text'
frozen=$(db "SELECT hex(bytes) FROM outbox WHERE id = (SELECT max(outbox) FROM delivery WHERE address = 'bob@postrider.local')")
pr config set 'role envoy' html no
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: x\nIn-Reply-To: %s\n\nAPPROVE\n' "$(sed -n 's/^Message-ID: *//p' "$question" | head -n 1)" | pr sendmail -t
pr deliver && pass_once
F=$(newest_file "$HOME_DIR"/mail/bob/new/*)
is "$(look types "$F")" "['multipart/alternative', ['text/plain'], ['text/html']]" 'what was frozen leaves as it was, whatever the settings say now'
is "$(look links "$F")" "['https://new.example/?d=4']" 'with the link that the yes was about'
is "$(python3 -c 'import re, sys
left = open(sys.argv[1], "rb").read()
frozen = bytes.fromhex(sys.argv[2])
print(re.sub(rb"(?m)^X-Postrider-Origin:.*\n(?:[ \t].*\n)*", b"", left, count=1) == frozen.replace(b"\r\n", b"\n"))' "$F" "$frozen")" True 'byte for byte'
pr config set 'role envoy' html yes

# --- a reply to it: quoted, forwarded, taken in by another home ---

ask 'The *budget* is 42.'
answer=$(newest_file $(got))
echo '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"ok"}]}' | answers
python3 - "$answer" >"$WORK/reply" <<'END'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
quoted = "".join("> " + l + "\n" for l in m.get_body(("plain",)).get_content().splitlines())
print(f"From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: Question\nIn-Reply-To: {m['Message-ID']}\n\nAnd now?\n\n{quoted}")
END
pr sendmail -t <"$WORK/reply" && pr deliver && pass_once
is "$(db "SELECT trust || coalesce(floor, '') FROM message ORDER BY id DESC LIMIT 1")" principal 'a reply that quotes its text is worth as much as its sender'
cp "$answer" "$HOME_DIR/mail/clerk/new/1.copy"
echo "$done_now" | answers
pass_once
like "$(pr mail list --role clerk | head -n 3)" 'Question' 'a role that gets such a mail'
unlike "$(pr mail show "$(sed -n 's/^Message-ID: *//p' "$answer" | head -n 1)")" '<p>|&lt;|text/html' 'reads its text'

done_testing
