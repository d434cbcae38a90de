#!/usr/bin/env bash
# Whole steps beside those of LangGraph.js with its SQLite saver (bench/langgraph.mjs), in turn and on the same disk: plain, and
# with a note and a mail each. Its commits are not flushed, ours are; a third line says what it does with flushed ones.
#
# Needs npm and a way to its registry: the packages come into a temporary folder, and their SQLite may be compiled there, which
# takes minutes. LANGGRAPH_PACKAGES=FOLDER uses what `npm install --prefix FOLDER` has put there before.
set -u
packages=${LANGGRAPH_PACKAGES:-}
# All that is of one maker by its version, so that it is the same everywhere.
wanted=(@langchain/langgraph@1.4.18 @langchain/langgraph-checkpoint-sqlite@1.0.4 @langchain/langgraph-checkpoint@1.1.5
    @langchain/langgraph-sdk@1.12.4 @langchain/protocol@0.0.19 @langchain/core@1.2.13 zod@4)
rounds=5 steps=40
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

if [ -z "$packages" ]; then
    command -v npm >/dev/null && command -v node >/dev/null || { echo 'langgraph: skipped: no npm, or no node'; exit 0; }
    packages=$dir/packages
    mkdir "$packages"
    npm install --prefix "$packages" --legacy-peer-deps --no-audit --no-fund --loglevel error "${wanted[@]}" >"$dir/npm.log" 2>&1 ||
        { echo "langgraph: skipped: npm can't install it: $(grep -m 1 error "$dir/npm.log")"; exit 0; }
fi

bench=$(dirname "$POSTRIDER_BIN")/bench/bench-steps
theirs() { mkdir -p "$dir/files" && node "$POSTRIDER_SRC/bench/langgraph.mjs" "$packages" "$1" "$steps" "$dir/files" ${2:+"$2"}; }
middle() { sort -n | sed -n "$(((rounds + 1) / 2))p" | cut -d ' ' -f 1; } # our line goes on with the processor's time

# race NAME KIND [flush]: medians of both, taken in turn. Ahead without a flush is the goal.
missed=0
race() {
    local n
    : >"$dir/a" && : >"$dir/b"
    for ((n = 0; n < rounds; n++)); do
        theirs "$2" "${3:-}" >>"$dir/a" && "$bench" whole "$2" >>"$dir/b" || exit 2
    done
    local a b verdict=''
    a=$(middle <"$dir/a") b=$(middle <"$dir/b")
    [ -n "${3:-}" ] || { [ "$b" -gt "$a" ] && verdict='> 1  ok' || { verdict='> 1  short'; missed=1; }; }
    printf '%-42s %8d /s %8d /s %7s  %s\n' "$1" "$a" "$b" "$(awk "BEGIN { printf \"%.2f\", $b / $a }")" "$verdict"
}

printf '%-42s %11s %11s %7s\n' '' LangGraph postrider ratio
race 'whole steps: plain' plain
race 'whole steps: a note and a mail' write
race '  plain, its commits flushed as ours are' plain flush
race '  a note and a mail, likewise' write flush
exit "$missed"
