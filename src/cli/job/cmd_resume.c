#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/mail/outgoing.h"
#include "engine/checkpoint/continuation.h"
#include "mail/maildir.h"
#include "store/job/command_orders.h"
#include "store/job/jobs.h"

/* A checkpoint in a Sent folder, with the bytes of its mail. */
typedef struct Saved {
    const ConfRole *role;
    Continuation *c;
    char *msgid;
    GBytes *mail;
    ContinuationFate fate;
    const char *why;
} Saved;

static void
saved_clear(Saved *s)
{
    continuation_free(s->c);
    g_free(s->msgid);
    g_clear_pointer(&s->mail, g_bytes_unref);
    *s = (Saved){0};
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Saved, saved_clear)

/* One that can be gone on with beats one that can't; then the later park. */
static bool
is_better(const Saved *a, const Saved *b)
{
    bool a_useful = a->fate != CONT_STALE, b_useful = b->fate != CONT_STALE;
    if (!b->c || a_useful != b_useful)
        return !b->c || a_useful;
    if (a->c->job.v == b->c->job.v)
        return a->c->seq > b->c->seq;
    return a->c->job.v > b->c->job.v;
}

static bool
look_at(Engine *engine,
        const ConfRole *role,
        Maildir *md,
        const MaildirEntry *e,
        JobId want,
        Saved *best,
        GError **error)
{
    const Home *home = engine->home;
    g_auto(Saved) s = {.role = role};
    if (!maildir_read(md, e, home->config->max_message, &s.mail, error))
        return false;
    if (!s.mail)
        return true;
    g_autoptr(Message) m = message_parse_bytes(s.mail, MESSAGE_CONTENT);
    if (continuation_read(&home->key, m, &s.c) != CONT_SIGNED ||
        (want.v && s.c->job.v != want.v))
        return true;
    if (!continuation_judge(engine->db, s.c, role->name, home_now(home), &s.fate, &s.why,
                            error))
        return false;
    s.msgid = g_strdup(m->id);
    if (s.fate != CONT_FOREIGN && is_better(&s, best)) {
        Saved worse = *best;
        *best = s;
        s = worse;
    }
    return true;
}

static bool
look_in_sent(Engine *engine, const ConfRole *role, JobId want, Saved *best, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) entries = NULL;
    if (!maildir_open(engine->home->mail_fd, role->name, true, &md, error) ||
        !maildir_scan(md, "Sent", false, &entries, NULL, error))
        return false;
    LIST_EACH(const MaildirEntry, entry, entries)
        if (!look_at(engine, role, md, entry, want, best, error))
            return false;
    return true;
}

/* Is the very mail in INBOX still? Then a second copy would only be litter. */
static bool
in_inbox(Engine *engine, Maildir *md, const Saved *s, bool *ret, GError **error)
{
    g_autoptr(GPtrArray) entries = NULL;
    *ret = false;
    if (!maildir_scan(md, "", false, &entries, NULL, error))
        return false;
    for (guint i = 0; i < entries->len && !*ret; i++) {
        g_autoptr(GBytes) bytes = NULL;
        if (!maildir_read(md, g_ptr_array_index(entries, i), engine->home->config->max_message,
                          &bytes, error))
            return false;
        *ret = bytes && g_bytes_equal(bytes, s->mail);
    }
    return true;
}

static bool
bring_back(Engine *engine, const Saved *s, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    g_autofree char *base = maildir_name(home_now(engine->home));
    bool there;
    gsize len;
    const void *data = g_bytes_get_data(s->mail, &len);
    if (!maildir_open(engine->home->mail_fd, s->role->name, true, &md, error) ||
        !in_inbox(engine, md, s, &there, error))
        return false;
    if (!there && !maildir_deliver(md, "", base, NULL, "", data, len, &there, error))
        return false;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok =
            job_due_now(&txn, s->c->job, error) &&
            (s->fate == CONT_RESTORES ||
             command_order_add(&txn, s->c->job, "the order resume from the operator", error));
    return txn.done;
}

/* A job that never parked, or none at all. */
static int
nothing_saved(Cli *cli, Engine *engine, JobId want)
{
    g_autoptr(Job) job = NULL;
    if (!want.v)
        return cli_fail(EX_NOINPUT, "there is no checkpoint in Sent to go on with");
    if (!job_load(engine->db, &VIEWER_OPERATOR, want, &job, &cli->error))
        return cli_failed(cli, 0);
    if (!job)
        return cli_fail(EX_NOINPUT,
                        "there is no job %" G_GINT64_FORMAT " and no checkpoint of it in Sent",
                        want.v);
    return cli_fail(EX_NOINPUT,
                    "job %" G_GINT64_FORMAT " is %s, and there is no checkpoint of it in Sent",
                    want.v, job_state_words(job->state));
}

static int
resume_job(Cli *cli, Engine *engine, JobId want)
{
    const Config *config = engine->home->config;
    g_auto(Saved) best = {0};
    for (unsigned i = 0; i < config->n_roles; i++) {
        if (!config->roles[i].person &&
            !look_in_sent(engine, &config->roles[i], want, &best, &cli->error))
            return cli_failed(cli, 0);
    }
    if (!best.c)
        return nothing_saved(cli, engine, want);
    if (best.fate == CONT_STALE || best.fate == CONT_AHEAD)
        return cli_fail(EX_NOINPUT, "the newest checkpoint of job %" G_GINT64_FORMAT " is %s",
                        best.c->job.v, best.why);
    if (!bring_back(engine, &best, &cli->error))
        return cli_failed(cli, 0);
    cli_print(cli, "<%s>\n", best.msgid);
    return 0;
}

/* --- a document of the operator's --- */

/* As a mail from the owner with the document attached; intake makes the job. */
static bool
mail_document(
    Engine *engine, const ConfRole *role, GBytes *document, char **ret_msgid, GError **error)
{
    const Home *home = engine->home;
    g_autoptr(Compose) c = compose_new();
    g_autoptr(GBytes) rest = NULL;
    g_autoptr(Maildir) md = NULL;
    bool there;
    compose_date(c, home_now(home));
    compose_text(c, "A continuation that the operator brings in.");
    if (!compose_from(c, NULL, home->config->owner, error) ||
        !compose_to(c, NULL, role->address, error) ||
        !compose_subject(c, "continuation", error) ||
        !compose_attach(c, CONTINUATION_FILE, "application/json", document, error))
        return false;
    rest = compose_format(c, error);
    if (!rest)
        return false;
    *ret_msgid = outgoing_random_msgid(engine->home, "resume");
    g_autoptr(GBytes) mail = outgoing_with_msgid(rest, *ret_msgid);
    gsize len;
    const char *data = g_bytes_get_data(mail, &len);
    g_autofree char *base = maildir_name(home_now(home));
    g_autofree char *head =
        origin_line(&home->key, data, len, &(OriginClaim){TRUST_OPERATOR, TRUST_OPERATOR, NULL}, role->name);
    return maildir_open(home->mail_fd, role->name, true, &md, error) &&
           maildir_deliver(md, "", base, NULL, head, data, len, &there, error);
}

static int
resume_file(Cli *cli, Engine *engine, const ConfRole *role, const char *path)
{
    g_autoptr(GBytes) document = NULL;
    g_autoptr(Continuation) c = NULL;
    g_autofree char *msgid = NULL;
    int status = cli_read_file(cli, "", path, LIMIT_JSON_BYTES, &document);
    if (status)
        return status;
    gsize len;
    const char *data = g_bytes_get_data(document, &len);
    ContinuationSeen seen = continuation_parse(&engine->home->key, data ? data : "", len, &c);
    if (seen == CONT_FORGED)
        return cli_fail(EX_DATAERR, "'%s': its MAC does not hold here", path);
    if (seen == CONT_UNSIGNED || seen == CONT_NOT_ONE) {
        if (!continuation_parse_seed(data ? data : "", len, &c, &cli->error))
            return cli_failed(cli, EX_DATAERR);
    } else {
        role = config_role_get(engine->home->config, c->role, &cli->error);
        if (!role)
            return cli_failed(cli, EX_NOINPUT);
    }
    if (!mail_document(engine, role, document, &msgid, &cli->error))
        return cli_failed(cli, 0);
    cli_print(cli, "<%s>\n", msgid);
    return 0;
}

static int
resume(Cli *cli, const char *what, int max_iterations)
{
    const char *name = cli_text(cli, "role");
    g_autoptr(Engine) engine = NULL;
    JobId job = {0};
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    const ConfRole *role = config_role_pick(cli->home->config, name, &cli->error);
    if (!role)
        return cli_failed(cli, name ? EX_NOINPUT : 0);
    bool is_file = what && !job_id_parse(what, &job);
    status = is_file ? resume_file(cli, engine, role, what) : resume_job(cli, engine, job);
    if (status == 0 && cli_flag(cli, "run") &&
        !pass_unless_served(engine, max_iterations, &cli->error))
        return cli_failed(cli, 0);
    return status;
}

int
cmd_resume(Cli *cli, int argc, char **argv)
{
    int max_iterations;
    int status = cli_iterations(cli, cli_flag(cli, "run"), &max_iterations);
    if (status)
        return status;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "resume: speaks for the operator, so an agent may not");
    return resume(cli, argv[1], max_iterations);
}
