#include "base/file.h"
#include "base/workdir.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/doctor.h"
#include "cli/mail/mail_view.h"
#include "engine/checkpoint/recover.h"
#include "engine/face.h"
#include "engine/follow.h"
#include "engine/in/release.h"
#include "engine/keep.h"
#include "engine/run/view_files.h"
#include "engine/wall/wall.h"
#include "notes/notes.h"
#include "store/age.h"
#include "store/index/index.h"
#include "store/job/schedules.h"
#include "store/mail/copies.h"
#include "store/note/note_readers.h"
#include "store/out/effects.h"
#include "store/out/outbox.h"

#define PAGE 1000
#define FINDINGS_SHOWN 200u

/* --- findings --- */

static const Field finding_fields[] = {
    {"what", NULL, FIELD_TEXT, offsetof(Finding, what)},
    {"where", NULL, FIELD_TEXT, offsetof(Finding, where)},
    {"fixed", NULL, FIELD_BOOL, offsetof(Finding, fixed)},
};
const Shape finding_shape = {SHAPE(NULL, Finding, findings, finding_fields)};

void
doctor_find(Doctor *d, bool fixed, const char *where, const char *fmt, ...)
{
    Finding *f = g_new0(Finding, 1);
    va_list args;
    va_start(args, fmt);
    *f = (Finding){g_strdup_vprintf(fmt, args), g_strdup(where), fixed};
    va_end(args);
    findings_add(d->findings, f);
}

void
doctor_note(Doctor *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_ptr_array_add(d->notes, g_strdup_vprintf(fmt, args));
    va_end(args);
}

bool
doctor_each_mail(Doctor *d, MsgQuery q, DoctorVisit visit, void *data, GError **error)
{
    guint n;
    q.limit = PAGE;
    do {
        g_autoptr(MsgRows) rows = NULL;
        if (!messages_list(d->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
            return false;
        n = rows->len;
        LIST_EACH(const MsgRow, row, rows) {
            q.below_id = row->id.v;
            if (!visit(d, row, data, error))
                return false;
        }
    } while (n == PAGE);
    return true;
}

static void
print_text(const Doctor *d)
{
    Cli *cli = d->cli;
    for (guint i = 0; i < MIN(d->findings->len, FINDINGS_SHOWN); i++) {
        const Finding *f = d->findings->pdata[i];
        cli_print_line(cli, "%s: %s%s", f->what, f->where, f->fixed ? " (fixed)" : "");
    }
    if (d->findings->len == 0)
        cli_print(cli, "all is well\n");
    else if (d->findings->len > FINDINGS_SHOWN)
        cli_print(cli, "and %u more; --json lists them all\n",
                  d->findings->len - FINDINGS_SHOWN);
    LIST_EACH(const char, note, d->notes)
        cli_print_line(cli, "note: %s", note);
}

static int
report(const Doctor *d)
{
    if (d->cli->json)
        cli_print_json(d->cli,
                       json_pack("{s:b, s:o, s:o}", "ok", d->findings->len == 0, "findings",
                                 shape_list_json(&finding_shape, d->findings), "notes",
                                 shape_texts(d->notes)));
    else
        print_text(d);
    return d->findings->len ? 1 : 0;
}

/* --- checks of the store --- */

/* What a crash left is brought in order first, as every start does: that is no finding. */
static bool
check_past(Doctor *d, GError **error)
{
    RecoverStats stats = {0};
    if (!recover_sweep(d->engine, &stats, error))
        return false;
    if (stats.jobs)
        doctor_note(d, "jobs of processes that died, queued again: %u", stats.jobs);
    if (stats.effects)
        doctor_note(d, "moves of mail that were owed, now done: %u", stats.effects);
    return true;
}

/* Each line is a finding; of char *. */
static void
find_all(Doctor *d, const char *where, const GPtrArray *lines)
{
    LIST_EACH(const char, line, lines)
        doctor_find(d, false, where, "%s", line);
}

static bool
check_store(Doctor *d, GError **error)
{
    g_autoptr(GPtrArray) lines = NULL;
    if (!db_check(d->engine->db, d->full, &lines, error))
        return false;
    find_all(d, "state/postrider.db", lines);
    return true;
}

/* Somebody moved or deleted mail that was ours to move: told once, then it is as they left it.
 */
static bool
check_effects(Doctor *d, GError **error)
{
    g_autoptr(GPtrArray) lines = NULL;
    if (!effects_findings(d->engine->db, &lines, error))
        return false;
    if (lines->len == 0)
        return true;
    g_auto(Txn) txn = {.db = d->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = effects_forget_failed(&txn, error);
    if (!txn.done)
        return false;
    LIST_EACH(const char, line, lines)
        doctor_find(d, true, line, "could not be done, and stays as it is");
    return true;
}

/* Nothing sends these twice by itself: a person decides. */
static bool
check_doubt(Doctor *d, GError **error)
{
    const OutQuery q = {.state = "in_doubt", .limit = FINDINGS_SHOWN};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(d->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, o, rows) {
        g_autofree char *where = g_strdup_printf(
            "postrider outbox retry %" PRId64 ", or outbox arrived %" PRId64, o->id.v, o->id.v);
        doctor_find(d, false, where, "mail %" PRId64 " to %s may or may not have arrived",
                    o->id.v, o->address);
    }
    return true;
}

static bool
check_hold(Doctor *d, GError **error)
{
    if (!age_check(d->engine->db, error))
        return false;
    g_autofree char *why = db_hold_all(d->engine->db);
    if (why)
        doctor_find(d, false, why, "nothing runs or leaves");
    return true;
}

/* Files of notes and the store are brought together, as every run does. */
static bool
check_notes(Doctor *d, GError **error)
{
    g_autoptr(NotesReport) report = NULL;
    g_autoptr(GPtrArray) readers = g_ptr_array_new_with_free_func(g_free);
    if (!notes_sync(d->cli->home, d->engine->db, &report, error) ||
        !notes_readers_check(d->engine->db, readers, error))
        return false;
    find_all(d, "notes", readers);
    find_all(d, "notes", report->findings);
    LIST_EACH(const NoteConflict, c, report->conflicts)
        doctor_note(d,
                    "the note '%s' was edited by two at once: version %" PRId64
                    " holds, %" PRId64 " is in its history",
                    c->key, c->theirs, c->ours);
    if (report->imported || report->deleted)
        doctor_note(d, "notes that people edited, now in the store: %u, deleted: %u",
                    report->imported, report->deleted);
    if (report->written)
        doctor_note(d, "files of notes that were behind, now written: %u", report->written);
    return true;
}

static bool
check_settings(Doctor *d, GError **error)
{
    g_autoptr(GPtrArray) lost = g_ptr_array_new_with_free_func(g_free);
    if (!schedules_check(d->engine->db, lost, error))
        return false;
    find_all(d, "every", lost);
    if (d->cli->home->config->require_auth == AUTH_NONE)
        doctor_note(d, "require-auth = none: whoever writes the owner's address into From is "
                       "believed");
    wall_check(d->cli->home->config, d->notes);
    g_autoptr(GPtrArray) workdirs = g_ptr_array_new_with_free_func(g_free);
    workdir_check(d->cli->home, workdirs);
    find_all(d, "workdir", workdirs);
    return true;
}

/* The WAL-reset bug is in 3.7.0 to 3.51.2, and fixed in 3.44.6 and 3.50.7 too. */
static bool
has_wal_bug(const char *version)
{
    g_auto(GStrv) parts = g_strsplit(version, ".", 4);
    int64_t v[3] = {0};
    for (int i = 0; i < 3 && parts[i]; i++)
        (void)text_parse_int(parts[i], 0, INT_MAX, &v[i]);
    if (v[0] != 3)
        return false;
    if (v[1] == 44 || v[1] == 50)
        return v[2] < (v[1] == 44 ? 6 : 7);
    return v[1] < 51 || (v[1] == 51 && v[2] < 3);
}

static bool
note_library(Doctor *d, GError **error)
{
    const char *version = db_library_version();
    doctor_note(d, "SQLite %s, schema %d; %s", version, db_schema_version(),
                has_wal_bug(version)
                    ? "this SQLite can lose pages when others checkpoint, the write gate keeps "
                      "that away: open the store by hand with sqlite3 -readonly only"
                    : "this SQLite does not need the write gate");
    return true;
}

/* How many ids of each kind the index is behind; below 0: it is ahead. */
static bool
measure_index(Doctor *d, Index *ix, int64_t ret_behind[INDEX_N], GError **error)
{
    const MsgQuery newest = {.limit = 1};
    g_autoptr(MsgRows) rows = NULL;
    OutId written;
    int64_t in, out;
    if (!index_mark(ix, INDEX_IN, &in, error) || !index_mark(ix, INDEX_OUT, &out, error) ||
        !messages_list(d->engine->db, &VIEWER_OPERATOR, &newest, &rows, error) ||
        !outbox_below(d->engine->db, &VIEWER_OPERATOR, &newest, (OutId){INT64_MAX}, &written,
                      error))
        return false;
    int64_t last = rows->len ? rows->pdata[0]->id.v : 0;
    ret_behind[INDEX_IN] = last - in;
    ret_behind[INDEX_OUT] = written.v - out;
    return true;
}

/* The index may be gone or behind at any time; ahead it can only be that of another store. */
static bool
check_index(Doctor *d, GError **error)
{
    g_autoptr(Index) ix = NULL;
    int64_t behind[INDEX_N];
    bool fresh;
    if (!index_open(d->cli->home, &ix, &fresh, error) || !measure_index(d, ix, behind, error))
        return false;
    if (behind[INDEX_IN] < 0 || behind[INDEX_OUT] < 0)
        doctor_find(d, false, "state/index.db",
                    "the search index is of another store; run: postrider doctor --rebuild");
    else if (behind[INDEX_IN] > 0 || behind[INDEX_OUT] > 0)
        doctor_note(d,
                    "mail that the search index has not read yet (the next search does): "
                    "%" PRId64,
                    behind[INDEX_IN] + behind[INDEX_OUT]);
    return true;
}

/* What is older than its setting says. */
static bool
note_old(Doctor *d, GError **error)
{
    return keep_count(d->engine, d->notes, error);
}

/* What faces find in what they keep. */
static bool
check_faces(Doctor *d, GError **error)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    faces_check(d->engine, lines);
    if (!views_check(d->engine, lines, error))
        return false;
    find_all(d, d->cli->home->path, lines);
    return true;
}

static int
check_all(Doctor *d)
{
    static bool (*const checks[])(Doctor * d, GError * *error) = {
        check_past,       check_store,    check_effects, check_doubt,
        check_hold,       doctor_mail,    doctor_copies, doctor_modes,
        check_notes,      check_settings, note_library,  check_index,
        doctor_leftovers, doctor_servers, doctor_brains, check_faces,
        note_old,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
        g_autoptr(GError) why = NULL;
        if (!checks[i](d, &why))
            doctor_find(d, false, d->cli->home->path, "a check could not be made, %s",
                        why->message);
    }
    return report(d);
}

/* --- what it does when told to --- */

static int
rebuild(Doctor *d)
{
    GError **error = &d->cli->error;
    g_autoptr(Index) ix = NULL;
    bool fresh, tell = isatty(STDERR_FILENO);
    unsigned n, total = 0;
    if (!index_delete(d->cli->home, error) || !index_open(d->cli->home, &ix, &fresh, error))
        return cli_failed(d->cli, 0);
    do {
        if (!follow_index(d->engine, ix, PAGE, &n, error))
            return cli_failed(d->cli, 0);
        total += n;
        if (tell) {
            g_autofree char *line = g_strdup_printf("\r%u mails", total);
            (void)file_write_all(STDERR_FILENO, line, strlen(line), NULL);
        }
    } while (n > 0);
    if (tell)
        (void)file_write_all(STDERR_FILENO, "\n", 1, NULL);
    if (d->cli->json)
        cli_print_json(d->cli, json_pack("{s:b, s:i}", "ok", 1, "indexed", (int)total));
    else
        cli_print(d->cli, "the search index is new: %u mails\n", total);
    return 0;
}

/* Old mail of a mailbox that was there before us. */
static bool
add_if_history(Doctor *d, const MsgRow *row, void *data, GError **error)
{
    GArray *ids = data;
    if (row->why && g_str_has_prefix(row->why, "history"))
        g_array_append_val(ids, row->id);
    return true;
}

static int
say_released(Doctor *d, unsigned released, unsigned left, unsigned failed, int status)
{
    if (d->cli->json)
        cli_print_json(d->cli,
                       json_pack("{s:b, s:i, s:i, s:i}", "ok", failed == 0, "released",
                                 (int)released, "left", (int)left, "failed", (int)failed));
    else if (left)
        cli_print(d->cli, "released: %u; no work after all: %u (see: postrider mail list)\n",
                  released, left);
    else
        cli_print(d->cli, "released: %u\n", released);
    return status;
}

/* Oldest first, as it would have been worked. */
static int
release_history(Doctor *d)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(MsgId));
    unsigned done = 0, left = 0;
    int status = 0;
    GError **error = &d->cli->error;
    if (!doctor_each_mail(d, (MsgQuery){.state = "ignored"}, add_if_history, ids, error))
        return cli_failed(d->cli, 0);
    for (guint i = ids->len; i > 0; i--) {
        bool released = false;
        if (!release_judged(d->engine, g_array_index(ids, MsgId, i - 1), &released, error)) {
            status = cli_failed(d->cli, 0);
            continue;
        }
        done += released;
        left += !released;
    }
    return say_released(d, done, left, ids->len - done - left, status);
}

static int
release(Doctor *d, const char *what)
{
    if (g_str_equal(what, "all"))
        return release_history(d);
    g_auto(MailFound) found = {0};
    int status = mail_find(d->cli, d->engine->db, what, &found);
    if (status)
        return status;
    if (!found.in)
        return cli_fail(EX_DATAERR, "'%s' is mail on its way out; see: postrider outbox", what);
    int64_t n = 1;
    if (what[strspn(what, "#0123456789")] != '\0' &&
        !copies_count(d->engine->db, found.in->role, found.in->msgid, &n, &d->cli->error))
        return cli_failed(d->cli, 0);
    if (n > 1)
        return cli_fail(EX_DATAERR,
                        "%" PRId64
                        " mails have the id '%s': 'postrider mail trace' names them; "
                        "release one by its number, as in '#%" PRId64 "'",
                        n, what, found.in->id.v);
    if (!release_one(d->engine, found.in->id, &d->cli->error))
        return cli_failed(d->cli, 0);
    return say_released(d, 1, 0, 0, 0);
}

/* --- the verb --- */

static int
work(Doctor *d)
{
    Cli *cli = d->cli;
    if (!engine_open(cli->home, &cli_parts, &d->engine, &cli->error)) {
        if (!err_is(cli->error, ERR_DAMAGE))
            return cli_failed(cli, 0);
        /* The text tells the way back. */
        doctor_find(d, false, cli->error->message, "the store is damaged");
        g_clear_error(&cli->error);
        return report(d);
    }
    if (cli_flag(cli, "accept-backup"))
        return doctor_accept(d);
    if (cli_text(cli, "release"))
        return release(d, cli_text(cli, "release"));
    return cli_flag(cli, "rebuild") ? rebuild(d) : check_all(d);
}

int
cmd_doctor(Cli *cli, int argc, char **argv)
{
    bool full = cli_flag(cli, "full");
    if (full + cli_flag(cli, "rebuild") + cli_flag(cli, "accept-backup") +
            (cli_text(cli, "release") != NULL) >
        1)
        return cli_usage(cli, "one of its options at a time");
    int status = cli_home(cli);
    if (status)
        return status;
    g_autoptr(Findings) findings = findings_new();
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    Doctor d = {.cli = cli,
                .full = full,
                .brains = cli_flag(cli, "brains"),
                .findings = findings,
                .notes = notes};
    status = work(&d);
    engine_close(d.engine);
    return status;
}
