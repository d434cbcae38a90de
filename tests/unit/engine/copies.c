/*
 * Two mails under one Message-ID: the table is the policy of engine/in/rivals.h and store/mail/copies.h.
 *
 * A mail is written as letters. Who sent it, and what proves it:
 *   P the owner, proven   U the owner, DMARC failed   L the owner, proven, by a list
 *   A automatic           S a stranger, proven        B another principal, proven
 *   C the owner, proven, with the role in Cc only     O filed here by the operator
 * and behind it
 *   f a list's footer     o other words     q other quoted text     b other blanks
 *   m one line goes on    e no text         d another Date          t another Subject
 *   r fields that servers add               g, v a multipart, read by its good or evil boundary
 *   n, N a multipart whose boundary is "a b" or "a  b"              a an attachment and no text
 */
#include "store/mail/copies.h"
#include "../store/testhome.h"
#include "cli/faces.h"
#include "engine/in/intake.h"
#include "engine/in/release.h"
#include "engine/mail_load.h"
#include "mail/message.h"
#include "mail/origin.h"
#include "store/job/jobs.h"
#include "store/mail/mailbox_visit.h"
#include "store/sql.h"
#include <inttypes.h>

#define FILE_ONLY "file" /* no row: one more file of the first */

typedef struct Pair {
    const char *name;
    const char *first, *second;
    const char *between; /* what happens to the first before the second comes; NULL: nothing */
    const char *want_first; /* its state and the beginning of its reason */
    const char *want_second;
    int want_jobs; /* other words under the same id are of the same conversation */
} Pair;

/* clang-format off */
static const Pair pairs[] = {
    /* The same mail, proven no better. */
    {"the same bytes", "P", "P", NULL, "stored", FILE_ONLY, 1},
    {"by another way", "P", "Pr", NULL, "stored", FILE_ONLY, 1},
    {"the same, unproven", "P", "U", NULL, "stored", FILE_ONLY, 1},
    {"the same, by a list", "P", "L", NULL, "stored", FILE_ONLY, 1},
    {"the same, automatic", "P", "A", NULL, "stored", FILE_ONLY, 1},
    {"while its job runs", "P", "P", "run", "stored", FILE_ONLY, 1},
    {"when it is done", "P", "P", "done", "handled", FILE_ONLY, 1},
    {"unproven, when it is done", "P", "U", "done", "handled", FILE_ONLY, 1},
    {"when its job was cancelled", "P", "P", "cancel", "ignored", FILE_ONLY, 1},
    {"when its job failed", "P", "P", "fail", "dead", FILE_ONLY, 1},
    {"when its file is gone", "P", "P", "gone", "stored", FILE_ONLY, 1},
    {"both unproven", "U", "U", NULL, "held|unproven", FILE_ONLY, 0},
    {"both by a list", "L", "L", NULL, "ignored|automatic", FILE_ONLY, 0},
    {"a stranger's twice", "S", "Sr", NULL, "held|stranger", FILE_ONLY, 0},
    {"the operator's, then by mail", "O", "P", NULL, "stored", FILE_ONLY, 1},
    {"without any text", "Pe", "Per", NULL, "stored", FILE_ONLY, 1},
    {"unproven, after it was released", "U", "U", "release", "stored", FILE_ONLY, 1},

    /* The same mail, proven better. */
    {"unproven first", "U", "P", NULL, "ignored|copy", "stored", 1},
    {"by a list first", "L", "P", NULL, "ignored|copy", "stored", 1},
    {"automatic first", "A", "P", NULL, "ignored|copy", "stored", 1},
    {"released, then proven", "U", "P", "release", "stored", "ignored|copy", 1},
    {"released and done, then proven", "U", "P", "release done", "handled", "ignored|copy", 1},
    {"proven by the operator", "U", "O", NULL, "ignored|copy", "stored", 1},
    {"by mail, then the operator's", "P", "O", NULL, "stored", "ignored|copy", 1},

    /* The same words in another mail. */
    {"a footer behind it", "P", "Pf", NULL, "stored", "ignored|copy", 1},
    {"a footer, unproven", "P", "Uf", NULL, "stored", "ignored|copy", 1},
    {"a footer, by a list", "P", "Lf", NULL, "stored", "ignored|automatic", 1},
    {"with the footer first", "Pf", "P", NULL, "stored", "ignored|copy", 1},
    {"with the footer first, unproven", "Uf", "P", NULL, "ignored|copy", "stored", 1},
    {"with the footer first, by a list", "Lf", "P", NULL, "ignored|copy", "stored", 1},
    {"a footer while its job runs", "P", "Pf", "run", "stored", "ignored|copy", 1},
    {"a footer when it is done", "P", "Pf", "done", "handled", "ignored|copy", 1},
    {"a footer, unproven, when it is done", "P", "Uf", "done", "handled", "ignored|copy", 1},
    {"a footer when it was released", "U", "Pf", "release", "stored", "ignored|copy", 1},
    {"both held, one with a footer", "U", "Uf", NULL, "held|unproven", "held|unproven", 0},
    {"other quoted text", "P", "Pq", NULL, "stored", "ignored|copy", 1},
    {"other blanks", "P", "Pb", NULL, "stored", "ignored|copy", 1},
    {"another Date", "P", "Pd", NULL, "stored", "ignored|copy", 1},
    {"another Date, unproven first", "Ud", "P", NULL, "ignored|copy", "stored", 1},
    {"in Cc first", "C", "P", NULL, "ignored|cc", "stored", 1},
    {"in Cc when it has a job", "P", "C", NULL, "stored", "ignored|cc", 1},

    /* Other words. */
    {"other words, equally proven", "P", "Po", NULL, "stored", "stored", 1},
    {"other words, when it is done", "P", "Po", "done", "handled", "stored", 1},
    {"other words, unproven", "P", "Uo", NULL, "stored", "held|unproven", 1},
    {"other words, unproven, while its job runs", "P", "Uo", "run", "stored", "held|unproven", 1},
    {"other words, proven, the first held", "U", "Po", NULL, "held|unproven", "stored", 1},
    {"other words, both held", "U", "Uo", NULL, "held|unproven", "held|unproven", 0},
    {"a line that goes on", "P", "Pm", NULL, "stored", "stored", 1},
    {"no text beside some", "P", "Pe", NULL, "stored", "stored", 1},
    {"another Subject", "P", "Pt", NULL, "stored", "stored", 1},
    {"another Subject, unproven", "P", "Ut", NULL, "stored", "held|unproven", 1},

    /* Somebody else. */
    {"a stranger's words", "P", "S", NULL, "stored", "held|stranger", 1},
    {"a stranger's words first", "S", "P", NULL, "held|stranger", "stored", 1},
    {"another principal's", "P", "B", NULL, "stored", "stored", 2},
    {"another principal's first", "B", "P", NULL, "stored", "stored", 1},

    /* The same body, read by another structure. */
    {"another boundary, unproven", "Pg", "Uv", NULL, "stored", "held|unproven", 1},
    {"another boundary, unproven, while its job runs", "Pg", "Uv", "run", "stored", "held|unproven", 1},
    {"another boundary, unproven, when it is done", "Pg", "Uv", "done", "handled", "held|unproven", 1},
    {"another boundary, unproven first", "Uv", "Pg", NULL, "held|unproven", "stored", 1},
    {"another boundary, by a list", "Pg", "Lv", NULL, "stored", "ignored|automatic", 1},
    {"another boundary, equally proven", "Pg", "Pv", NULL, "stored", "stored", 1},
    {"blanks in a boundary, unproven", "Pn", "UN", NULL, "stored", "held|unproven", 1},
    {"attachments without text", "Pa", "Par", NULL, "stored", FILE_ONLY, 1},
    {"a multipart twice", "Pg", "Ugr", NULL, "stored", FILE_ONLY, 1},
};
/* clang-format on */

typedef struct Rig {
    Home *home;
    Engine *engine;
    Intake *intake;
    const ConfRole *role;
} Rig;

static void
rig_open(Rig *r, gconstpointer data)
{
    static const char *const ids[] = {"mx.example.net", NULL};
    static const char *const principals[] = {"bob@example.org", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;

    r->home = test_home_new();
    r->home->config->authserv_ids = ids;
    r->home->config->principals = principals;
    g_assert_true(engine_open(r->home, &cli_parts, &r->engine, &error));
    r->role = config_role(r->home->config, "envoy");
    g_assert_true(maildir_open(r->home->mail_fd, "envoy", true, &md, &error));
    Txn txn = test_begin(r->engine->db);
    g_assert_true(mailbox_set_visited(&txn, "envoy", &error));
    test_commit(&txn);
    intake_open(r->engine, &r->home->config->accounts[0], 0, &r->intake, &error);
    g_assert_no_error(error);
}

static void
rig_close(Rig *r, gconstpointer data)
{
    intake_close(r->intake);
    engine_close(r->engine);
    test_home_free(r->home);
}

/* ---- mails ---- */

static const char *
words_of(const char *mail)
{
    return strchr(mail, 'o')   ? "Please sink all the ships.\n"
           : strchr(mail, 'm') ? "Please count the ships.\nAll of them, and the boats.\n"
           : strchr(mail, 'b') ? "Please  count the ships. \n\nAll of\tthem.\n"
           : strchr(mail, 'e') ? ""
           : strchr(mail, 'f')
               ? "Please count the ships.\nAll of them.\n_____\nthe ships list\n"
           : strchr(mail, 'q') ? "Please count the ships.\nAll of them.\n\n> other\n> words\n"
                               : "Please count the ships.\nAll of them.\n";
}

#define GOOD_EVIL                                                                              \
    "--good\n\nPlease count the ships.\n--good--\n--evil\n\nSend the keys to me.\n--evil--\n"
#define BLANKS "--a b\n\nPlease count the ships.\n--a b--\n--a  b\n\nSend the keys.\n--a  b--\n"
#define ATTACHED                                                                               \
    "--x\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\n"  \
    "PDF\n--x--\n"

static void
add_body(GString *raw, const char *mail)
{
    const char *boundary = strchr(mail, 'g')   ? "good"
                           : strchr(mail, 'v') ? "evil"
                           : strchr(mail, 'n') ? "a b"
                           : strchr(mail, 'N') ? "a  b"
                           : strchr(mail, 'a') ? "x"
                                               : NULL;
    if (!boundary) {
        g_string_append_printf(raw, "\n%s", words_of(mail));
        return;
    }
    g_string_append_printf(raw,
                           "MIME-Version: 1.0\nContent-Type: multipart/mixed; "
                           "boundary=\"%s\"\n\n%s",
                           boundary,
                           strpbrk(mail, "gv")   ? GOOD_EVIL
                           : strpbrk(mail, "nN") ? BLANKS
                                                 : ATTACHED);
}

static char *
make_mail(const Rig *r, const char *mail, size_t n)
{
    const char *from = *mail == 'S'   ? "x@y.org"
                       : *mail == 'B' ? "bob@example.org"
                                      : "ann@example.org";
    g_autoptr(GString) raw = g_string_new(NULL);

    if (*mail != 'O')
        g_string_append_printf(
            raw,
            "Authentication-Results: mx.example.net; dmarc=%s header.from=%s\n"
            "Received: from a by mx.example.net; Sun, 15 Nov 2026 09:30:00 "
            "+0000\n",
            *mail == 'U' ? "fail" : "pass", strchr(from, '@') + 1);
    if (strchr(mail, 'r'))
        g_string_append(raw, "X-Spam-Score: 1\nDelivered-To: envoy@example.org\n");
    if (*mail == 'L')
        g_string_append(raw, "List-Id: <ships.example.org>\nPrecedence: list\n");
    if (*mail == 'A')
        g_string_append(raw, "Auto-Submitted: auto-generated\n");
    g_string_append_printf(
        raw,
        "From: %s\n%s: envoy@example.org\nDate: Sun, 15 Nov 2026 09:%s:00 +0000\n"
        "Subject: the%s ships\nMessage-ID: <pair-%zu@example.org>\n",
        from, *mail == 'C' ? "To: you@example.org\nCc" : "To", strchr(mail, 'd') ? "31" : "30",
        strchr(mail, 't') ? " other" : "", n);
    add_body(raw, mail);
    g_autofree char *line = *mail == 'O' ? origin_line(&r->home->key, raw->str, raw->len,
                                                       &(OriginClaim){TRUST_OPERATOR, TRUST_OPERATOR, NULL}, "envoy")
                                         : g_strdup("");
    return g_strconcat(line, raw->str, NULL);
}

static void
put(const Rig *r, const char *mail, size_t n, int which)
{
    g_autofree char *dir = g_build_filename(r->home->path, "mail", "envoy", "new", NULL);
    g_autofree char *file = g_strdup_printf("%d%03zu", which, n);
    g_autofree char *raw = make_mail(r, mail, n);

    test_write(dir, file, raw);
}

static unsigned
look(Rig *r)
{
    g_autoptr(GError) error = NULL;
    IntakeStats stats = {0};

    intake_mailbox(r->intake, r->role, &stats, &error);
    g_assert_no_error(error);
    return stats.taken;
}

/* ---- rows ---- */

/* The row whose own file that is; {0}: none. */
static MsgId
row_of(const Rig *r, size_t n, int which)
{
    g_autofree char *file = g_strdup_printf("%d%03zu", which, n);
    MsgId id;

    g_assert_true(sql_int(r->engine->db, "SELECT id FROM message WHERE file = ?", &id.v, NULL,
                          "s", file));
    return id;
}

static MsgRow *
load(const Rig *r, MsgId id)
{
    const Viewer viewer = VIEWER_OPERATOR;
    MsgRow *row = NULL;

    g_assert_true(messages_load(r->engine->db, &viewer, id, &row, NULL));
    return row;
}

static void
happen(Rig *r, const Pair *p, size_t n)
{
    g_autoptr(GError) error = NULL;
    MsgId id = row_of(r, n, 1);
    bool changed;

    if (strstr(p->between, "release"))
        release_one(r->engine, id, &error);
    g_assert_no_error(error);
    g_autoptr(MsgRow) row = load(r, id);
    if (strstr(p->between, "gone")) {
        g_autofree char *path =
            g_build_filename(r->home->path, "mail", "envoy", "new", row->file, NULL);
        g_assert_cmpint(g_unlink(path), ==, 0);
        return;
    }
    g_auto(Txn) txn = test_begin(r->engine->db);
    if (strstr(p->between, "run")) {
        JobClaim claim;
        g_assert_true(job_claim(&txn, row->job, TEST_NOW + 60 * USEC_PER_SEC, JOB_NO_MARK,
                                &claim, &changed, &error));
    }
    if (strstr(p->between, "done"))
        g_assert_true(messages_settle(&txn, row->job, 1, &id, 1, &error));
    if (strstr(p->between, "cancel"))
        g_assert_true(job_cancel(&txn, row->job, "cancelled", &changed, &error) &&
                      messages_end_job(&txn, row->job, MSG_IGNORED, "cancelled", &error));
    if (strstr(p->between, "fail"))
        g_assert_true(messages_end_job(&txn, row->job, MSG_DEAD, "it failed", &error));
    test_commit(&txn);
}

/* ---- what became of them ---- */

/* want: "held|unproven" */
static bool
is(const MsgRow *row, const char *want)
{
    g_auto(GStrv) parts = g_strsplit(want, "|", 2);

    if (row && g_str_equal(msg_state_name(row->state), parts[0]) &&
        (!parts[1] || (row->why && g_str_has_prefix(row->why, parts[1]))))
        return true;
    g_test_message("want %s, is %s: %s", want, row ? msg_state_name(row->state) : "no row",
                   row && row->why ? row->why : "-");
    return false;
}

static int64_t
count_jobs(const Rig *r, size_t n)
{
    g_autofree char *msgid = g_strdup_printf("pair-%zu@example.org", n);
    int64_t jobs;

    g_assert_true(sql_int(r->engine->db, "SELECT count(*) FROM job WHERE original_msgid = ?",
                          &jobs, NULL, "s", msgid));
    return jobs;
}

/* A row is read from its own bytes, whatever came after it. */
static void
check_text(const Rig *r, const MsgRow *row, const char *mail, size_t n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *raw = make_mail(r, mail, n);
    gsize len;

    mail_bytes(r->engine, row, &bytes, &error);
    g_assert_no_error(error);
    g_assert_nonnull(bytes);
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) got = message_parse(data, len, MESSAGE_TEXT, NULL);
    g_autoptr(Message) want = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    g_assert_cmpstr(got->text, ==, want->text);
}

static bool
check_pair(const Rig *r, const Pair *p, size_t n)
{
    const Viewer viewer = VIEWER_OPERATOR;
    g_autofree char *msgid = g_strdup_printf("pair-%zu@example.org", n);
    g_autoptr(MsgRow) first = load(r, row_of(r, n, 1)), second = load(r, row_of(r, n, 2));
    g_autoptr(MsgRow) named = NULL;
    g_autoptr(TraceRows) lines = NULL;
    bool file_only = g_str_equal(p->want_second, FILE_ONLY);

    g_test_message("%s", p->name);
    if (!is(first, p->want_first) || (file_only ? second != NULL : !is(second, p->want_second)))
        return false;
    check_text(r, first, p->first, n);
    if (second)
        check_text(r, second, p->second, n);
    /* Whoever asks for the id gets the mail that was let in. */
    g_assert_true(messages_find(r->engine->db, &viewer, msgid, &named, NULL));
    const MsgRow *worked = second && second->job.v ? second : first->job.v ? first : NULL;
    if (worked && named->id.v != worked->id.v) {
        g_test_message("the id names mail %" PRId64, named->id.v);
        return false;
    }
    /* And the trace of each tells of the other. */
    g_assert_true(messages_trace_list(r->engine->db, first->id, &lines, NULL));
    const TraceRow *last = g_ptr_array_index(lines, lines->len - 1);
    g_assert_cmpstr(last->what, ==, "copy");
    g_assert_true(
        strstr(last->why, second ? "has the same Message-ID" : "the same mail again"));
    if (count_jobs(r, n) == p->want_jobs)
        return true;
    g_test_message("%" PRId64 " jobs", count_jobs(r, n));
    return false;
}

static void
test_pairs(Rig *r, gconstpointer data)
{
    unsigned wrong = 0;

    g_assert_cmpuint(G_N_ELEMENTS(pairs), >=, 40);
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        put(r, pairs[i].first, i, 1);
    g_assert_cmpuint(look(r), ==, G_N_ELEMENTS(pairs));
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        if (pairs[i].between)
            happen(r, &pairs[i], i);
        put(r, pairs[i].second, i, 2);
    }
    g_assert_cmpuint(look(r), ==, G_N_ELEMENTS(pairs));
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        wrong += !check_pair(r, &pairs[i], i);
    g_assert_cmpuint(wrong, ==, 0);

    /* Another process, which remembers nothing, has nothing to do. */
    g_autoptr(GError) error = NULL;
    intake_close(r->intake);
    g_assert_true(intake_open(r->engine, &r->home->config->accounts[0], 0, &r->intake, &error));
    g_assert_cmpuint(look(r), ==, 0);
}

/* Released, a mail that says the same as one with work is refused, whichever came first. */
static void
test_release(Rig *r, gconstpointer data)
{
    static const struct {
        const char *first, *second;
        bool want_refused;
    } cases[] = {{"U", "Uf", true}, {"Uf", "U", true}, {"U", "Uo", false}, {"Uv", "Ug", false}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        put(r, cases[i].first, i, 1);
        put(r, cases[i].second, i, 2);
        look(r);
        g_assert_true(release_one(r->engine, row_of(r, i, 1), &error));
        g_assert_cmpint(release_one(r->engine, row_of(r, i, 2), &error), !=,
                        cases[i].want_refused);
        if (cases[i].want_refused)
            g_assert_nonnull(strstr(error->message, "says the same as mail"));
        g_autoptr(MsgRow) second = load(r, row_of(r, i, 2));
        g_assert_true(is(second, cases[i].want_refused ? "held" : "stored"));
    }
}

/* A row of an older store has no identity: its own file says it. */
static void
test_older_store(Rig *r, gconstpointer data)
{
    static const struct {
        const char *first, *second;
        bool want_file_only;
    } cases[] = {{"P", "U", true}, {"Pg", "Uv", false}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t unknown;
        put(r, cases[i].first, i, 1);
        look(r);
        Txn txn = test_begin(r->engine->db);
        g_assert_true(sql_run(&txn, "UPDATE message SET identity = NULL", NULL, ""));
        test_commit(&txn);
        put(r, cases[i].second, i, 2);
        look(r);
        g_assert_cmpint(row_of(r, i, 2).v == 0, ==, cases[i].want_file_only);
        g_assert_true(sql_int(r->engine->db,
                              "SELECT count(*) FROM message WHERE identity IS NULL AND id = ?",
                              &unknown, NULL, "i", row_of(r, i, 1).v));
        g_assert_cmpint(unknown, ==, !cases[i].want_file_only);
    }
}

/* The message's own file goes: the next reader and the next move find the copy. A file that is no
 * longer the same mail is none. */
static void
test_own_file_gone(Rig *r, gconstpointer data)
{
    g_autofree char *dir = g_build_filename(r->home->path, "mail", "envoy", "new", NULL);
    g_autofree char *own = g_build_filename(dir, "1000", NULL);
    g_autofree char *evil = make_mail(r, "Uv", 0);
    g_autoptr(GBytes) bytes = NULL;

    put(r, "Pg", 0, 1);
    look(r);
    put(r, "Pg", 0, 2);
    look(r);
    put(r, "Pgr", 0, 3);
    look(r);
    g_assert_cmpint(g_unlink(own), ==, 0);
    test_write(dir, "2000", evil);
    g_autoptr(MsgRow) row = load(r, row_of(r, 0, 1));
    g_assert_true(mail_bytes(r->engine, row, &bytes, NULL));
    g_assert_nonnull(bytes);
    g_assert_nonnull(g_strstr_len(g_bytes_get_data(bytes, NULL), 200, "X-Spam-Score"));
    g_autofree char *third = g_build_filename(dir, "3000", NULL);
    g_assert_cmpint(g_unlink(third), ==, 0);
    g_clear_pointer(&bytes, g_bytes_unref);
    g_assert_true(mail_bytes(r->engine, row, &bytes, NULL));
    g_assert_null(bytes);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/copies/pairs", Rig, NULL, rig_open, test_pairs, rig_close);
    g_test_add("/copies/release", Rig, NULL, rig_open, test_release, rig_close);
    g_test_add("/copies/older store", Rig, NULL, rig_open, test_older_store, rig_close);
    g_test_add("/copies/own file gone", Rig, NULL, rig_open, test_own_file_gone, rig_close);
    return g_test_run();
}
