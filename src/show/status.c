#include "show/status.h"
#include "base/config/one_mind.h"
#include "base/living.h"
#include "base/workdir.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/people/repliers.h"
#include "engine/people/unproven_notice.h"
#include "engine/wall/wall.h"
#include "mail/address.h"
#include "store/job/artifact_money.h"
#include "store/job/budget.h"
#include "store/job/jobs.h"
#include "store/job/pauses.h"
#include "store/job/questions.h"
#include "store/job/role_pauses.h"
#include "store/job/schedules.h"
#include "store/job/seats.h"
#include "store/mail/mailboxes.h"
#include "store/mail/server_mail.h"
#include "store/note/note_readers.h"
#include "store/out/effects.h"
#include "store/out/outbox_smtp.h"
#include "store/workflow.h"

void
status_clear(Status *s)
{
    g_clear_pointer(&s->problems, g_ptr_array_unref);
    g_clear_pointer(&s->waiting, g_ptr_array_unref);
    g_clear_pointer(&s->stand_ins, g_ptr_array_unref);
    g_clear_pointer(&s->jobs, jobs_free);
    g_clear_pointer(&s->failed, jobs_free);
    g_clear_pointer(&s->plans, plan_lines_free);
    g_clear_pointer(&s->held_out, out_rows_free);
}

static void note(GPtrArray *list, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static void
note(GPtrArray *list, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    g_ptr_array_add(list, g_strdup_vprintf(fmt, args));
    va_end(args);
}

/* Work goes on without a log, but nobody could tell afterwards why anything happened. */
static void
note_log(const Home *home, GPtrArray *problems)
{
    g_autofree char *file = home_log_file(home);
    if (!file)
        return;
    g_autofree char *folder = g_path_get_dirname(file);
    bool there = access(file, F_OK) == 0;
    if (g_file_test(file, G_FILE_TEST_IS_DIR) || access(there ? file : folder, W_OK) < 0)
        note(problems, "the log '%s' can't be written: lines go to stderr alone", file);
}

static bool
note_role_pauses(Db *db, GPtrArray *waiting, GError **error)
{
    g_autoptr(RolePauses) pauses = NULL;
    if (!role_pauses_list(db, &pauses, error))
        return false;
    LIST_EACH(const RolePause, p, pauses) {
        g_autofree char *ago = clock_format_span(MAX(home_now(db_home(db)) - p->since_us, 0));
        note(waiting,
             "the role '%s' has been paused for %s: %s; to let it go on: postrider role resume %s",
             p->role, ago, p->why, p->role);
    }
    return true;
}

static bool
note_artifact_pauses(Db *db, GPtrArray *waiting, GError **error)
{
    g_autoptr(ArtifactMoneys) pauses = NULL;
    if (!artifact_moneys_paused(db, &pauses, error))
        return false;
    for (guint i = 0; pauses && i < pauses->len; i++) {
        const ArtifactMoney *m = pauses->pdata[i];
        g_autofree char *ago = clock_format_span(MAX(home_now(db_home(db)) - m->since_us, 0));
        note(waiting,
             "the artifact '%s' has been paused for %s: the work on it has cost what it may; "
             "to let it go on answer <%s>, "
             "with CONTINUE $5 or in other words",
             m->name, ago, m->report);
    }
    return true;
}

/* Questions between roles that nobody has answered. */
static bool
note_questions(Db *db, GPtrArray *waiting, GError **error)
{
    g_autoptr(FlowEvents) open = NULL;
    if (!flow_events_open(db, &open, error))
        return false;
    for (guint i = 0; open && i < open->len; i++) {
        const FlowEvent *e = open->pdata[i];
        g_autofree char *ago = clock_format_span(MAX(home_now(db_home(db)) - e->at_us, 0));
        note(waiting, "the %s of %s to %s%s%s has no answer for %s: <%s>", e->type, e->sender,
             e->recipients, *e->name ? " about " : "", e->name, ago, e->msgid);
    }
    return true;
}

/* Brains that are not asked for want of a key, as far as this environment tells. */
static void
note_stand_ins(const Config *config, GPtrArray *stand_ins)
{
    for (unsigned i = 0; i < config->n_brains; i++) {
        const ConfBrain *b = &config->brains[i], *in_place = config_stand_in(config, b);
        if (in_place != b)
            note(stand_ins, "the brain '%s' has no key: %s is not in this environment; '%s' is asked in its place",
                 b->name, b->key_env, in_place->name);
    }
}

/* Writers and reviewers that think by one model for want of a key: by the settings `config check` tells. */
static void
note_one_mind(const Config *config, GPtrArray *stand_ins)
{
    for (unsigned i = 0; i < config->n_artifacts; i++) {
        const char *kind = config->artifacts[i].name;
        bool code = g_str_equal(kind, "implementation");
        g_autofree char *writer = code ? g_strdup("implementer") : g_strconcat(kind, "-writer", NULL);
        g_autofree char *reviewer = g_strconcat(kind, "-reviewer", NULL);
        const ConfBrain *one = config_one_mind(config, writer, reviewer);
        if (one && !g_str_equal(config_role(config, reviewer)->brain, one->name))
            note(stand_ins, "'%s' and '%s' are both asked by '%s', and overlook the same", writer, reviewer,
                 one->name);
    }
}

/* Brains that failed by themselves, as the last run left word. */
static bool
note_brains(Db *db, GPtrArray *problems, GError **error)
{
    const Config *config = db_home(db)->config;
    for (unsigned i = 0; i < config->n_brains; i++) {
        const char *name = config->brains[i].name;
        g_autofree char *why = NULL;
        g_auto(Pause) pause = {0};
        bool untried;
        if (!brain_broken_why(db, name, &why, &untried, error) ||
            !brain_pause(db, name, &pause, error))
            return false;
        if (why && untried && pause.kind == PAUSE_NONE)
            note(problems,
                 "the brain '%s' did not work, and was not asked since it was changed: %s; to "
                 "ask it: postrider setup brain%s%s",
                 name, why, g_str_equal(name, "default") ? "" : " --name ",
                 g_str_equal(name, "default") ? "" : name);
        else if (why && !untried)
            note(problems, "the brain '%s' does not work: %s; its jobs wait", name, why);
        if (pause.kind == PAUSE_LIMITED) {
            g_autofree char *wait = clock_format_span(pause.until.us - home_now(db_home(db)));
            note(problems, "the brain '%s' can't be asked for %s: %s; its jobs wait", name,
                 wait, pause.why);
        }
    }
    return true;
}

/* Accounts whose server is away or refuses us, as their process left word. */
static bool
note_accounts(Db *db, GPtrArray *problems, GError **error)
{
    const Config *config = db_home(db)->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *why = NULL;
        bool owed = false;
        if (!config_is_imap(&config->accounts[i]))
            continue;
        if (!remote_trouble(db, config->accounts[i].name, &why, error) ||
            !mailbox_backup_owed(db, config->accounts[i].name, &owed, error))
            return false;
        if (owed)
            note(problems,
                 "nothing of the account '%s' runs until its server was asked what left since "
                 "the backup",
                 config->accounts[i].name);
        if (why)
            note(problems, "the account '%s' does not work: %s", config->accounts[i].name, why);
    }
    return true;
}

/* Servers whose word about senders is not to be had, or not to be believed, as it is written. */
static bool
note_proofs(Db *db, GPtrArray *problems, GError **error)
{
    const Config *config = db_home(db)->config;
    g_autofree char *held = NULL;
    if (!config->authserv_fields && !meta_get(db, UNPROVEN_SEVERAL, &held, error))
        return false;
    if (held)
        note(problems,
             "mail is held that can't prove its sender by the first Authentication-Results "
             "field, but by a later one (see: postrider mail trace '<%s>'). If your server "
             "writes several, and takes forged ones out: postrider config set trust "
             "authserv-fields several; else set it to one",
             held);
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *id = NULL;
        const char *name = config->accounts[i].name;
        if (!remote_forged(db, name, &id, error))
            return false;
        if (id)
            note(problems,
                 "the mail server of account '%s' let a forged Authentication-Results field of "
                 "%s through: let it take such fields out of mail that comes in (RFC 8601, 5), "
                 "then: postrider setup mail --pair",
                 name, id);
    }
    return true;
}

/* Ways out that do not work, and mail whose fate nobody knows. */
static bool
note_smtp(Db *db, Status *s, GError **error)
{
    const Config *config = db_home(db)->config;
    unsigned doubt;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        g_autofree char *why = NULL;
        int64_t until;
        if (!outbox_account_paused(db, config->accounts[i].name, &until, &why, error))
            return false;
        if (why)
            note(s->problems, "mail can't leave by SMTP: %s; it waits in the outbox", why);
    }
    if (!outbox_count_doubt(db, &doubt, error))
        return false;
    if (doubt)
        note(s->waiting,
             "%u %s handed over without an answer; see: postrider outbox list --state in_doubt",
             doubt, doubt == 1 ? "mail was" : "mails were");
    return true;
}

static bool
get_count(Db *db, const char *name, int64_t *ret, GError **error)
{
    g_autofree char *text = NULL;
    *ret = 0;
    if (!meta_get(db, name, &text, error))
        return false;
    if (text)
        (void)text_parse_int(text, 0, INT64_MAX, ret);
    return true;
}

static void
note_question(Status *s, const Question *q, const QuestionMail *m)
{
    if (q->about.v)
        note(s->waiting,
             "has mail %" G_GINT64_FORMAT " to %s arrived? postrider approve %" G_GINT64_FORMAT
             " sends it once more, reject %" G_GINT64_FORMAT " does not",
             m->id.v, m->to, m->id.v, m->id.v);
    else
        note(s->waiting,
             "job %" G_GINT64_FORMAT " asks: may mail %" G_GINT64_FORMAT
             " to %s leave? postrider approve %" G_GINT64_FORMAT
             ", or reject %" G_GINT64_FORMAT,
             q->job.v, m->id.v, m->to, m->id.v, m->id.v);
}

static unsigned
times_held(const Status *s, OutId id)
{
    unsigned n = 0;
    LIST_EACH(const OutRow, row, s->held_out)
        n += row->id.v == id.v;
    return n;
}

/* Mail that would leave: what somebody was asked about, each with what to say, and the rest. */
static bool
note_held(Db *db, Status *s, GError **error)
{
    g_autoptr(Questions) questions = NULL;
    unsigned rest = s->held_out->len;
    if (!questions_open(db, (JobId){0}, &questions, error))
        return false;
    LIST_EACH(const Question, q, questions) {
        g_autoptr(QuestionMails) mails = NULL;
        if (!question_mails(db, q->id, &mails, error))
            return false;
        g_autofree char *name = NULL;
        if (mails->len == 0 && !question_name(db, q, &name, error))
            return false;
        if (mails->len == 0)
            note(s->waiting, "job %" G_GINT64_FORMAT " asks: %s postrider approve %s, or reject %s",
                 q->job.v, q->asks, name, name);
        LIST_EACH(const QuestionMail, m, mails) {
            if (!m->undecided)
                continue;
            note_question(s, q, m);
            rest -= times_held(s, m->id);
        }
    }
    if (rest)
        note(s->waiting, "%u %s held; see: postrider outbox list", rest,
             rest == 1 ? "mail that would leave is" : "mails that would leave are");
    return true;
}

/* Jobs that are no more are only counted: most lists would be empty, and asking for them is dear. */
static bool
list_jobs(Db *db, Status *s, GError **error)
{
    const JobQuery live = {.live_only = true, .limit = 1000}, failed = {.state = "failed"};
    int64_t open = s->by_state[JOB_QUEUED] + s->by_state[JOB_RUNNING] + s->by_state[JOB_PARKED] +
                   s->by_state[JOB_STOPPED];

    s->jobs = open ? NULL : jobs_new();
    s->failed = s->by_state[JOB_FAILED] ? NULL : jobs_new();
    return (!open || jobs_list(db, &VIEWER_OPERATOR, &live, &s->jobs, error)) &&
           (s->failed || jobs_list(db, &VIEWER_OPERATOR, &failed, &s->failed, error));
}

static bool
list_held(Db *db, Status *s, GError **error)
{
    const OutQuery held = {.state = "held", .limit = 1000};
    bool any;

    if (!outbox_any_held(db, &any, error))
        return false;
    if (any)
        return outbox_list(db, &VIEWER_OPERATOR, &held, &s->held_out, error);
    s->held_out = out_rows_new();
    return true;
}

static bool
count(Db *db, Status *s, GError **error)
{
    const int64_t now = home_now(db_home(db));
    s->master = home_master(db_home(db));
    return jobs_count(db, s->by_state, error) && list_jobs(db, s, error) &&
           list_held(db, s, error) &&
           outbox_count_due(db, now, &s->due, error) &&
           messages_count_state(db, MSG_HELD, NULL, &s->held_mail, error) &&
           messages_count_state(db, MSG_IGNORED, "history", &s->history, error) &&
           budget_today(db, &s->cost_limit_micro, &s->cost_micro, error) &&
           effects_count(db, true, &s->failed_moves, error) &&
           get_count(db, CHECKPOINT_FORGED, &s->forged, error) &&
           get_count(db, CHECKPOINT_STALE, &s->stale, error);
}

/* A copied home, which nobody may work with. */
static void
note_living(const Home *home, GPtrArray *problems)
{
    g_autoptr(GError) why = NULL;
    bool foreign = false;

    if (living_is_foreign(home, &foreign, &why) &&
        (!foreign || living_check(home, false, &why)))
        return;
    note(problems, "nothing runs or leaves: %s", why->message);
}

static bool
note_problems(Db *db, Status *s, GError **error)
{
    g_autofree char *hold = db_hold_all(db);
    if (hold)
        note(s->problems, "nothing runs or leaves: %s", hold);
    if (!s->master)
        note(s->problems, "postrider serve is not running");
    if (db_home(db)->config->require_auth == AUTH_NONE)
        note(s->problems,
             "require-auth = none: anybody who writes the owner's address is believed");
    note_living(db_home(db), s->problems);
    note_log(db_home(db), s->problems);
    wall_check(db_home(db)->config, s->problems);
    workdir_check(db_home(db), s->problems);
    if (!note_brains(db, s->problems, error) || !note_smtp(db, s, error) ||
        !note_accounts(db, s->problems, error) || !note_proofs(db, s->problems, error) ||
        !schedules_check(db, s->problems, error) ||
        !notes_readers_check(db, s->problems, error))
        return false;
    if (s->failed_moves)
        note(s->problems, "%u %s of mail could not be done; see: postrider doctor",
             s->failed_moves, s->failed_moves == 1 ? "move" : "moves");
    return true;
}

/* Jobs that nothing but a word of the owner brings further. A wait until a time ends by itself. */
static bool
note_job(Db *db, Status *s, const Job *j, GError **error)
{
    g_auto(Repliers) awaited = {0};
    if (j->state == JOB_STOPPED)
        note(s->waiting, "job %" G_GINT64_FORMAT " (%s) is to go on or end: %s", j->id.v,
             j->subject, j->why ? j->why : "it is stopped");
    if (j->state != JOB_PARKED || !j->waiting_for ||
        !g_str_has_prefix(j->waiting_for, "a reply"))
        return true;
    if (!repliers_load(db, j, &awaited, error))
        return false;
    LIST_EACH(const char, who, awaited.to)
        if (address_equal(who, db_home(db)->config->owner)) {
            note(s->waiting, "job %" G_GINT64_FORMAT " waits for your answer: %s", j->id.v,
                 j->subject);
            break;
        }
    return true;
}

static bool
note_waiting(Db *db, Status *s, GError **error)
{
    if (s->held_mail)
        note(s->waiting, "%" G_GINT64_FORMAT " %s held; see: postrider mail list --state held",
             s->held_mail, s->held_mail == 1 ? "mail that came is" : "mails that came are");
    if (s->history)
        note(s->waiting,
             "%" G_GINT64_FORMAT
             " old %s left alone; see: postrider mail list --state ignored; "
             "to work them off: postrider doctor --release all",
             s->history, s->history == 1 ? "mail was" : "mails were");
    if (!note_held(db, s, error) || !note_role_pauses(db, s->waiting, error) ||
        !note_artifact_pauses(db, s->waiting, error) || !note_questions(db, s->waiting, error))
        return false;
    LIST_EACH(const Job, job, s->jobs)
        if (!note_job(db, s, job, error))
            return false;
    return true;
}

static bool
find_plans(Db *db, Status *s, GError **error)
{
    bool known;
    return plan_known(db, &known, error) && (!known || plan_lines(db, true, &s->plans, error));
}

bool
status_collect(Db *db, Status *ret, GError **error)
{
    ret->problems = g_ptr_array_new_with_free_func(g_free);
    ret->waiting = g_ptr_array_new_with_free_func(g_free);
    ret->stand_ins = g_ptr_array_new_with_free_func(g_free);
    note_stand_ins(db_home(db)->config, ret->stand_ins);
    note_one_mind(db_home(db)->config, ret->stand_ins);
    return count(db, ret, error) && note_problems(db, ret, error) &&
           note_waiting(db, ret, error) && find_plans(db, ret, error);
}

char *
status_place(Db *db, const Job *job)
{
    char *place = NULL;
    (void)seat_wait(db, job, &place, NULL);
    return place;
}

json_t *
status_json(Db *db, const Status *s)
{
    json_t *roles = json_array(), *jobs = json_array();
    const Config *config = db_home(db)->config;
    for (unsigned i = 0; i < config->n_roles; i++)
        json_array_append_new(roles, json_pack("{s:s, s:s}", "name", config->roles[i].name,
                                               "address", config->roles[i].address));
    LIST_EACH(const Job, j, s->jobs) {
        g_autofree char *place = status_place(db, j);
        json_t *job = shape_pick(&job_shape, j, "id", "role", "state", "subject", NULL);
        json_object_set_new(job, "waits_for", place ? json_string(place) : json_null());
        json_array_append_new(jobs, job);
    }
    return json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i}, s:o, s:f, s:i, s:{s:I, s:I}}", "ok",
                     s->problems->len == 0, "problems", shape_texts(s->problems), "stand_ins",
                     shape_texts(s->stand_ins), "roles",
                     roles, "jobs", jobs, "plans",
                     s->plans ? shape_list_json(&plan_line_shape, s->plans) : json_array(), "outbox", "due", (int)s->due, "held",
                     (int)s->held_out->len, "waiting_for_person", shape_texts(s->waiting),
                     "cost_today", (double)s->cost_micro / 1e6, "master_pid", (int)s->master,
                     "refused_checkpoints", "forged", (json_int_t)s->forged, "stale",
                     (json_int_t)s->stale);
}
