# For tests with a model behind an API that answers as it is told (tools/fake-model), behind tap.sh.
#
#   fake NAME   starts it with the answers on stdin, one a line: URL, $WORK/NAME.log
#   fake_end    ends it

FAKE_PID=
trap 'fake_end; tap_end' EXIT

fake()
{
    local port
    cat >"$WORK/$1.jsonl"
    rm -f "$WORK/$1.log" "$WORK/$1.port"
    mkfifo "$WORK/$1.port"
    "$POSTRIDER_SRC/tools/fake-model" --with-stdin --script "$WORK/$1.jsonl" --log "$WORK/$1.log" \
        <&"$TAP_NEVER" >"$WORK/$1.port" &
    FAKE_PID=$!
    read -r port <"$WORK/$1.port"
    URL=http://127.0.0.1:$port
}
fake_end() { [ -z "$FAKE_PID" ] || { kill "$FAKE_PID" 2>/dev/null; wait "$FAKE_PID" 2>/dev/null; }; FAKE_PID=; }
