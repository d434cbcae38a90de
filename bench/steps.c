/*
 * Steps against bare SQLite commits of 2 KB, both flushed (synchronous = FULL), in slices
 * of 40.
 *
 * Floor: INSERT of a row of 2 KB, one transaction each, in a database of its own.
 * Subject, with goals: the commit of a step, from the proposal on: policy, then one transaction
 * with the step, its answer, manifest and state, and, of the second kind, a version of a note
 * and a frozen mail with its deliveries.
 * The master's lock is held meanwhile, as under `serve`: without a master each program that ends empties a
 * long log, and a log that grows takes longer to flush.
 * Without goals: whole steps of a scripted brain, with loading, context, JSON and settling. A
 * plain one loads a note, the other writes a note and a mail. How far they stay behind depends
 * on the disk more than on us: theirs is time of the processor, the floor's is the disk's.
 *
 * Then how long the context of a thread of 1,000 mails takes, and how much memory a run on it
 * needs at its peak.
 */
#include "base/lock.h"
#include "base/err.h"
#include "brain/brain.h"
#include "cli/faces.h"
#include "engine/run/run.h"
#include "measure.h"
#include "place.h"
#include "steps/mode_steps.h"
#include <errno.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define SLICE 40u
#define ROUNDS 16u
#define WHOLE_SLICES 5u
#define ROW_BYTES 2048
#define ANSWER_BYTES 700 /* these three as in a real step */
#define MANIFEST_BYTES 1500
#define STATE_BYTES 600
#define NOTES 4u /* that a job writes in turn */
#define THREAD_MAILS 1000u
#define CONTEXTS 60u
#define CONTEXT_MS 10.0
#define RSS_MB 25.0

#define EMPTY                                                                                  \
    "\"bundle_key\":\"\",\"reasoning\":\"as told\",\"add_emails\":[],\"search_emails\":[],"    \
    "\"search_notes\":[],\"read_attachments\":[],\"rename_notes\":[],\"delete_notes\":[],"     \
    "\"move_emails\":[],\"wait\":{\"for\":\"reply\",\"until\":\"\",\"then\":\"continue\"}"

#define STEP(note, add, drop, write, send)                                                     \
    "{\"status\":\"continue\",\"current_phase\":\"working\",\"working_note\":\"" note "\","    \
    "\"add_notes\":[" add "],\"drop\":[" drop "],\"write_notes\":[" write "],"                 \
    "\"send_emails\":[" send "]," EMPTY "}\n"

static const char conf[] = "[postrider]\n"
                           "owner = you@postrider.local\n"
                           "domain = postrider.local\n"
                           "ack-after = 0\n"
                           "progress-every = 0\n"
                           "log-level = error\n"
                           "[account main]\n"
                           "kind = maildir\n"
                           "[trust]\n"
                           "require-auth = none\n"
                           "[brain plain]\n"
                           "script = scripts/plain.jsonl\n"
                           "[brain write]\n"
                           "script = scripts/write.jsonl\n"
                           "[brain answer]\n"
                           "script = scripts/answer.jsonl\n"
                           "[role plain]\n"
                           "brain = plain\n"
                           "total-iterations = 1000\n"
                           "[role write]\n"
                           "brain = write\n"
                           "total-iterations = 1000\n"
                           "[role answer]\n"
                           "brain = answer\n";

const BrainOps *const brain_kinds[] = {&brain_script, NULL};

typedef struct Rig {
    Place *place;
    Engine *engine;
    const char *role; /* whose steps are measured */
    bool writes;      /* they have a note and a mail */
    sqlite3 *bare;
    sqlite3_stmt *insert;
    int lock;      /* the master's */
    double cpu[2]; /* seconds of the processor: floor, subject */
} Rig;

static double
cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the floor ---- */

static bool
bare_error(Rig *r, GError **error)
{
    return err_set(error, ERR_NEVER, "bare SQLite: %s", sqlite3_errmsg(r->bare));
}

static bool
open_bare(Rig *r, GError **error)
{
    g_autofree char *path = g_build_filename(r->place->scratch, "bare.db", NULL);

    if (sqlite3_open(path, &r->bare) != SQLITE_OK ||
        sqlite3_exec(r->bare,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE row (id INTEGER PRIMARY KEY, bytes BLOB)",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(r->bare, "INSERT INTO row (bytes) VALUES (?)", -1, &r->insert,
                           NULL) != SQLITE_OK)
        return bare_error(r, error);
    return true;
}

static bool
run_bare(void *data, unsigned round, unsigned n, GError **error)
{
    static const char bytes[ROW_BYTES] = "a row";
    Rig *r = data;
    double began = cpu_now();

    for (unsigned i = 0; i < n; i++) {
        sqlite3_bind_blob(r->insert, 1, bytes, sizeof bytes, SQLITE_STATIC);
        if (sqlite3_step(r->insert) != SQLITE_DONE || sqlite3_reset(r->insert) != SQLITE_OK)
            return bare_error(r, error);
    }
    r->cpu[0] += cpu_now() - began;
    return true;
}

/* ---- the subject ---- */

static bool
put_job(void *data, unsigned round, unsigned n, GError **error)
{
    const Rig *r = data;
    const char *inject[] = {r->place->program, "inject", "--role", r->role,
                            "--subject",       "a task", NULL};
    const char *look[] = {r->place->program, "account", "--once", "main", NULL};

    return place_run(r->place, inject, error) && place_run(r->place, look, error);
}

static bool
run_job(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    const RunLimits limits = {.max_iterations = (int)n, .mark = JOB_NO_MARK};
    const Viewer viewer = VIEWER_OPERATOR;
    const JobQuery newest = {.role = r->role, .limit = 1};
    g_autoptr(Jobs) jobs = NULL;
    RunStats stats = {0};
    double began = cpu_now();
    bool got;

    if (!run_one(r->engine, (JobId){0}, &limits, &stats, &got, error))
        return false;
    r->cpu[1] += cpu_now() - began;
    if (!jobs_list(r->engine->db, &viewer, &newest, &jobs, error))
        return false;
    const Job *job = jobs->len ? g_ptr_array_index(jobs, 0) : NULL;
    return (got && job && job->total_iterations == (int)n) ||
           err_set(error, ERR_NEVER, "%d of %u steps", job ? job->total_iterations : 0, n);
}

/* ---- commits alone ---- */

typedef struct Claimed {
    JobClaim claim;
    Job *job;
    StepInput in;
} Claimed;

static void
claimed_clear(Claimed *c)
{
    job_free(c->job);
    g_clear_pointer(&c->in.shown, msg_rows_free);
    g_clear_pointer(&c->in.answer, g_bytes_unref);
    g_clear_pointer(&c->in.manifest, g_bytes_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Claimed, claimed_clear)

static GBytes *
filler(size_t len)
{
    g_autofree char *text = g_strnfill(len, 'x');

    text[0] = '"', text[len - 1] = '"';
    return g_bytes_new(text, len);
}

static bool
claim_job(Rig *r, Claimed *c, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    bool got;
    g_auto(Txn) txn = {0};

    c->in = (StepInput){.floor = TRUST_PRINCIPAL,
                        .answer = filler(ANSWER_BYTES),
                        .manifest = filler(MANIFEST_BYTES),
                        .deadline_us = home_now(r->place->home) + 3600 * USEC_PER_SEC};
    if (!txn_begin(r->engine->db, TXN_DURABLE, DB_WAIT_MS, &txn, error) ||
        !job_claim(&txn, (JobId){0}, c->in.deadline_us, JOB_NO_MARK, &c->claim, &got, error) ||
        !txn_commit(&txn, error))
        return false;
    if (!got)
        return err_set(error, ERR_NEVER, "no job is ready");
    return job_load(r->engine->db, &viewer, c->claim.job, &c->job, error) &&
           messages_open(r->engine->db, c->claim.job, &c->in.shown, error);
}

static Proposal *
propose(const Rig *r, unsigned i)
{
    Proposal *p = proposal_new(PROPOSE_CONTINUE);

    p->state = filler(STATE_BYTES);
    p->because = g_strdup("as told");
    if (!r->writes)
        return p;
    g_autofree char *key = g_strdup_printf("scratch/n%u", i % NOTES);
    proposal_add_note(p, NOTE_APPEND, key)->body = g_bytes_new_static("a line\n", 7);
    proposal_add_mail(p)->body = g_strdup("News.");
    return p;
}

static bool
run_commits(void *data, unsigned round, unsigned n, GError **error)
{
    Rig *r = data;
    g_auto(Claimed) c = {0};
    double began = cpu_now();

    if (!claim_job(r, &c, error))
        return false;
    for (unsigned i = 0; i < n; i++) {
        g_autoptr(Proposal) p = propose(r, i);
        g_autoptr(GArray) verdicts = NULL;
        g_auto(StepResult) result = {0};
        if (!policy_check(r->engine, c.job, &c.in, p, &verdicts, error) ||
            !step_commit(r->engine, &c.claim, &c.in, p, verdicts, &result, error))
            return false;
    }
    r->cpu[1] += cpu_now() - began;
    return true;
}

/* ---- both ---- */

static bool
race(Rig *r, const Runner *ours, bool writes, double *floor, double *subject, GError **error)
{
    const Runner bare = {NULL, run_bare};

    r->cpu[0] = r->cpu[1] = 0;
    r->role = writes ? "write" : "plain";
    r->writes = writes;
    return measure_race(&bare, ours, r, ROUNDS, SLICE, floor, subject, error);
}

/* What is ours of it, and not the disk's. */
static void
print_cpu(const Rig *r)
{
    const double each = 1e6 / (ROUNDS * SLICE);

    goal_none("  of the processor, each", r->cpu[0] * each, r->cpu[1] * each, "us");
}

static bool
measure_steps(Measure *m, Rig *r, GError **error)
{
    const Runner commits = {put_job, run_commits}, whole = {put_job, run_job};
    double floor, subject;

    if (!race(r, &commits, true, &floor, &subject, error))
        return false;
    goal_ratio(m, "commits: a note and a mail", floor, subject, "/s", 0.40);
    print_cpu(r);
    if (!race(r, &commits, false, &floor, &subject, error))
        return false;
    goal_ratio(m, "commits: plain steps", floor, subject, "/s", 0.55);
    print_cpu(r);
    if (!race(r, &whole, true, &floor, &subject, error))
        return false;
    goal_none("whole steps: a note and a mail", floor, subject, "/s");
    print_cpu(r);
    if (!race(r, &whole, false, &floor, &subject, error))
        return false;
    goal_none("whole steps: plain", floor, subject, "/s");
    print_cpu(r);
    return true;
}

/* ---- a long thread ---- */

/* Each mail answers the one before. */
static bool
put_mail(const Place *place, unsigned n, GError **error)
{
    g_autoptr(GString) mail = g_string_new(NULL);
    g_autofree char *path =
        g_strdup_printf("%s/mail/answer/new/%u.bench", place->path, 1794736800 + n);

    g_string_append_printf(mail,
                           "From: you@postrider.local\nTo: answer@postrider.local\n"
                           "Subject: Re: the budget\nMessage-ID: <%u@bench.example>\n"
                           "Date: Sun, 15 Nov 2026 10:00:00 +0000\n",
                           n);
    if (n > 0)
        g_string_append_printf(mail, "In-Reply-To: <%u@bench.example>\n", n - 1);
    g_string_append_printf(mail, "\nThis is mail %u of a long conversation.\n", n);
    for (unsigned i = 0; i < 20; i++)
        g_string_append(mail, "What was said before holds, and so does the rest of it.\n");
    return g_file_set_contents(path, mail->str, (gssize)mail->len, error);
}

static bool
put_thread(const Place *place, GError **error)
{
    const char *pass[] = {place->program, "serve", "--once", NULL};
    const char *look[] = {place->program, "account", "--once", "main", NULL};

    if (!place_run(place, pass, error))
        return false;
    for (unsigned i = 0; i < THREAD_MAILS; i++)
        if (!put_mail(place, i, error))
            return false;
    return place_run(place, pass, error) && put_mail(place, THREAD_MAILS, error) &&
           place_run(place, look, error);
}

/* What the kernel says that a run needed at most. Before anything large is done here: the
 * figure begins with our own. */
static bool
measure_rss(Measure *m, const Place *place, GError **error)
{
    const char *argv[] = {place->program, "run", NULL};
    struct rusage used;
    pid_t pid;
    int status;

    if (!place_start(place, argv, &pid, error))
        return false;
    while (wait4(pid, &status, 0, &used) < 0)
        if (errno != EINTR)
            return err_set_errno(error, errno, "waiting for a run");
    if (status != 0)
        return err_set(error, ERR_NEVER, "a run ended with status %#x", (unsigned)status);
    goal_most(m, "memory of a run, at its peak", 0, (double)used.ru_maxrss / 1024, "MB",
              RSS_MB);
    return true;
}

static bool
build_context(const Rig *r, const Job *job, Samples *ms, GError **error)
{
    const ConfRole *role = config_role(r->place->home->config, job->role);
    StepInput in = {.floor = TRUST_OPERATOR};
    double began = measure_now();

    if (!messages_open(r->engine->db, job->id, &in.shown, error))
        return false;
    g_autoptr(MsgRows) shown = in.shown;
    g_autoptr(Context) c = context_new(r->place->home, job, 0);
    if (shown->len != 1)
        return err_set(error, ERR_NEVER, "%u mails are open", shown->len);
    if (!mode_steps.context(r->engine, job, role, &in, NULL, c, error))
        return false;
    (void)context_text(c);
    samples_add(ms, (measure_now() - began) * 1000);
    return true;
}

static bool
measure_context(Measure *m, const Rig *r, GError **error)
{
    const Viewer viewer = VIEWER_OPERATOR;
    const JobQuery q = {.role = "answer", .limit = 1};
    g_autoptr(Jobs) jobs = NULL;
    g_auto(Samples) ms = {0};

    samples_init(&ms);
    if (!jobs_list(r->engine->db, &viewer, &q, &jobs, error))
        return false;
    if (jobs->len != 1)
        return err_set(error, ERR_NEVER, "the long thread made no job");
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (!build_context(r, g_ptr_array_index(jobs, 0), &ms, error))
            return false;
    goal_most(m, "context of a thread of 1,000 mails", 0, samples_at(&ms, 0.5), "ms",
              CONTEXT_MS);
    return true;
}

/* ---- all ---- */

static bool
put_script(const Place *place, const char *name, const char *lines, GError **error)
{
    g_autofree char *path = g_build_filename(place->path, "scripts", name, NULL);

    return g_file_set_contents(path, lines, -1, error);
}

static bool
put_scripts(const Place *place, GError **error)
{
    static const char complete[] = "{\"status\":\"complete\",\"current_phase\":\"complete\","
                                   "\"working_note\":\"\",\"add_notes\":[],\"drop\":[],"
                                   "\"write_notes\":[],\"send_emails\":[{\"to\":[],\"cc\":[],"
                                   "\"subject\":\"\",\"body\":\"Noted.\",\"in_reply_to\":\"\","
                                   "\"attachments\":[]}]," EMPTY "}\n";
    g_autoptr(GString) plain = g_string_new(NULL), write = g_string_new(NULL);

    for (unsigned i = 0; i < SLICE; i++) {
        g_string_append(
            plain, i % 2 == 0 ? STEP("looking", "\"CONTENTS\"", "\"README/links\"", "", "")
                              : STEP("looking", "\"README/links\"", "\"CONTENTS\"", "", ""));
        g_string_append_printf(
            write,
            STEP("writing", "", "",
                 "{\"key\":\"scratch/n%u\",\"content\":\"line %u\\n\","
                 "\"mode\":\"append\",\"if_version\":0}",
                 "{\"to\":[],\"cc\":[],\"subject\":\"\",\"body\":\"News %u.\","
                 "\"in_reply_to\":\"\",\"attachments\":[]}"),
            i % NOTES, i, i);
    }
    return put_script(place, "plain.jsonl", plain->str, error) &&
           put_script(place, "write.jsonl", write->str, error) &&
           put_script(place, "answer.jsonl", complete, error);
}

static void
rig_clear(Rig *r)
{
    sqlite3_finalize(r->insert);
    sqlite3_close(r->bare);
    g_clear_pointer(&r->engine, engine_close);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_clear)

static bool
measure(Measure *m, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place};

    return place_open(&place, conf, error) && put_scripts(&place, error) &&
           put_thread(&place, error) &&
           lock_take(place.home->state_fd, "master.lock", 0, &r.lock, error) &&
           engine_open(place.home, &cli_parts, &r.engine, error) &&
           measure_context(m, &r, error) && measure_rss(m, &place, error) &&
           open_bare(&r, error) && measure_steps(m, &r, error);
}

/* Whole steps alone, for bench/langgraph.sh: how many a second, of some slices the median; and
 * the microseconds of the processor that one takes. */
static bool
print_whole(const char *kind, GError **error)
{
    g_auto(Place) place = {0};
    g_auto(Rig) r = {.place = &place, .role = kind};
    g_auto(Samples) rates = {0};

    samples_init(&rates);
    if (!place_open(&place, conf, error) || !put_scripts(&place, error) ||
        !lock_take(place.home->state_fd, "master.lock", 0, &r.lock, error) ||
        !engine_open(place.home, &cli_parts, &r.engine, error))
        return false;
    for (unsigned i = 0; i < WHOLE_SLICES; i++) {
        if (!put_job(&r, i, SLICE, error))
            return false;
        double began = measure_now();
        if (!run_job(&r, i, SLICE, error))
            return false;
        samples_add(&rates, SLICE / (measure_now() - began));
    }
    g_print("%.0f %.0f\n", samples_at(&rates, 0.5), 1e6 * r.cpu[1] / (WHOLE_SLICES * SLICE));
    return true;
}

/* Without arguments everything; `whole plain` and `whole write`: these steps alone. */
int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 3 || !g_str_equal(argv[1], "whole"))
        return measure_main(measure);
    if (print_whole(argv[2], &error))
        return 0;
    g_printerr("bench: %s\n", error->message);
    return 2;
}
