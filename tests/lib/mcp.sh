# For tests of `postrider mcp`, behind tap.sh.
#
#   wire [ARG...]   runs the Python on stdin with tests/lib/mcpwire.py at hand; its lines become results. argv[1] is the program

wire()
{
    local verdict desc diag
    export PYTHONPATH=$POSTRIDER_SRC/tests/lib PYTHONDONTWRITEBYTECODE=1
    { echo 'from mcpwire import *'; cat; } >"$WORK/wire.py"
    python3 "$WORK/wire.py" "$PR_BIN" "$@" >"$WORK/wire.out" 2>"$WORK/wire.err" </dev/null
    results $?
}
# What a script with mcpwire.py has printed.
results()
{
    while IFS=$'\t' read -r verdict desc diag; do
        case $verdict in
        ok) pass "$desc" ;;
        'not ok') fail "$desc" "$diag" ;;
        *) diag "$verdict" ;;
        esac
    done <"$WORK/wire.out"
    is "$1" 0 "the client came to its end$(cut -c1-300 "$WORK/wire.err" | tail -n 3)"
}
