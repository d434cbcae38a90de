#include "cli/job/step_view.h"
#include <sys/ioctl.h>

#define NARROWEST 40u
#define WIDEST 400u
/* From here on what was done and why stand side by side. */
#define SIDE_BY_SIDE 100u
#define FIXED 40u /* columns in front of what was done */
/* With less beside them, words stand on lines of their own. */
#define ROOM 24u
#define INDENT 6u

char *
step_time(int64_t wall_us)
{
    g_autofree char *iso = clock_format_iso(wall_us);
    return g_strdup_printf("%.5s %.8s", iso + strlen("2026-"), iso + strlen("2026-11-15T"));
}

unsigned
step_columns(void)
{
    struct winsize size;
    const char *said = g_getenv("COLUMNS");
    int64_t n;
    if (said && text_parse_int(said, 1, 10000, &n))
        return CLAMP((unsigned)n, NARROWEST, WIDEST);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return CLAMP(size.ws_col, NARROWEST, WIDEST);
    return 0;
}

/* Bytes of the longest piece of at most width characters that ends before a blank; all of width
 * where there is none. */
static size_t
piece_of(const char *text, unsigned width)
{
    const char *p = text, *blank = NULL;
    for (unsigned n = 0; *p && n < width; n++) {
        if (*p == ' ')
            blank = p;
        p = g_utf8_next_char(p);
    }
    if (!*p || *p == ' ')
        return (size_t)(p - text);
    return blank && blank > text ? (size_t)(blank - text) : (size_t)(p - text);
}

GStrv
step_wrap(const char *text, unsigned width)
{
    g_autofree char *safe = text_vis(text, false);
    GPtrArray *lines = g_ptr_array_new();
    const char *p = safe;
    do {
        size_t len = piece_of(p, MAX(width, 1));
        g_ptr_array_add(lines, g_strndup(p, len));
        p += len;
        while (*p == ' ')
            p++;
    } while (*p);
    g_ptr_array_add(lines, NULL);
    return (GStrv)g_ptr_array_free(lines, FALSE);
}

/* --- the table --- */

static void
pad(Cli *cli, const char *text, unsigned width)
{
    size_t chars = text_chars(text);
    cli_print(cli, "%s%*s", text, (int)(chars < width ? width - chars : 0), "");
}

/* Two texts as columns; the first line stands behind what is printed already. */
static void
print_beside(Cli *cli, const char *did, const char *because, unsigned width)
{
    unsigned left = (width - FIXED - 2) / 2;
    g_auto(GStrv) a = step_wrap(did, left);
    g_auto(GStrv) b = step_wrap(because, width - FIXED - 2 - left);
    size_t n = g_strv_length(a), m = g_strv_length(b);
    for (size_t i = 0; i < MAX(n, m); i++) {
        const char *right = i < m ? b[i] : "";
        if (i > 0)
            cli_print(cli, "%*s", (int)FIXED, "");
        if (*right)
            pad(cli, i < n ? a[i] : "", left + 2);
        else
            cli_print(cli, "%s", a[i]);
        cli_print(cli, "%s\n", right);
    }
}

static void
print_below(Cli *cli, const char *did, const char *because, unsigned width)
{
    g_autofree char *reason = *because ? g_strdup_printf("because %s", because) : NULL;
    bool beside = width >= FIXED + ROOM;
    unsigned in = beside ? FIXED : INDENT;
    g_auto(GStrv) a = step_wrap(did, width - in);
    g_auto(GStrv) b = reason ? step_wrap(reason, width - in) : NULL;
    if (!beside)
        cli_print(cli, "\n");
    for (char **line = a; *line; line++)
        cli_print(cli, "%*s%s\n", line == a && beside ? 0 : (int)in, "", *line);
    for (char **line = b; line && *line; line++)
        cli_print(cli, "%*s%s\n", (int)in, "", *line);
}

static void
print_row(Cli *cli, const Step *s, unsigned width)
{
    g_autofree char *n = g_strdup_printf("%d", s->n);
    g_autofree char *at = step_time(s->at_us), *took = clock_format_span(s->took_us);
    g_autofree char *cost = text_money(s->cost_micro), *did = cli_short_ids(cli, s->did);
    const char *because = s->because ? s->because : "";
    pad(cli, n, 6);
    pad(cli, at, 16);
    pad(cli, took, 9);
    pad(cli, cost, 9);
    if (width >= SIDE_BY_SIDE)
        print_beside(cli, did, because, width);
    else
        print_below(cli, did, because, width);
}

/* Nobody counts columns: one line for each step, nothing cut. */
static char *
took_cell(Cli *cli, const json_t *step, const char *member)
{
    return g_str_equal(member, "took_ms")
               ? clock_format_span(json_integer_value(json_object_get(step, member)) *
                                   USEC_PER_MSEC)
               : NULL;
}

void
step_print_table(Cli *cli, const Steps *steps)
{
    static const CliColumn columns[] = {{"STEP", "n"},
                                        {"AT", "at"},
                                        {"TOOK", "took_ms"},
                                        {"COST", "cost_usd"},
                                        {"DID", "did"},
                                        {"BECAUSE", "because"},
                                        {NULL}};
    unsigned width = step_columns();
    if (width == 0) {
        cli_print_list(cli, shape_list_json(&step_shape, steps), columns, NULL, took_cell);
        return;
    }
    unsigned left = (MAX(width, SIDE_BY_SIDE) - FIXED - 2) / 2;
    cli_print(cli, "%-6s%-16s%-9s%s", "STEP", "AT (UTC)", "TOOK", "COST");
    if (width >= FIXED + ROOM)
        cli_print(cli, "     ");
    if (width >= SIDE_BY_SIDE)
        pad(cli, "DID", left + 2);
    cli_print(cli, "%s\n",
              width >= SIDE_BY_SIDE   ? "BECAUSE"
              : width >= FIXED + ROOM ? "DID, BECAUSE"
                                      : "");
    for (guint i = 0; i < steps->len; i++)
        print_row(cli, g_ptr_array_index(steps, i), width);
}
