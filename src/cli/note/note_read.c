#include "base/json.h"
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/note/note_cmd.h"
#include <inttypes.h>
#include <unistd.h>

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
    GError *error = NULL;

    if (!note_key_check(key, &error) ||
        !note_look(cli->db, &VIEWER_OPERATOR, key, 0, &newest, &error) ||
        !note_look(cli->db, &VIEWER_OPERATOR, key, version, &that, &error) ||
        !notes_nearest(cli->db, &VIEWER_OPERATOR, key, &nearest, &error))
        return cli_error(0, error);
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
    gsize len = 0;
    const char *data = g_bytes_get_data(note->body, &len);

    if (isatty(STDOUT_FILENO)) {
        g_autofree char *text = note_text(note);
        cli_print_vis(cli, text, true);
    } else if (len > 0) {
        g_string_append_len(cli->out, data, (gssize)len);
    }
}

static int
get_home(Cli *cli, const char *key, int64_t version)
{
    const char *const keys[] = {key, NULL};
    g_autoptr(Note) note = NULL;
    GError *error = NULL;
    int status = note_open_to_read(cli, keys);

    if (status)
        return status;
    if (!note_load(cli->db, &VIEWER_OPERATOR, key, version, &note, &error))
        return cli_error(0, error);
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
    g_autoptr(json_t) answer = NULL;
    json_t *request = json_pack("{s:s, s:s, s:I}", "verb", "note.get", "key", key, "version",
                                (json_int_t)version);
    int status = note_call(request, &answer);

    if (status)
        return status;
    json_t *note = json_object_get(answer, "note");
    if (cli->json)
        cli_print_json(cli, json_incref(note));
    else
        cli_print(cli, "%s", json_string_value(json_object_get(note, "text")));
    return 0;
}

int
cmd_note_get(Cli *cli, int argc, char **argv)
{
    g_autofree char *key = NULL;
    int64_t version;
    int status;
    if (argc != 2)
        return cli_usage(cli, "get needs one KEY, or KEY@VERSION");
    if ((status = parse_name(cli, argv[1], &key, &version)))
        return status;
    return cli_in_agent() ? get_port(cli, key, version) : get_home(cli, key, version);
}

/* --- list --- */

static void
print_list(Cli *cli, json_t *take_notes)
{
    static const CliColumn columns[] = {{"KEY", "key"},         {"VERSION", "version"},
                                        {"BYTES", "bytes"},     {"BY", "author"},
                                        {"UPDATED", "updated"}, {NULL}};
    cli_print_list(cli, take_notes, columns, "no notes", NULL);
}

static int
list_home(Cli *cli, const char *prefix)
{
    g_autoptr(Notes) notes = NULL;
    GError *error = NULL;
    int status = note_open_to_list(cli, NULL);

    if (status)
        return status;
    if (!notes_list(cli->db, &VIEWER_OPERATOR, prefix, &notes, &error))
        return cli_error(0, error);
    print_list(cli, shape_list_json(&note_shape, notes));
    return 0;
}

int
cmd_note_list(Cli *cli, int argc, char **argv)
{
    if (argc > 2)
        return cli_usage(cli, "list takes one PREFIX");
    const char *prefix = argc == 2 ? argv[1] : "";
    if (!cli_in_agent())
        return list_home(cli, prefix);
    g_autoptr(json_t) answer = NULL;
    g_autofree char *valid = text_make_valid(prefix, -1);
    int status =
        note_call(json_pack("{s:s, s:s}", "verb", "note.list", "prefix", valid), &answer);
    if (status == 0)
        print_list(cli, json_incref(json_object_get(answer, "notes")));
    return status;
}

/* --- search --- */

static json_t *
hits_json(const GPtrArray *hits)
{
    json_t *array = json_array();

    LIST_EACH(const NoteHit, hit, hits) {
        json_array_append_new(array,
                              json_pack("{s:s, s:I, s:s}", "key", hit->key, "version",
                                        (json_int_t)hit->version, "snippet", hit->snippet));
    }
    return array;
}

static void
print_hits(Cli *cli, json_t *take_hits)
{
    static const CliColumn columns[] = {{"KEY", "key"}, {"TEXT", "snippet"}, {NULL}};
    cli_print_list(cli, take_hits, columns, "nothing found", NULL);
}

static int
search_home(Cli *cli, const char *query, int limit)
{
    g_autoptr(GPtrArray) hits = NULL;
    GError *error = NULL;
    int status = note_open_to_list(cli, NULL);

    if (status)
        return status;
    const NoteQuery q = {&VIEWER_OPERATOR, query, (unsigned)limit};
    if (!notes_search(cli->home, cli->db, &q, &hits, &error))
        return cli_error(0, error);
    print_hits(cli, hits_json(hits));
    return 0;
}

int
cmd_note_search(Cli *cli, int argc, char **argv)
{
    int limit = cli_number(cli, "limit", SEARCH_LIMIT);
    if (argc < 2 || limit < 1)
        return cli_usage(cli, argc < 2 ? "search needs words" : "--limit must be 1 or more");
    g_autofree char *words = g_strjoinv(" ", argv + 1);
    g_autofree char *query = text_make_valid(words, -1);
    if (!cli_in_agent())
        return search_home(cli, query, limit);
    g_autoptr(json_t) answer = NULL;
    int status = note_call(
        json_pack("{s:s, s:s, s:i}", "verb", "note.search", "query", query, "limit", limit),
        &answer);
    if (status == 0)
        print_hits(cli, json_incref(json_object_get(answer, "hits")));
    return status;
}

/* --- history --- */

static char *
history_cell(Cli *cli, const json_t *version, const char *member)
{
    bool deleted = json_is_true(json_object_get(version, "deleted"));
    return deleted && g_str_equal(member, "bytes") ? g_strdup("deleted") : NULL;
}

static void
print_history(Cli *cli, json_t *take_versions)
{
    static const CliColumn columns[] = {{"VERSION", "version"},
                                        {"AT", "updated"},
                                        {"BY", "author"},
                                        {"BYTES", "bytes"},
                                        {"JOB", "job"},
                                        {"WAS", "renamed_from"},
                                        {NULL}};
    cli_print_list(cli, take_versions, columns, NULL, history_cell);
}

static int
history_home(Cli *cli, const char *key)
{
    const char *const keys[] = {key, NULL};
    g_autoptr(Notes) versions = NULL;
    GError *error = NULL;
    int status = note_open_to_read(cli, keys);

    if (status)
        return status;
    if (!note_history(cli->db, &VIEWER_OPERATOR, key, &versions, &error))
        return cli_error(0, error);
    if (versions->len == 0)
        return absent(cli, key, 0);
    print_history(cli, shape_list_json(&note_shape, versions));
    return 0;
}

int
cmd_note_history(Cli *cli, int argc, char **argv)
{
    if (argc != 2)
        return cli_usage(cli, "history needs one KEY");
    if (!cli_in_agent())
        return history_home(cli, argv[1]);
    g_autoptr(json_t) answer = NULL;
    g_autofree char *key = text_make_valid(argv[1], -1);
    int status =
        note_call(json_pack("{s:s, s:s}", "verb", "note.history", "key", key), &answer);
    if (status == 0)
        print_history(cli, json_incref(json_object_get(answer, "versions")));
    return status;
}

/* --- check --- */

static void
print_finding(Cli *cli, const NoteFinding *f)
{
    g_autofree char *line = f->line ? g_strdup_printf(":%u", f->line) : g_strdup("");
    g_autofree char *text = g_strdup_printf("%s%s: %s", f->key, line, f->what);

    cli_print_vis(cli, text, false);
    cli_print(cli, "\n");
}

static json_t *
finding_json(const NoteFinding *f)
{
    return json_pack("{s:s, s:i, s:s?, s:s?, s:s}", "key", f->key, "line", (int)f->line,
                     "target", f->target, "nearest", f->nearest, "what", f->what);
}

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
        if (!cli->json) {
            cli_print_vis(cli, what, false);
            cli_print(cli, "\n");
        }
    }
    for (guint i = 0; i < links->len; i++) {
        json_array_append_new(array, finding_json(g_ptr_array_index(links, i)));
        if (!cli->json)
            print_finding(cli, g_ptr_array_index(links, i));
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
    GError *error = NULL;
    bool restore = cli_flag(cli, "restore");
    int status;
    if (argc > 1)
        return cli_usage(cli, "check takes no operand");
    if (cli_in_agent())
        return cli_fail(EX_UNAVAILABLE, "note check is not for program agents");
    if ((status = restore ? cli_db(cli, DB_WRITE) : note_open_to_list(cli, &report)))
        return status;
    if (restore && !notes_restore(cli->home, cli->db, &report, &error))
        return cli_error(0, error);
    if (!notes_check(cli->db, &links, &error))
        return cli_error(0, error);
    return print_check(cli, report, links);
}
