#include "base/json.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/mail_view.h"
#include "engine/follow.h"
#include "store/index/index.h"
#include "store/mail/query.h"

/* --- search --- */

/* What is typed is never an error; but a day that is none is a word, which hardly any mail has. */
static void
check_days(const char *query)
{
    static const char *const names[] = {"since:", "before:"};
    g_auto(GStrv) words = g_strsplit_set(query, " \t\n", -1);
    int64_t us;
    for (char **w = words; *w; w++) {
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
            const char *day = *w + strlen(names[i]);
            if (g_str_has_prefix(*w, names[i]) && !clock_parse_iso(day, &us))
                (void)cli_fail(
                    0, "'%s' is no day, so '%s' is looked for as a word; write %s2026-11-15",
                    day, *w, names[i]);
        }
    }
}

int
cmd_mail_search(Cli *cli, int argc, char **argv)
{
    int limit = cli_number(cli, "limit", MAIL_LIST_LIMIT);
    int status;
    if (limit < 1)
        return cli_usage(cli, "--limit must be 1 or more");
    g_autofree char *joined = g_strjoinv(" ", argv + 1);
    g_autofree char *query = text_make_valid(joined, -1);
    check_days(query);
    /* A state that is none is a slip; in quotes it is a word that somebody looks for. */
    g_auto(Query) parsed;
    query_parse(query, &parsed);
    if ((status = mail_check_state(cli, parsed.no_state, true)))
        return status;
    if (cli_in_agent())
        return mail_call_list(cli, json_pack("{s:s, s:s, s:i}", "verb", "mail.search", "query",
                                             query, "limit", limit));

    g_autoptr(Index) ix = NULL;
    g_autoptr(IndexHits) hits = NULL;
    bool fresh;
    if ((status = cli_db_to_read(cli)))
        return status;
    g_auto(Engine) engine = cli_reader(cli);
    if (!index_open(cli->home, &ix, &fresh, &cli->error) ||
        (db_can_write(cli->db) && !follow_index(&engine, ix, 0, NULL, &cli->error)) ||
        !index_search(ix, cli->db, &VIEWER_OPERATOR, query, (unsigned)limit, &hits,
                      &cli->error))
        return cli_failed(cli, 0);
    mail_print_list(cli, mail_hits_json(hits));
    return 0;
}

/* --- trace --- */

static bool
trace_row(Cli *cli, const MsgRow *row, json_t *lines, GError **error)
{
    g_autoptr(TraceRows) traces = NULL;
    if (!messages_trace_list(cli->db, row->id, &traces, error))
        return false;
    LIST_EACH(const TraceRow, t, traces) {
        json_t *line = shape_json(&trace_row_shape, t);
        json_object_set_new(line, "role", json_string(row->role));
        json_array_append_new(lines, line);
    }
    return true;
}

/* The same mail may lie in the mailboxes of several roles, and each decides for itself. */
static bool
trace_roles(Cli *cli, const MsgRow *named, bool by_number, json_t *lines, GError **error)
{
    const Config *config = cli->home->config;
    if (by_number)
        return trace_row(cli, named, lines, error);
    for (unsigned i = 0; i < config->n_roles; i++) {
        const Viewer viewer = {.role = config->roles[i].name};
        g_autoptr(MsgRow) row = NULL;
        if (!messages_find(cli->db, &viewer, named->msgid, &row, error) ||
            (row && !trace_row(cli, row, lines, error)))
            return false;
    }
    /* A role that is no longer in the settings. */
    return json_array_size(lines) > 0 || trace_row(cli, named, lines, error);
}

static bool
trace_out(Cli *cli, const OutRow *out, json_t *lines, GError **error)
{
    g_autoptr(OutRows) rows = NULL;
    OutQuery q = {.id = out->id, .all = true, .copies = true, .limit = 1000};
    if (!outbox_list(cli->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    json_array_append_new(lines,
                          json_pack("{s:o, s:n, s:s, s:n}", "at", shape_time(out->created_us),
                                    "role", "what", "written", "why"));
    for (guint i = rows->len; i > 0; i--) {
        const OutRow *row = g_ptr_array_index(rows, i - 1);
        bool copy = g_str_equal(row->folder, "Sent");
        g_autofree char *what = g_strdup_printf("%s %s: %s", copy ? "copy for" : "to",
                                                row->address, out_state_name(row->state));
        json_array_append_new(lines, json_pack("{s:n, s:n, s:s, s:s?}", "at", "role", "what",
                                               what, "why", row->why));
    }
    return true;
}

int
cmd_mail_trace(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {
        {"AT", "at"}, {"ROLE", "role"}, {"WHAT", "what"}, {"WHY", "why"}, {NULL}};
    g_auto(MailFound) found = {0};
    int status;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "mail trace is not for program agents");
    if ((status = cli_db(cli, DB_READ)) || (status = mail_find(cli, cli->db, argv[1], &found)))
        return status;
    g_autoptr(json_t) lines = json_array();
    bool ok = found.in
                  ? trace_roles(cli, found.in, argv[1][strspn(argv[1], "#0123456789")] == '\0',
                                lines, &cli->error)
                  : trace_out(cli, found.out, lines, &cli->error);
    if (!ok)
        return cli_failed(cli, 0);
    cli_print_list(cli, g_steal_pointer(&lines), columns, NULL, NULL);
    return 0;
}
