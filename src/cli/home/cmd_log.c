/* `log`: the log file and those that were rotated away, as one. */
#include "base/json.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/tail.h"
#include <sys/stat.h>

#define LINES_SHOWN 50
#define LINES_MAX 1000000

typedef struct LogView {
    Cli *cli;
    char *file;
    int64_t job; /* 0: any */
    LogLevel least;
    FILE *from; /* what is read just now */
    char *line; /* getline()'s */
    size_t size;
    GString *begun; /* a line whose end is not there yet */
    GQueue *last;   /* of char *: lines for people, at most max; NULL: print them at once */
    unsigned max;
} LogView;

static void
log_view_clear(LogView *v)
{
    g_clear_pointer(&v->from, fclose);
    free(v->line);
    g_free(v->file);
    g_string_free(v->begun, TRUE);
    if (v->last)
        g_queue_free_full(v->last, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LogView, log_view_clear)

/* --- one line --- */

/* One value of logfmt, bare or quoted; NULL when the line ends within it. What log.c wrote as \x1b
 * stays as it is. */
static char *
parse_value(const char **p)
{
    GString *value = g_string_new(NULL);
    bool quoted = **p == '"';
    const char *c = *p + (quoted ? 1 : 0);
    for (; *c && *c != (quoted ? '"' : ' '); c++) {
        if (quoted && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
            c++;
        g_string_append_c(value, *c);
    }
    if (quoted && *c++ != '"')
        return g_string_free(value, TRUE);
    *p = c + strspn(c, " ");
    return g_string_free(value, FALSE);
}

/* The pairs of a line, all values as text but pid; NULL: it is none of ours, or was torn. */
static json_t *
parse_line(const char *line)
{
    g_autoptr(json_t) pairs = json_object();
    while (*line) {
        size_t n = strcspn(line, "= \"");
        if (n == 0 || line[n] != '=')
            return NULL;
        g_autofree char *key = g_strndup(line, n);
        line += n + 1;
        g_autofree char *value = parse_value(&line);
        if (!value)
            return NULL;
        bool number = g_str_equal(key, "pid");
        json_object_set_new(pairs, key,
                            number ? json_integer(g_ascii_strtoll(value, NULL, 10))
                                   : json_string(value));
    }
    return json_object_get(pairs, "msg") ? g_steal_pointer(&pairs) : NULL;
}

static bool
is_wanted(const LogView *v, const json_t *pairs)
{
    if (!pairs)
        return v->job == 0 && v->least == LOG_DEBUG;
    return log_level_parse(cli_member(pairs, "level"), LOG_ERROR) >= v->least &&
           (v->job == 0 || g_ascii_strtoll(cli_member(pairs, "job"), NULL, 10) == v->job);
}

/* The line as a terminal has it, with its day and who wrote it. */
static char *
for_people(json_t *pairs)
{
    static const char *const said[] = {"t", "level", "prog", "pid", "msg", NULL};
    GString *text = g_string_new(NULL);
    const char *level = cli_member(pairs, "level"), *key;
    json_t *value;
    g_string_append_printf(text, "%.19sZ  %-8s  ", cli_member(pairs, "t"),
                           cli_member(pairs, "prog"));
    if (!g_str_equal(level, "info"))
        g_string_append_printf(text, "%s: ", level);
    g_string_append(text, cli_member(pairs, "msg"));
    json_object_foreach(pairs, key, value)
    {
        if (!g_strv_contains(said, key))
            g_string_append_printf(text, "  %s=%s", key, json_string_value(value));
    }
    return g_string_free(text, FALSE);
}

static char *
format(const LogView *v, const char *line, json_t *pairs)
{
    if (!v->cli->json)
        return pairs ? for_people(pairs) : g_strdup(line);
    g_autoptr(json_t) bare = pairs ? json_incref(pairs) : json_pack("{s:s}", "text", line);
    return json_format(bare);
}

static void
take_line(LogView *v, const char *raw)
{
    g_autofree char *line = g_utf8_make_valid(raw, -1);
    g_autoptr(json_t) pairs = parse_line(line);
    if (!*line || !is_wanted(v, pairs))
        return;
    g_autofree char *text = format(v, line, pairs);
    if (!v->last) {
        cli_print_line(v->cli, "%s", text);
        return;
    }
    g_queue_push_tail(v->last, g_steal_pointer(&text));
    if (v->last->length > v->max)
        g_free(g_queue_pop_head(v->last));
}

/* --- the files --- */

static void
read_on(LogView *v)
{
    ssize_t n;
    clearerr(v->from);
    while ((n = getline(&v->line, &v->size, v->from)) > 0) {
        g_string_append_len(v->begun, v->line, n);
        if (v->line[n - 1] != '\n')
            return;
        g_string_truncate(v->begun, v->begun->len - 1);
        take_line(v, v->begun->str);
        g_string_truncate(v->begun, 0);
    }
}

/* Which of the files is being read: 0 is the newest, beyond those that are kept none of them. */
static unsigned
place(const LogView *v)
{
    struct stat held, named;
    unsigned n = 0, kept = v->cli->home->config->keep_logs;
    if (!v->from || fstat(fileno(v->from), &held) < 0)
        return kept + 1;
    for (; n <= kept; n++) {
        g_autofree char *name = log_old_name(v->file, n);
        if (stat(name, &named) == 0 && named.st_ino == held.st_ino &&
            named.st_dev == held.st_dev)
            break;
    }
    return n;
}

/* From where it stopped to the end of the newest file, over all that were rotated meanwhile. */
static int
read_all(void *data)
{
    LogView *v = data;
    if (v->from)
        read_on(v);
    for (unsigned n = place(v); n > 0; n = MIN(place(v), n - 1)) {
        g_autofree char *name = log_old_name(v->file, n - 1);
        FILE *next = fopen(name, "re");
        if (!next && n > 1)
            continue; /* fewer old ones than there may be */
        if (!next)
            return errno == ENOENT
                       ? -1
                       : cli_fail(EX_NOPERM, "'%s': %s", v->file, g_strerror(errno));
        g_clear_pointer(&v->from, fclose);
        v->from = next;
        read_on(v);
    }
    return -1;
}

/* --- the verb --- */

static int
print_last(LogView *v)
{
    int status = read_all(v);
    for (GList *l = v->last->head; l; l = l->next)
        cli_print_line(v->cli, "%s", (const char *)l->data);
    g_queue_free_full(v->last, g_free);
    v->last = NULL;
    return status;
}

static int
take_options(LogView *v)
{
    int n = cli_number(v->cli, "lines", LINES_SHOWN);
    const char *level = cli_text(v->cli, "level");
    v->job = cli_number(v->cli, "job", 0);
    v->least = log_level_parse(level, level ? LOG_NONE : LOG_DEBUG);
    if (n < 1 || n > LINES_MAX)
        return cli_usage(v->cli, "-n must be 1 to %d", LINES_MAX);
    if (v->job < 0)
        return cli_usage(v->cli, "--job is a number, see: postrider job list");
    if (v->least == LOG_NONE)
        return cli_usage(v->cli, "--level is debug, info, warn or error");
    v->max = (unsigned)n;
    return 0;
}

int
cmd_log(Cli *cli, int argc, char **argv)
{
    g_auto(LogView) v = {.cli = cli, .begun = g_string_new(NULL), .last = g_queue_new()};
    int status = take_options(&v);
    if (status || (status = cli_home(cli)))
        return status;
    v.file = home_log_file(cli->home);
    if (!v.file)
        return cli_fail(EX_NOINPUT, "there is no log file, since log-file is empty in "
                                    "postrider.conf; see the stderr of 'postrider serve', or "
                                    "the journal");
    status = print_last(&v);
    if (status >= 0)
        return status;
    return cli_flag(cli, "follow") ? tail_file(cli, v.file, read_all, &v) : 0;
}
