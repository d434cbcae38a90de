#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/note/note_cmd.h"
#include "notes/contents.h"
#include "port/port_client.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static const NoteBy operator_by = {.author = "operator", .label = TRUST_OPERATOR};

int
note_open(Cli *cli, const char *const *keys)
{
    GError *error = NULL;
    int status = cli_db(cli, DB_WRITE);

    if (status)
        return status;
    return notes_sync_some(cli->home, cli->db, keys, NULL, &error) ? 0 : cli_error(0, error);
}

int
note_open_to_read(Cli *cli, const char *const *keys)
{
    GError *error = NULL;
    int status = cli_db_to_read(cli);

    if (status || !db_can_write(cli->db))
        return status;
    return notes_sync_some(cli->home, cli->db, keys, NULL, &error) ? 0 : cli_error(0, error);
}

int
note_open_to_list(Cli *cli, NotesReport **ret_report)
{
    GError *error = NULL;
    int status = cli_db_to_read(cli);

    if (status || !db_can_write(cli->db))
        return status;
    return notes_sync(cli->home, cli->db, ret_report, &error) ? 0 : cli_error(0, error);
}

int
note_call(json_t *request, json_t **ret_answer)
{
    GError *error = NULL;
    int status = 0;

    if (!request)
        return cli_fail(EX_DATAERR, "that is no text (UTF-8)");
    if (!port_call(port_client_path(), request, ret_answer, &status, &error))
        return cli_error(status, error);
    return 0;
}

/* After a change: files follow, and what a person must know is said. */
static int
publish(Cli *cli, const char *const *keys)
{
    g_autoptr(NotesReport) report = NULL;
    GError *error = NULL;

    if (!notes_sync_some(cli->home, cli->db, keys, &report, &error))
        return cli_error(0, error);
    for (guint i = 0; i < report->findings->len; i++)
        (void)cli_fail(0, "%s", (const char *)g_ptr_array_index(report->findings, i));
    return 0;
}

/* "KEY version 3", or as JSON. */
static void
print_version(Cli *cli, const char *key, int64_t version)
{
    if (cli->json)
        cli_print_json(cli,
                       json_pack("{s:s, s:I}", "key", key, "version", (json_int_t)version));
    else
        cli_print(cli, "%s version %" PRId64 "\n", key, version);
}

/* --- put and append --- */

typedef struct Writing {
    const char *key;
    GBytes *body;
    bool append;
    int64_t if_version;
} Writing;

/* file NULL or "-": standard input. */
static int
read_body(const char *file, GBytes **ret)
{
    GError *error = NULL;
    bool in = !file || g_str_equal(file, "-");
    auto_fd own = in ? -1 : open(file, O_RDONLY | O_CLOEXEC);

    if (!in && own < 0)
        return cli_fail(EX_NOINPUT, "can't read '%s': %s", file, g_strerror(errno));
    if (in && isatty(STDIN_FILENO))
        (void)cli_fail(0, "reading the note from the terminal; end with Ctrl-D");
    if (!file_read_fd(in ? STDIN_FILENO : own, LIMIT_NOTE_BYTES, ret, &error)) {
        (void)err_prefix(&error, "'%s'", in ? "standard input" : file);
        return cli_error(0, error);
    }
    return 0;
}

static int
write_home(Cli *cli, const Writing *w)
{
    const char *const keys[] = {w->key, NULL};
    GError *error = NULL;
    int64_t version;
    int status = note_open(cli, keys);

    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = w->append ? notes_append(&txn, w->key, w->body, &operator_by, &version, &error)
                           : notes_put(&txn, w->key, w->body, w->if_version, &operator_by,
                                       &version, &error);
    if (!txn.done)
        return cli_error(0, error);
    print_version(cli, w->key, version);
    return publish(cli, keys);
}

static int
write_port(Cli *cli, const Writing *w)
{
    g_autoptr(json_t) answer = NULL;
    gsize len = 0;
    const char *data = g_bytes_get_data(w->body, &len);
    json_t *request =
        json_pack("{s:s, s:s, s:s%}", "verb", w->append ? "note.append" : "note.put", "key",
                  w->key, "content", data ? data : "", (size_t)len);

    if (request && !w->append && w->if_version != NOTE_ANY)
        json_object_set_new(request, "if_version", json_integer(w->if_version));
    int status = note_call(request, &answer);
    if (status == 0)
        print_version(cli, w->key, json_integer_value(json_object_get(answer, "version")));
    return status;
}

static int
write_note(Cli *cli, int argc, char **argv, bool append)
{
    int64_t if_version = append ? NOTE_ANY : cli_number(cli, "if-version", NOTE_ANY);
    g_autoptr(GBytes) body = NULL;
    GError *error = NULL;
    int status;
    if (argc < 2 || argc > 3)
        return cli_usage(cli, "%s needs a KEY, and takes one FILE", append ? "append" : "put");
    if (if_version < NOTE_ANY)
        return cli_usage(cli, "--if-version takes a version, or 0 for a new note");
    if (!note_key_check(argv[1], &error))
        return cli_error(0, error);
    if ((status = read_body(argc == 3 ? argv[2] : NULL, &body)))
        return status;
    const Writing w = {argv[1], body, append, if_version};
    return cli_in_agent() ? write_port(cli, &w) : write_home(cli, &w);
}

int
cmd_note_put(Cli *cli, int argc, char **argv)
{
    return write_note(cli, argc, argv, false);
}

int
cmd_note_append(Cli *cli, int argc, char **argv)
{
    return write_note(cli, argc, argv, true);
}

/* --- rename and delete --- */

static int
rename_home(Cli *cli, const char *from, const char *to)
{
    const char *const keys[] = {from, to, CONTENTS_KEY, NULL};
    g_autoptr(Note) note = NULL;
    GError *error = NULL;
    int status = note_open(cli, keys);

    if (status)
        return status;
    if (!note_load(cli->db, &VIEWER_OPERATOR, from, 0, &note, &error))
        return cli_error(0, error);
    if (!note)
        return cli_fail(EX_NOINPUT, "there is no note '%s'; see: postrider note list", from);
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = notes_rename(&txn, from, to, &operator_by, &error);
    if (!txn.done)
        return cli_error(0, error);
    return publish(cli, keys);
}

int
cmd_note_rename(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    if (argc != 3)
        return cli_usage(cli, "rename needs OLD and NEW");
    if (!note_key_check(argv[1], &error) || !note_key_check(argv[2], &error))
        return cli_error(0, error);
    if (!cli_in_agent())
        return rename_home(cli, argv[1], argv[2]);
    g_autoptr(json_t) answer = NULL;
    return note_call(
        json_pack("{s:s, s:s, s:s}", "verb", "note.rename", "from", argv[1], "to", argv[2]),
        &answer);
}

/* All of them or none. */
static int
delete_home(Cli *cli, char **keys)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    GError *error = NULL;

    g_strv_builder_addv(names, (const char **)keys);
    g_strv_builder_add(names, CONTENTS_KEY);
    g_auto(GStrv) all = g_strv_builder_end(names);
    int status = note_open(cli, (const char *const *)all);

    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error)) {
        for (char **key = keys; *key; key++) {
            g_autoptr(Note) note = NULL;
            if (!note_load(cli->db, &VIEWER_OPERATOR, *key, 0, &note, &error))
                return cli_error(0, error);
            if (!note)
                return cli_fail(EX_NOINPUT, "there is no note '%s'; nothing was deleted", *key);
            if (!notes_delete(&txn, *key, NOTE_ANY, &operator_by, &error))
                return cli_error(0, error);
        }
        txn.ok = true;
    }
    if (!txn.done)
        return cli_error(0, error);
    return publish(cli, (const char *const *)all);
}

int
cmd_note_delete(Cli *cli, int argc, char **argv)
{
    GError *error = NULL;
    int status = 0;
    if (argc < 2)
        return cli_usage(cli, "delete needs a KEY");
    for (int i = 1; i < argc; i++)
        if (!note_key_check(argv[i], &error))
            return cli_error(0, error);
    if (!cli_in_agent())
        return delete_home(cli, argv + 1);
    for (int i = 1; i < argc && status == 0; i++) {
        g_autoptr(json_t) answer = NULL;
        status =
            note_call(json_pack("{s:s, s:s}", "verb", "note.delete", "key", argv[i]), &answer);
    }
    return status;
}

int
cmd_note(Cli *cli, int argc, char **argv)
{
    return cli_usage(cli, "needs one of its forms");
}
