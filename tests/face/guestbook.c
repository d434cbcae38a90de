#include "guestbook.h"
#include "mail/quote.h"
#include "store/job/views.h"
#include "store/sql.h"

#define NAME "guestbook"
#define HOUR_US (3600 * USEC_PER_SEC)

static const char *const sql[] = {"CREATE TABLE guest (job INTEGER PRIMARY KEY, state TEXT);"};
static const SqlPart tables = {sql, G_N_ELEMENTS(sql)};

static bool
set(Txn *txn, JobId job, const char *state, GError **error)
{
    return sql_run(txn,
                   "INSERT INTO guest (job, state) VALUES (?, ?) "
                   "ON CONFLICT (job) DO UPDATE SET state = excluded.state",
                   error, "is", job.v, state) &&
           view_raise(txn, NAME, "guests/book.txt", job, error);
}

static char *
get(Db *db, JobId job)
{
    char *state = NULL;
    (void)sql_string(db, "SELECT state FROM guest WHERE job = ?", &state, NULL, "i", job.v);
    return state ? state : g_strdup("gone");
}

static bool
claims(const Engine *engine, const MsgNew *in)
{
    return g_str_has_prefix(in->mail->subject, "visit");
}

#define STORED Engine *e, Txn *txn, MsgId id, const MsgNew *in, JobId job
static bool
stored(STORED, GError **error)
{
    g_autofree char *about = g_strdup_printf("%" G_GINT64_FORMAT, job.v);
    if (in->class == MSG_ORDER)
        return set(txn, job, "signed", error);
    return !claims(e, in) || (set(txn, job, "here", error) &&
                                 timer_set_about(txn, (JobId){0}, NAME ":greet", about,
                                                 txn_now(txn) + HOUR_US / 6, error));
}

static bool
due(Engine *engine, Txn *txn, const Timer *t, GError **error)
{
    const JobId job = {g_ascii_strtoll(t->subject, NULL, 10)};
    g_autofree char *state = get(engine->db, job);
    return !g_str_equal(state, "here") || set(txn, job, "greeted", error);
}

static bool
order(Engine *e, const Judgement *j, const Message *m, JobId job, Order *ret, GError **error)
{
    g_autofree char *line = quote_first_line(m->text);
    if (job.v && g_strcmp0(line, "SIGN") == 0)
        *ret = (Order){.kind = ORDER_FACE, .said = g_strdup("You stand in the book.")};
    return true;
}

static bool
frame(Engine *engine, const Job *job, const StepInput *in, Context *c, GError **error)
{
    g_autofree char *state = get(engine->db, job->id);
    return context_show_cut(c, "THE GUEST IS", ":guest", state);
}

static bool
decide(Engine *e, const Job *job, const StepInput *in, Proposal **ret, GError **error)
{
    *ret = proposal_new(job->parked ? PROPOSE_COMPLETE : PROPOSE_PARK);
    (*ret)->resume = (Due){.us = home_now(e->home) + HOUR_US};
    (*ret)->waiting_for = g_strdup("the hour");
    proposal_add_mail(*ret)->body = g_strdup(job->parked ? "Come in." : "Please wait.");
    return true;
}

static bool
members(Engine *engine, const Job *job, json_t *document, GError **error)
{
    g_autofree char *state = get(engine->db, job->id);
    return json_object_set_new(document, "guest", json_string(state)) == 0;
}

static bool
restored(Engine *e, Txn *txn, JobId job, const json_t *document, GError **error)
{
    return set(txn, job, json_string_value(json_object_get(document, "guest")), error);
}

static bool
render(Engine *engine, const char *subject, GBytes **ret, GError **error)
{
    SqlStmt *st = sql_get(engine->db, "SELECT job, state FROM guest ORDER BY job", error);
    GString *text = g_string_new("Guests:\n");
    int rc = -1;
    while (st && (rc = sql_next(st, error)) == 1)
        g_string_append_printf(text, "%d %s\n", (int)sql_col_int(st, 0), sql_col_text(st, 1));
    *ret = g_string_free_to_bytes(text);
    return rc == 0;
}

const FaceOps face_guestbook = {.name = NAME,
                                .tables = &tables,
                                .claims = claims,
                                .stored = stored,
                                .due = due,
                                .order = order,
                                .frame = frame,
                                .decide = decide,
                                .members = members,
                                .restored = restored,
                                .render = render};
