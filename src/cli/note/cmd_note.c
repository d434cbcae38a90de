#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/cmds.h"
#include "cli/note/note_cmd.h"
#include "notes/contents.h"
#include <fcntl.h>

static const NoteBy operator_by = {.author = "operator", .label = TRUST_OPERATOR};

int
note_open(Cli *cli, NoteOpen how, const char *const *keys, NotesReport **ret_report)
{
    int status = how == NOTE_WRITE ? cli_db(cli, DB_WRITE) : cli_db_to_read(cli);

    if (status || !db_can_write(cli->db))
        return status;
    bool ok = keys ? notes_sync_some(cli->home, cli->db, keys, ret_report, &cli->error)
                   : notes_sync(cli->home, cli->db, ret_report, &cli->error);
    return ok ? 0 : cli_failed(cli, 0);
}

/* After a change: files follow, and what a person must know is said. */
static int
publish(Cli *cli, const char *const *keys)
{
    g_autoptr(NotesReport) report = NULL;

    if (!notes_sync_some(cli->home, cli->db, keys, &report, &cli->error))
        return cli_failed(cli, 0);
    LIST_EACH(const char, finding, report->findings)
        (void)cli_fail(0, "%s", finding);
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

/* file NULL or "-": standard input. */
static int
read_body(Cli *cli, const char *file, GBytes **ret)
{
    bool in = !file || g_str_equal(file, "-");
    auto_fd own = in ? -1 : open(file, O_RDONLY | O_CLOEXEC);

    if (!in && own < 0)
        return cli_fail(EX_NOINPUT, "can't read '%s': %s", file, g_strerror(errno));
    if (in && isatty(STDIN_FILENO))
        (void)cli_fail(0, "reading the note from the terminal; end with Ctrl-D");
    if (file_read_fd(in ? STDIN_FILENO : own, LIMIT_NOTE_BYTES, ret, &cli->error))
        return 0;
    (void)err_prefix(&cli->error, "'%s'", in ? "standard input" : file);
    return cli_failed(cli, 0);
}

/* if_version: of a note that is appended to it does not matter. */
static int
write_home(Cli *cli, const char *key, GBytes *body, bool append, int64_t if_version)
{
    const char *const keys[] = {key, NULL};
    int64_t version;
    int status = note_open(cli, NOTE_WRITE, keys, NULL);

    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = append ? notes_append(&txn, key, body, &operator_by, &version, &cli->error)
                        : notes_put(&txn, key, body, if_version, &operator_by, &version,
                                    &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    print_version(cli, key, version);
    return publish(cli, keys);
}

static int
write_port(Cli *cli, const char *key, GBytes *body, bool append, int64_t if_version)
{
    g_autoptr(json_t) version = NULL;
    gsize len = 0;
    const char *data = g_bytes_get_data(body, &len);
    json_t *request = json_pack("{s:s, s:s, s:s%}", "verb", append ? "note.append" : "note.put",
                                "key", key, "content", data ? data : "", (size_t)len);

    if (request && if_version != NOTE_ANY)
        json_object_set_new(request, "if_version", json_integer(if_version));
    int status = cli_call(cli, request, "version", &version);
    if (status == 0)
        print_version(cli, key, json_integer_value(version));
    return status;
}

static int
write_note(Cli *cli, const char *key, const char *file, bool append, int64_t if_version)
{
    g_autoptr(GBytes) body = NULL;
    if (if_version < NOTE_ANY)
        return cli_usage(cli, "--if-version takes a version, or 0 for a new note");
    if (!note_key_check(key, &cli->error))
        return cli_failed(cli, 0);
    int status = read_body(cli, file, &body);
    return status
               ? status
               : (cli_in_agent() ? write_port : write_home)(cli, key, body, append, if_version);
}

int
cmd_note_put(Cli *cli, int argc, char **argv)
{
    return write_note(cli, argv[1], argv[2], false, cli_number(cli, "if-version", NOTE_ANY));
}

int
cmd_note_append(Cli *cli, int argc, char **argv)
{
    return write_note(cli, argv[1], argv[2], true, NOTE_ANY);
}

/* --- rename and delete --- */

static int
rename_home(Cli *cli, const char *from, const char *to)
{
    const char *const keys[] = {from, to, CONTENTS_KEY, NULL};
    g_autoptr(Note) note = NULL;
    int status = note_open(cli, NOTE_WRITE, keys, NULL);

    if (status)
        return status;
    if (!note_load(cli->db, &VIEWER_OPERATOR, from, 0, &note, &cli->error))
        return cli_failed(cli, 0);
    if (!note)
        return cli_fail(EX_NOINPUT, "there is no note '%s'; see: postrider note list", from);
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error))
        txn.ok = notes_rename(&txn, from, to, &operator_by, &cli->error);
    if (!txn.done)
        return cli_failed(cli, 0);
    return publish(cli, keys);
}

int
cmd_note_rename(Cli *cli, int argc, char **argv)
{
    if (!note_key_check(argv[1], &cli->error) || !note_key_check(argv[2], &cli->error))
        return cli_failed(cli, 0);
    if (!cli_in_agent())
        return rename_home(cli, argv[1], argv[2]);
    g_autoptr(json_t) answer = NULL;
    return cli_call(
        cli,
        json_pack("{s:s, s:s, s:s}", "verb", "note.rename", "from", argv[1], "to", argv[2]),
        "ok", &answer);
}

/* All of them or none. */
static int
delete_home(Cli *cli, char **keys)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();

    g_strv_builder_addv(names, (const char **)keys);
    g_strv_builder_add(names, CONTENTS_KEY);
    g_auto(GStrv) all = g_strv_builder_end(names);
    int status = note_open(cli, NOTE_WRITE, (const char *const *)all, NULL);

    if (status)
        return status;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error)) {
        for (char **key = keys; *key; key++) {
            g_autoptr(Note) note = NULL;
            if (!note_load(cli->db, &VIEWER_OPERATOR, *key, 0, &note, &cli->error))
                return cli_failed(cli, 0);
            if (!note)
                return cli_fail(EX_NOINPUT, "there is no note '%s'; nothing was deleted", *key);
            if (!notes_delete(&txn, *key, NOTE_ANY, &operator_by, &cli->error))
                return cli_failed(cli, 0);
        }
        txn.ok = true;
    }
    if (!txn.done)
        return cli_failed(cli, 0);
    return publish(cli, (const char *const *)all);
}

int
cmd_note_delete(Cli *cli, int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++)
        if (!note_key_check(argv[i], &cli->error))
            return cli_failed(cli, 0);
    if (!cli_in_agent())
        return delete_home(cli, argv + 1);
    for (int i = 1; i < argc && status == 0; i++) {
        g_autoptr(json_t) answer = NULL;
        status = cli_call(cli, json_pack("{s:s, s:s}", "verb", "note.delete", "key", argv[i]),
                          "ok", &answer);
    }
    return status;
}

int
cmd_note(Cli *cli, int argc, char **argv)
{
    return cli_usage(cli, "needs one of its forms");
}
