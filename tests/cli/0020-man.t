#!/usr/bin/env bash
# The manual pages are well-formed, and the one that is generated has every key.
. "$(dirname "$0")/../lib/tap.sh"
command -v mandoc >/dev/null || skip_all 'no mandoc'

build=$(dirname "$POSTRIDER_BIN")
verbs() { "$PR_BIN" help --rows | sed -n "s/^\([a-z]*\)\t.*/\1/p"; }
for page in "$POSTRIDER_SRC"/man/*.[1-9] "$build"/man/*.[1-9]; do
    [ -f "$page" ] || continue
    ok "$(basename "$page") passes mandoc's lint" mandoc -T lint -W warning "$page"
done

page=$build/man/postrider.conf.5
missing=
for key in $(sed -n 's/^    {"[a-z]*", "\([a-z-]*\)", CONF_.*/\1/p' "$POSTRIDER_SRC/src/base/config/config_keys.c"); do
    grep -q "^\.It Cm $key " "$page" || missing="$missing $key"
done
is "$missing" '' 'postrider.conf.5 has every key'

missing=
for verb in $(verbs); do
    [ -s "$build/man/postrider-$verb.1" ] || missing="$missing $verb"
done
is "$missing" '' 'every verb has a page'
wide=$(for verb in $(verbs); do "$PR_BIN" help "$verb" | sed -n "/^usage/d; /^.\{107,\}/s/^/$verb: /p"; done)
is "$wide" '' 'and a help that is no wider than the others'

missing=
for verb in $(verbs); do
    grep -Eq "Cm $verb( |\$)" "$build/man/postrider.1" || missing="$missing $verb"
done
is "$missing" '' 'postrider.1 has every verb'

done_testing
