#include "base/json.h"
#include "cli/cmds.h"
#include "cli/note/note_cmd.h"

#define SEARCH_LIMIT 20

/* --- get --- */

/* "KEY" or "KEY@3"; a key has no '@'. */
static int
parse_name(const Cli *cli, const char *name, char **ret_key, int64_t *ret_version)
{
    const char *at = strchr(name, '@');

    *ret_version = 0;
    if (at && !text_parse_int(at + 1, 1, INT64_MAX, ret_version))
        return cli_usage(cli,
                         "'%s': behind the @ stands a version, see: postrider note "
                         "history KEY",
                         name);
    *ret_key = g_strndup(name, at ? (gsize)(at - name) : strlen(name));
    return 0;
}

/* Why there is nothing to show. */
static int
absent(Cli *cli, const char *key, int64_t version)
{
    g_autoptr(Note) newest = NULL, that = NULL;
    g_autofree char *nearest = NULL;

    if (!note_key_check(key, &cli->error) ||
        !note_look(cli->db, &VIEWER_OPERATOR, key, 0, &newest, &cli->error) ||
        !note_look(cli->db, &VIEWER_OPERATOR, key, version, &that, &cli->error) ||
        !notes_nearest(cli->db, &VIEWER_OPERATOR, key, &nearest, &cli->error))
        return cli_failed(cli, 0);
    if (newest && version != 0 && !that)
        return cli_fail(EX_NOINPUT,
                        "note '%s' has no version %" PRId64 ", the newest is %" PRId64, key,
                        version, newest->version);
    if (newest)
        return cli_fail(EX_NOINPUT,
                        "note '%s' was deleted in version %" PRId64
                        ", by %s; see: postrider note history %s",
                        key, that->version, that->author, key);
    if (nearest)
        return cli_fail(EX_NOINPUT, "there is no note '%s'; did you mean '%s'?", key, nearest);
    return cli_fail(EX_NOINPUT, "there is no note '%s'; see: postrider note list", key);
}

/* The bytes as they are, unless a terminal would obey them. */
static void
print_body(Cli *cli, const Note *note)
{
    g_autofree char *text = note_text(note);

    if (isatty(STDOUT_FILENO))
        cli_print_vis(cli, text, true);
    else
        cli_print_bytes(cli, note->body);
}

static int
get_home(Cli *cli, const char *key, int64_t version)
{
    const char *const keys[] = {key, NULL};
    g_autoptr(Note) note = NULL;
    int status = note_open(cli, NOTE_READ, keys, NULL);

    if (status)
        return status;
    if (!note_load(cli->db, &VIEWER_OPERATOR, key, version, &note, &cli->error))
        return cli_failed(cli, 0);
    if (!note)
        return absent(cli, key, version);
    if (cli->json) {
        g_autofree char *text = note_text(note);
        json_t *o = shape_json(&note_shape, note);
        json_object_set_new(o, "text", json_string(text));
        cli_print_json(cli, o);
    } else {
        print_body(cli, note);
    }
    return 0;
}

static int
get_port(Cli *cli, const char *key, int64_t version)
{
    g_autoptr(json_t) note = NULL;
    json_t *request = json_pack("{s:s, s:s, s:I}", "verb", "note.get", "key", key, "version",
                                (json_int_t)version);
    int status = cli_call(cli, request, "note", &note);

    if (status)
        return status;
    if (cli->json)
        cli_print_json(cli, g_steal_pointer(&note));
    else
        cli_print(cli, "%s", json_string_value(json_object_get(note, "text")));
    return 0;
}

int
cmd_note_get(Cli *cli, int argc, char **argv)
{
    g_autofree char *key = NULL;
    int64_t version;
    int status = parse_name(cli, argv[1], &key, &version);
    return status ? status : (cli_in_agent() ? get_port : get_home)(cli, key, version);
}

/* --- list --- */

static int
list_home(Cli *cli, const char *prefix, json_t **ret)
{
    g_autoptr(Notes) notes = NULL;
    int status = note_open(cli, NOTE_READ, NULL, NULL);

    if (status)
        return status;
    if (!notes_list(cli->db, &VIEWER_OPERATOR, prefix, &notes, &cli->error))
        return cli_failed(cli, 0);
    *ret = shape_list_json(&note_shape, notes);
    return 0;
}

int
cmd_note_list(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"KEY", "key"},         {"VERSION", "version"},
                                        {"BYTES", "bytes"},     {"BY", "author"},
                                        {"UPDATED", "updated"}, {NULL}};
    g_autofree char *prefix = text_make_valid(argv[1] ? argv[1] : "", -1);
    json_t *notes = NULL;
    int status =
        cli_in_agent()
            ? cli_call(cli, json_pack("{s:s, s:s}", "verb", "note.list", "prefix", prefix),
                       "notes", &notes)
            : list_home(cli, argv[1] ? argv[1] : "", &notes);
    if (status == 0)
        cli_print_list(cli, notes, columns, "no notes", NULL);
    return status;
}

/* --- search --- */

static int
search_home(Cli *cli, const char *query, int limit, json_t **ret)
{
    g_autoptr(NoteHits) hits = NULL;
    const NoteQuery q = {&VIEWER_OPERATOR, query, (unsigned)limit};
    int status = note_open(cli, NOTE_READ, NULL, NULL);

    if (status)
        return status;
    if (!notes_search(cli->home, cli->db, &q, &hits, &cli->error))
        return cli_failed(cli, 0);
    *ret = shape_list_json(&note_hit_shape, hits);
    return 0;
}

int
cmd_note_search(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"KEY", "key"}, {"TEXT", "snippet"}, {NULL}};
    int limit = cli_number(cli, "limit", SEARCH_LIMIT);
    if (limit < 1)
        return cli_usage(cli, "--limit must be 1 or more");
    g_autofree char *words = g_strjoinv(" ", argv + 1);
    g_autofree char *query = text_make_valid(words, -1);
    json_t *hits = NULL;
    int status = cli_in_agent() ? cli_call(cli,
                                           json_pack("{s:s, s:s, s:i}", "verb", "note.search",
                                                     "query", query, "limit", limit),
                                           "hits", &hits)
                                : search_home(cli, query, limit, &hits);
    if (status == 0)
        cli_print_list(cli, hits, columns, "nothing found", NULL);
    return status;
}

/* --- history --- */

static char *
history_cell(Cli *cli, const json_t *version, const char *member)
{
    bool deleted = json_is_true(json_object_get(version, "deleted"));
    return deleted && g_str_equal(member, "bytes") ? g_strdup("deleted") : NULL;
}

static int
history_home(Cli *cli, const char *key, json_t **ret)
{
    const char *const keys[] = {key, NULL};
    g_autoptr(Notes) versions = NULL;
    int status = note_open(cli, NOTE_READ, keys, NULL);

    if (status)
        return status;
    if (!note_history(cli->db, &VIEWER_OPERATOR, key, &versions, &cli->error))
        return cli_failed(cli, 0);
    if (versions->len == 0)
        return absent(cli, key, 0);
    *ret = shape_list_json(&note_shape, versions);
    return 0;
}

int
cmd_note_history(Cli *cli, int argc, char **argv)
{
    static const CliColumn columns[] = {{"VERSION", "version"},
                                        {"AT", "updated"},
                                        {"BY", "author"},
                                        {"BYTES", "bytes"},
                                        {"JOB", "job"},
                                        {"WAS", "renamed_from"},
                                        {NULL}};
    g_autofree char *key = text_make_valid(argv[1], -1);
    json_t *versions = NULL;
    int status =
        cli_in_agent()
            ? cli_call(cli, json_pack("{s:s, s:s}", "verb", "note.history", "key", key),
                       "versions", &versions)
            : history_home(cli, argv[1], &versions);
    if (status == 0)
        cli_print_list(cli, versions, columns, NULL, history_cell);
    return status;
}

/* --- check --- */

/* What the files have, then what the links have. Without a report nobody looked at the files. */
static int
print_check(Cli *cli, const NotesReport *report, const GPtrArray *links)
{
    guint in_files = report ? report->findings->len : 0;
    bool ok = in_files + links->len == 0;
    json_t *array = json_array();

    for (guint i = 0; i < in_files; i++) {
        const char *what = g_ptr_array_index(report->findings, i);
        json_array_append_new(array, json_pack("{s:s}", "what", what));
        if (!cli->json)
            cli_print_line(cli, "%s", what);
    }
    LIST_EACH(const NoteFinding, f, links) {
        g_autofree char *line = f->line ? g_strdup_printf(":%u", f->line) : g_strdup("");
        json_array_append_new(array, json_pack("{s:s, s:i, s:s?, s:s?, s:s}", "key", f->key,
                                               "line", (int)f->line, "target", f->target,
                                               "nearest", f->nearest, "what", f->what));
        if (!cli->json)
            cli_print_line(cli, "%s%s: %s", f->key, line, f->what);
    }
    if (cli->json)
        cli_print_json(cli, json_pack("{s:b, s:O}", "ok", (int)ok, "findings", array));
    else if (ok)
        cli_print(cli, "all is well\n");
    json_decref(array);
    return ok ? 0 : 1;
}

int
cmd_note_check(Cli *cli, int argc, char **argv)
{
    g_autoptr(NotesReport) report = NULL;
    g_autoptr(GPtrArray) links = NULL;
    bool restore = cli_flag(cli, "restore");
    int status;
    if (cli_in_agent())
        return cli_fail(EX_UNAVAILABLE, "note check is not for program agents");
    if ((status = restore ? cli_db(cli, DB_WRITE) : note_open(cli, NOTE_READ, NULL, &report)))
        return status;
    if (restore && !notes_restore(cli->home, cli->db, &report, &cli->error))
        return cli_failed(cli, 0);
    if (!notes_check(cli->db, &links, &cli->error))
        return cli_failed(cli, 0);
    return print_check(cli, report, links);
}
