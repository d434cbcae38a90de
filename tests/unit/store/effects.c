#include "store/out/effects.h"
#include "base/err.h"
#include "store/out/outbox.h"
#include "temp_store.h"

/*
 * A world of its own for the fake ops, since they are told nothing but the effect: the subject
 * says how it behaves, and what was done is written down.
 *
 *   done…     it is there already          late…     it is not, act does it
 *   foreign…  somebody else was there      stuck…    act fails
 *   blind…    act works, nobody can see it
 */
static GString *acts; /* "subject>args " for each act */

static bool
has_acted(const Effect *e)
{
    g_autofree char *line = g_strdup_printf("%s>%s ", e->subject, e->args);

    return strstr(acts->str, line) != NULL;
}

static bool
fake_look(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    (void)db, (void)error;
    *ret_seen = EFFECT_NOT_YET;
    if (g_str_has_prefix(e->subject, "done") ||
        (g_str_has_prefix(e->subject, "late") && has_acted(e)))
        *ret_seen = EFFECT_DONE;
    if (g_str_has_prefix(e->subject, "foreign")) {
        *ret_seen = EFFECT_FOREIGN;
        *ret_why = g_strdup("a person moved it");
    }
    return true;
}

static bool
fake_act(Db *db, const Effect *e, GError **error)
{
    (void)db;
    if (g_str_has_prefix(e->subject, "stuck"))
        return err_set(error, ERR_LATER, "disk full");
    g_string_append_printf(acts, "%s>%s ", e->subject, e->args);
    return true;
}

static const EffectOps fake = {fake_look, fake_act};
static const EffectOps *const ops[EFFECT_N_KINDS] = {&fake, &fake};
static const EffectOps *const only_moves[EFFECT_N_KINDS] = {[EFFECT_MAIL_MOVE] = &fake};

static void
setup(TempStore *s, gconstpointer data)
{
    temp_store_open(s, data);
    acts = g_string_new(NULL);
}

static void
teardown(TempStore *s, gconstpointer data)
{
    g_string_free(acts, TRUE);
    temp_store_close(s, data);
}

static EffectId
owe(TempStore *s, EffectKind kind, MsgId message, const char *subject, const char *args)
{
    const Effect e = {.kind = kind,
                      .job = {1},
                      .message = message,
                      .account = "",
                      .subject = subject,
                      .args = args};
    g_autoptr(GError) error = NULL;
    EffectId id = {0};
    Txn txn = test_begin(s->db);

    effect_put(&txn, &e, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static unsigned
count(TempStore *s, bool failed)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    effects_count(s->db, failed, &n, &error);
    g_assert_no_error(error);
    return n;
}

static void
test_one(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *subject, *want_acts;
        unsigned want_n, want_owed, want_failed;
    } cases[] = {
        {"done", "", 1, 0, 0},  {"late", "late>Done ", 1, 0, 0},   {"foreign", "", 1, 0, 1},
        {"stuck", "", 0, 1, 0}, {"blind", "blind>Done ", 0, 1, 0},
    };
    unsigned owed = 0, failed = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        unsigned n = 99;
        bool want_ok = cases[i].want_owed == 0 && owed == 0;

        g_string_truncate(acts, 0);
        owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, cases[i].subject, "Done");
        g_test_message("%s", cases[i].subject);
        g_assert_cmpint(effects_settle(s->db, "", ops, NULL, &n, &error), ==, want_ok);
        if (!want_ok)
            g_assert_error(error, ERR_DOMAIN, ERR_LATER);
        owed += cases[i].want_owed;
        failed += cases[i].want_failed;
        g_assert_cmpuint(n, ==, cases[i].want_n);
        g_assert_cmpuint(count(s, false), ==, owed);
        g_assert_cmpuint(count(s, true), ==, failed);
        g_assert_cmpstr(acts->str, ==, cases[i].want_acts);
    }
}

/* One that can't be settled blocks what comes behind it on its subject, and nothing else. */
static void
test_order(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    owe(s, EFFECT_MAIL_FLAG, (MsgId){0}, "late/1", "S");
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late/1", "Active");
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late/1", "Done");
    g_assert_true(effects_settle(s->db, "", ops, NULL, &n, &error));
    g_assert_cmpstr(acts->str, ==, "late/1>S late/1>Active late/1>Done ");

    g_string_truncate(acts, 0);
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late/2", "Active");
    owe(s, EFFECT_MAIL_FLAG, (MsgId){0}, "late/2", "S"); /* nobody flags here */
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late/2", "Done");
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late/3", "Done");
    g_assert_false(effects_settle(s->db, "", only_moves, NULL, &n, &error));
    g_assert_error(error, ERR_DOMAIN, ERR_LATER);
    g_assert_nonnull(strstr(error->message, "2 effects are left"));
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpstr(acts->str, ==, "late/2>Active late/3>Done ");

    g_clear_error(&error);
    g_assert_true(effects_settle(s->db, "", ops, NULL, &n, &error)); /* the sweep ends it */
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpuint(count(s, false), ==, 0);
}

/* After a foreign one the next is looked at by itself. */
static void
test_foreign_blocks_not(TempStore *s, gconstpointer data)
{
    g_autoptr(GPtrArray) lines = NULL;
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "foreign/1", "Active");
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "foreign/1", "Done");
    g_assert_true(effects_settle(s->db, "", ops, NULL, &n, &error));
    g_assert_cmpuint(n, ==, 2);
    g_assert_true(effects_findings(s->db, &lines, &error));
    g_assert_cmpuint(lines->len, ==, 2);
    g_assert_cmpstr(lines->pdata[1], ==, "mail-move 'foreign/1' to 'Done': a person moved it");
    g_assert_true(effects_settle(s->db, "", ops, NULL, &n, &error)); /* failed is settled */
    g_assert_cmpuint(n, ==, 0);
}

static void
test_account(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "late", "Done");
    g_assert_true(effects_settle(s->db, "imap", ops, NULL, &n, &error));
    g_assert_cmpuint(n, ==, 0);
    g_assert_cmpuint(count(s, false), ==, 1);
}

static void
put_mail(TempStore *s, EffectId after)
{
    const OutTo to = {"bob@example.org", "bob", "", NULL};
    g_autoptr(GBytes) bytes = g_bytes_new_static("x\n", 2);
    g_autoptr(GError) error = NULL;
    OutId id = {0};
    Txn txn = test_begin(s->db);

    outbox_next(&txn, &id, &error);
    const OutMail mail = {.msgid = "5.1.tag@example.org",
                          .from = "envoy@example.org",
                          .bytes = bytes,
                          .job = {1},
                          .after = after,
                          .to = &to,
                          .n_to = 1};
    outbox_put(&txn, id, &mail, &error);
    test_commit(&txn);
    g_assert_no_error(error);
}

/* Mail that speaks of an effect leaves when it is done, and is held when it can't be. */
static void
test_mail_waits(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *subject, *want_state;
    } cases[] = {{"late/1", "ready"}, {"foreign/1", "held"}, {"stuck/1", "waiting"}};
    const Viewer all = VIEWER_OPERATOR;

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(OutRows) rows = NULL;
        g_autoptr(GError) error = NULL;
        unsigned n = 0;

        put_mail(s, owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, cases[i].subject, "Done"));
        (void)effects_settle(s->db, "", ops, NULL, &n, NULL);
        g_assert_true(
            outbox_list(s->db, &all, &(OutQuery){.all = true, .limit = 1}, &rows, &error));
        const OutRow *r = rows->pdata[0];
        g_assert_cmpstr(out_state_name(r->state), ==, cases[i].want_state);
        g_assert_cmpstr(r->why, ==, i == 1 ? "a person moved it" : NULL);
    }
}

static void
test_move_is_written(TempStore *s, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;
    Txn txn = test_begin(s->db);
    MsgId moved = temp_message(&txn, (JobId){1}, "handled");
    MsgId flagged = temp_message(&txn, (JobId){1}, "handled");

    test_commit(&txn);
    owe(s, EFFECT_MAIL_MOVE, moved, "late/1", "Done+RS");
    owe(s, EFFECT_MAIL_FLAG, flagged, "late/2", "S");
    g_assert_true(effects_settle(s->db, "", ops, NULL, &n, &error));
    const char *in_done = "SELECT folder = 'Done' FROM message WHERE id = ?";
    g_assert_cmpint(temp_int(s, in_done, moved.v), ==, 1);
    g_assert_cmpint(temp_int(s, in_done, flagged.v), ==, 0);
}

static Db *racing_db;

/* Another process settles the same effect first, and its number is given out again. */
static bool
look_while_replaced(
    Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    Txn txn = test_begin(racing_db);
    const Effect other = {.kind = EFFECT_MAIL_MOVE,
                          .job = {2},
                          .account = "",
                          .subject = "another",
                          .args = "Done"};
    EffectId id = {0};

    (void)db, (void)ret_why;
    sql_run(&txn, "DELETE FROM effect WHERE id = ?", error, "i", e->id.v);
    effect_put(&txn, &other, &id, error);
    test_commit(&txn);
    g_assert_cmpint(id.v, ==, e->id.v);
    *ret_seen = EFFECT_DONE;
    return true;
}

static void
test_number_reused(TempStore *s, gconstpointer data)
{
    static const EffectOps racing = {look_while_replaced, fake_act};
    const EffectOps *const race[EFFECT_N_KINDS] = {&racing, &racing};
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    racing_db = s->db;
    owe(s, EFFECT_MAIL_MOVE, (MsgId){0}, "one", "Done");
    g_assert_true(effects_settle(s->db, "", race, NULL, &n, &error));
    g_assert_cmpuint(count(s, false), ==, 1); /* the other one is still owed */
}

#define ADD(path, function)                                                                    \
    g_test_add("/effects/" path, TempStore, NULL, setup, function, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("one", test_one);
    ADD("order", test_order);
    ADD("foreign", test_foreign_blocks_not);
    ADD("account", test_account);
    ADD("mail-waits", test_mail_waits);
    ADD("move-is-written", test_move_is_written);
    ADD("number-reused", test_number_reused);
    return g_test_run();
}
