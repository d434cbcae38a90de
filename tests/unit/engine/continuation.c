/* Checkpoint documents: what is signed, what is believed, and what becomes of it. */
#include "engine/checkpoint/continuation.h"
#include "base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/history.h"
#include "engine/in/mail_in.h"
#include "store/job/sessions.h"
#include "store/job/step_rows.h"
#include "store/note/note_versions.h"
#include "testwork.h"

#define MAIL                                                                                   \
    "From: Ann <ann@x>\nTo: envoy@postrider.local\nSubject: a plan\nMessage-ID: "              \
    "<m1@x>\n\nmake "                                                                          \
    "one\n"
#define STATE                                                                                  \
    "{\"current_phase\":\"composing\",\"working_note\":\"half \\u00e4\\nway\","                \
    "\"bundle_key\":\"scratch/b\",\"gathered_note_keys\":[\"a/b\"],"                           \
    "\"gathered_email_refs\":[{\"message_id\":\"<m1@x>\",\"folder\":\"INBOX\"}],"              \
    "\"failed_fetches\":{\"gone\":2},\"attempted_searches\":[\"x\"],"                          \
    "\"gathered_attachment_refs\":[],\"idle_steps\":1}"

/* Parks the job of one mail after one step; its checkpoint as document. */
static char *
park(TestWork *w, int64_t resume_us)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) state = g_bytes_new_static(STATE, strlen(STATE));
    g_autoptr(Job) job = NULL;
    int64_t seq;
    int n;

    if (!w->id.v)
        work_take_in(w, "envoy", MAIL, TRUST_PRINCIPAL, MSG_STORED);
    work_claim(w);
    Txn txn = test_begin(w->engine.db);
    job_count_step(&txn, &w->claim, USEC_NEVER, "composing", &n, &error);
    job_park(&txn, &w->claim, (Due){.us = resume_us}, "bob", &seq, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_true(job_load(w->engine.db, &all, w->id, &job, &error));
    RoleMailParent original = {.msgid = job->original_msgid, .subject = job->subject};
    CheckpointInput in = {
        .job = job, .role = work_role(w), .state = state, .original = &original};
    char *json = continuation_format(&w->engine, &in, &error);
    g_assert_no_error(error);
    return json;
}

static ContinuationFate
fate_of(TestWork *w, const Continuation *c)
{
    g_autoptr(GError) error = NULL;
    ContinuationFate fate;
    const char *why;

    continuation_judge(w->engine.db, c, "envoy", home_now(w->home), &fate, &why, &error);
    g_assert_no_error(error);
    return fate;
}

/* All of the seed's fields, in order, then ours, the MAC last. */
static void
test_members(TestWork *w, gconstpointer data)
{
    static const char *const want[] = {"type",
                                       "original_message_id",
                                       "original_subject",
                                       "original_from",
                                       "iteration",
                                       "total_iterations",
                                       "current_phase",
                                       "working_note",
                                       "bundle_key",
                                       "gathered_note_keys",
                                       "gathered_email_refs",
                                       "failed_fetches",
                                       "attempted_searches",
                                       "gathered_attachment_refs",
                                       "results",
                                       "idle_steps",
                                       "refused_empty_complete",
                                       "last_status",
                                       "wait_until",
                                       "refused_waiting",
                                       "said",
                                       "version",
                                       "job",
                                       "role",
                                       "round",
                                       "seq",
                                       "epoch",
                                       "resume_after"};
    g_autofree char *json = park(w, TEST_NOW);
    g_autoptr(json_t) doc = NULL;
    const char *name, *last = NULL;
    json_t *value;
    size_t i = 0;

    g_assert_true(json_parse(json, strlen(json), 0, &doc, NULL));
    json_object_foreach(doc, name, value)
    {
        last = name;
        if (i < G_N_ELEMENTS(want))
            g_assert_cmpstr(name, ==, want[i++]);
    }
    g_assert_cmpstr(last, ==, "mac");
    g_assert_cmpstr(json_string_value(json_object_get(doc, "original_message_id")), ==,
                    "<m1@x>");
    g_assert_cmpint(json_integer_value(json_object_get(doc, "total_iterations")), ==, 1);
    g_assert_cmpstr(json_string_value(json_object_get(doc, "working_note")), ==, "half ä\nway");
}

/* Every byte counts, and so does the key. */
static void
test_mac(TestWork *w, gconstpointer data)
{
    g_autofree char *json = park(w, TEST_NOW);
    size_t len = strlen(json);
    Key other = w->home->key;
    g_autoptr(Continuation) c = NULL;

    g_assert_cmpint(continuation_parse(&w->home->key, json, len, &c), ==, CONT_SIGNED);
    g_assert_cmpstr(c->role, ==, "envoy");
    other.v[0][0] ^= 1;
    Continuation *none = NULL;
    g_assert_cmpint(continuation_parse(&other, json, len, &none), ==, CONT_FORGED);
    g_assert_cmpint(continuation_parse(&w->home->key, json, len - 3, &none), ==, CONT_FORGED);
    for (size_t i = 0; i < len; i += 7) {
        g_autofree char *bad = g_strdup(json);
        bad[i] ^= 1;
        g_assert_cmpint(continuation_parse(&w->home->key, bad, len, &none), !=, CONT_SIGNED);
    }
    g_assert_null(none);
}

/* Replay, a future seq, another job's number, an order in between. */
static void
test_fates(TestWork *w, gconstpointer data)
{
    g_autofree char *json = park(w, TEST_NOW + USEC_PER_SEC);
    g_autoptr(Continuation) c = NULL;
    g_autoptr(GError) error = NULL;
    bool did;

    g_assert_cmpint(continuation_parse(&w->home->key, json, strlen(json), &c), ==, CONT_SIGNED);
    g_assert_cmpint(fate_of(w, c), ==, CONT_EARLY);
    w->home->clock.fixed_wall_us += USEC_PER_SEC;
    g_assert_cmpint(fate_of(w, c), ==, CONT_WAKES);
    c->seq++;
    g_assert_cmpint(fate_of(w, c), ==, CONT_AHEAD);
    c->seq--;
    c->epoch++;
    g_assert_cmpint(fate_of(w, c), ==, CONT_AHEAD);
    c->epoch -= 2;
    g_assert_cmpint(fate_of(w, c), ==, CONT_STALE); /* of before an order */
    c->epoch++;
    c->born_us++;
    g_assert_cmpint(fate_of(w, c), ==, CONT_STALE);
    c->born_us--;
    c->job.v += 100;
    g_assert_cmpint(fate_of(w, c), ==, CONT_RESTORES);
    c->job.v -= 100;
    Txn txn = test_begin(w->engine.db);
    job_continue(&txn, w->id, 0, NULL, &did, &error);
    test_commit(&txn);
    g_assert_cmpint(fate_of(w, c), ==, CONT_STALE); /* used */
    g_autofree char *second = park(w, TEST_NOW);
    g_assert_cmpint(fate_of(w, c), ==, CONT_STALE); /* older */
    g_autoptr(Continuation) newer = NULL;
    continuation_parse(&w->home->key, second, strlen(second), &newer);
    g_assert_cmpint(fate_of(w, newer), ==, CONT_WAKES);
    txn = test_begin(w->engine.db);
    job_stop(&txn, w->id, "asked", &did, &error);
    test_commit(&txn);
    g_assert_no_error(error);
    g_assert_cmpint(fate_of(w, newer), ==, CONT_STALE); /* stopped */
    g_free(newer->role);
    newer->role = g_strdup("other");
    g_assert_cmpint(fate_of(w, newer), ==, CONT_FOREIGN);
}

/* The document with one text put in place of another, signed anew. */
static char *
changed(TestWork *w, const char *json, const char *from, const char *to)
{
    g_auto(GStrv) halves = g_strsplit(json, from, 2);
    g_autofree char *text = g_strjoinv(to, halves);
    char *end = strstr(text, ",\"mac\":");
    Digest mac;

    g_assert_cmpuint(g_strv_length(halves), ==, 2);
    *end = '\0';
    key_mac(&w->home->key, "continuation 1", text, strlen(text), &mac);
    g_autofree char *hex = digest_hex(&mac);
    return g_strdup_printf("%s,\"mac\":\"%s\"}", text, hex);
}

/* Changes several texts one after the other. */
static char *
changed_all(TestWork *w, const char *json, const char *const (*changes)[2], size_t n)
{
    char *doc = g_strdup(json);

    for (size_t i = 0; i < n; i++) {
        g_autofree char *before = doc;
        doc = changed(w, before, changes[i][0], changes[i][1]);
    }
    return doc;
}

/* A mail without the field, or with a word of a later version, goes on. */
static void
test_wait_then(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *field;
        WaitThen want;
    } cases[] = {
        {",\"wait_then\":\"remind\"", WAIT_REMIND},
        {",\"wait_then\":\"escalate\"", WAIT_ESCALATE},
        {",\"wait_then\":\"\"", WAIT_CONTINUE},
        {",\"wait_then\":\"dance\"", WAIT_CONTINUE},
        {",\"wait_then\":7", WAIT_CONTINUE},
        {"", WAIT_CONTINUE},
    };
    g_autofree char *json = park(w, TEST_NOW);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *doc = changed(w, json, ",\"wait_then\":\"continue\"", cases[i].field);
        g_autoptr(Continuation) c = NULL;
        g_assert_cmpint(continuation_parse(&w->home->key, doc, strlen(doc), &c), ==,
                        CONT_SIGNED);
        g_assert_cmpint(c->wait_then, ==, cases[i].want);
    }
}

static char *
mail_with(const char *const *documents)
{
    GString *s = g_string_new("From: x@y\nTo: envoy@postrider.local\nSubject: s\n"
                              "Message-ID: <f@y>\nMIME-Version: 1.0\n"
                              "Content-Type: multipart/mixed; boundary=B\n\n"
                              "--B\nContent-Type: text/plain\n\nhello\n");
    for (; *documents; documents++)
        g_string_append_printf(s,
                               "--B\nContent-Type: application/json\nContent-Disposition: "
                               "attachment; filename=continuation.json\n\n%s\n",
                               *documents);
    g_string_append(s, "--B--\n");
    return g_string_free(s, FALSE);
}

/* As intake reads it: keeps no content. */
static ContinuationSeen
seen_by_intake(TestWork *w, const char *raw)
{
    g_autoptr(GBytes) bytes = g_bytes_new(raw, strlen(raw));
    MailIn in;

    mail_in_parse(&w->home->key, bytes, &in);
    g_autoptr(Message) m = in.mail;
    g_autoptr(Continuation) c = in.checkpoint;
    g_autoptr(GBytes) document = in.document;
    g_assert_true((c != NULL) == (in.seen == CONT_SIGNED));
    g_assert_true((document != NULL) == (in.seen == CONT_UNSIGNED));
    for (guint i = 0; i < m->parts->len; i++)
        g_assert_null(((const MsgPart *)g_ptr_array_index(m->parts, i))->content);
    return in.seen;
}

/* Whoever reads it sees the same, however the type is written. */
static ContinuationSeen
seen_in(TestWork *w, const char *raw)
{
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_CONTENT, NULL);
    g_autoptr(Continuation) c = NULL;
    g_autoptr(GString) shouted = g_string_new(raw);
    ContinuationSeen seen = continuation_read(&w->home->key, m, &c);

    g_string_replace(shouted, "application/json", "Application/JSON", 0);
    g_assert_cmpint(seen_by_intake(w, raw), ==, seen);
    g_assert_cmpint(seen_by_intake(w, shouted->str), ==, seen);
    return seen;
}

/* */
static void
test_mails(TestWork *w, gconstpointer data)
{
    g_autofree char *json = park(w, TEST_NOW);
    const char *seed = "{\"type\": \"continuation\", \"total_iterations\": 0}";
    const char *ours[] = {json, NULL}, *twice[] = {json, json, NULL}, *seeds[] = {seed, NULL};
    const char *other[] = {"{\"type\": \"invoice\"}", NULL};
    g_autofree char *one = mail_with(ours), *two = mail_with(twice), *plain = mail_with(other);
    g_autofree char *stranger = mail_with(seeds);
    g_autofree char *forwarded =
        g_strdup_printf("From: x@y\nSubject: Fwd\nMIME-Version: 1.0\nContent-Type: "
                        "multipart/mixed; boundary=F\n\n--F\nContent-Type: message/rfc822\n\n"
                        "%s\n--F--\n",
                        one);

    g_assert_cmpint(seen_in(w, one), ==, CONT_SIGNED);
    g_assert_cmpint(seen_in(w, two), ==, CONT_AMBIGUOUS);
    g_assert_cmpint(seen_in(w, plain), ==, CONT_NOT_ONE);
    g_assert_cmpint(seen_in(w, stranger), ==, CONT_UNSIGNED);
    g_assert_cmpint(seen_in(w, forwarded), ==, CONT_NOT_ONE);
}

/* The note in which the job keeps the keys of others. */
static void
put_bundle(TestWork *w, const char *text)
{
    const NoteBy by = {.author = "envoy", .label = TRUST_PRINCIPAL};
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    Txn txn = test_begin(w->engine.db);

    g_assert_true(note_put(&txn, "scratch/b", body, NOTE_ANY, &by, NULL, NULL));
    g_assert_true(note_put(&txn, "c/d", body, NOTE_ANY, &by, NULL, NULL));
    g_assert_true(note_put(&txn, "old/note", body, NOTE_ANY, &by, NULL, NULL));
    test_commit(&txn);
}

/* And that the document comes back byte by byte through MIME. */
static void
test_compose(TestWork *w, gconstpointer data)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autofree char *json = park(w, TEST_NOW);
    g_autoptr(GError) error = NULL;
    g_autoptr(Job) job = NULL;
    g_autoptr(Compose) mail = NULL;
    g_autoptr(GBytes) state = g_bytes_new_static(STATE, strlen(STATE));

    put_bundle(w, "It was [[old/note]].\n");
    put_bundle(w, "It lists [[c/d]] and [[nobody/has]].\n");
    g_assert_true(job_load(w->engine.db, &all, w->id, &job, &error));
    RoleMailParent original = {.msgid = job->original_msgid, .subject = job->subject};
    CheckpointInput in = {
        .job = job, .role = work_role(w), .state = state, .original = &original};
    continuation_compose(&w->engine, &in, &mail, &error);
    g_assert_no_error(error);
    g_autoptr(GBytes) raw = compose_format(mail, &error);
    g_assert_no_error(error);
    gsize len;
    const void *bytes = g_bytes_get_data(raw, &len);
    g_autoptr(Message) m = message_parse(bytes, len, MESSAGE_CONTENT, NULL);
    GBytes *part = continuation_part(m);
    g_assert_nonnull(part);
    g_assert_cmpmem(g_bytes_get_data(part, NULL), g_bytes_get_size(part), json, strlen(json));
    static const char *const says[] = {
        "a plan",      "ann@x",     "<m1@x>", "1 in this run, 1 of 24",
        "half ä\nway", "scratch/b", "a/b",    "INBOX",
        "  scratch/b (bundle)\n  c/d (by the bundle)\n  a/b\n", "It waits for bob"};
    for (size_t i = 0; i < G_N_ELEMENTS(says); i++)
        g_assert_nonnull(strstr(m->text, says[i]));
    g_assert_null(strstr(m->text, "old/note"));
    g_assert_null(strstr(m->text, "It was stopped"));
    g_assert_cmpstr(m->in_reply_to, ==, "m1@x");
    g_assert_cmpstr(((Address *)m->to->pdata[0])->spec, ==, "envoy@example.org");
}

/* A program remembers something of the job, and has read a mail that it did not answer yet. */
static void
put_session(TestWork *w)
{
    const Session s = {.job = {1},
                       .brain = (char *)"coder",
                       .kind = (char *)"claude",
                       .folder = (char *)"/srv/x",
                       .id = (char *)"s-1",
                       .began = true,
                       .step = 1,
                       .told_us = TEST_NOW,
                       .input = 10};
    g_auto(Txn) txn = test_begin(w->engine.db);

    g_assert_true(session_put(&txn, &s, NULL));
    g_assert_true(session_heard(&txn, s.job, " 1 ", NULL));
    test_commit(&txn);
}

/* Promise 9: lost with the store, back from the mail, with its counters. */
static void
test_restore(TestWork *w, gconstpointer data)
{
    static const char *const further[][2] = {
        {"\"step_limit\":0,", "\"step_limit\":36,"},
        {"\"step_results\":[]", "\"step_results\":[\"mail to bob was sent\"]"},
    };
    const Viewer all = VIEWER_OPERATOR;
    put_session(w);
    g_autofree char *parked = park(w, TEST_NOW);
    g_autofree char *json = changed_all(w, parked, further, G_N_ELEMENTS(further));
    const char *documents[] = {json, NULL};
    g_autofree char *mail = mail_with(documents);
    TestWork fresh;
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(Job) job = NULL;
    g_autoptr(Step) last = NULL;
    unsigned n;

    work_open(&fresh, NULL);
    fresh.home->key = w->home->key;
    g_free(work_file(&fresh, "envoy", mail));
    g_assert_true(maildir_open(fresh.home->mail_fd, "envoy", true, &md, &error));
    checkpoints_restore(&fresh.engine, work_role(&fresh), md, &n, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 1);
    checkpoints_restore(&fresh.engine, work_role(&fresh), md, &n, &error);
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(job_load(fresh.engine.db, &all, w->id, &job, &error));
    g_assert_nonnull(job);
    g_assert_cmpint(job->state, ==, JOB_PARKED);
    g_assert_cmpint(job->total_iterations, ==, 1);
    g_assert_cmpint(job->step_limit, ==, 36);
    g_assert_cmpint(job->seq, ==, 1);
    g_assert_cmpstr(job->original_msgid, ==, "m1@x");
    g_assert_cmpstr(job->asker, ==, "ann@x");
    g_assert_true(step_last(fresh.engine.db, job->id, &last, &error));
    g_assert_nonnull(last->state);
    g_assert_cmpstr(last->results, ==, "[\"mail to bob was sent\"]");
    g_autoptr(Session) session = NULL;
    g_assert_true(session_load(fresh.engine.db, job->id, &session, &error));
    g_assert_cmpstr(session->id, ==, "s-1");
    g_assert_cmpstr(session->folder, ==, "/srv/x");
    g_assert_true(session->began);
    g_assert_cmpint(session->step, ==, 1);
    g_assert_cmpint(session->input, ==, 10);
    g_assert_cmpint(session->told_us, ==, TEST_NOW);
    g_assert_cmpstr(session->heard, ==, "");
    work_close(&fresh, NULL);
}

/* Whoever puts an old copy into INBOX sets no counter back, and gives no trust. */
static void
test_restore_highest(TestWork *w, gconstpointer data)
{
    static const char *const further[][2] = {
        {"\"seq\":1,", "\"seq\":2,"},
        {"\"epoch\":1,", "\"epoch\":3,"},
        {"\"total_iterations\":1,", "\"total_iterations\":5,"},
        {"\"steps\":1,", "\"steps\":7,"},
        {"\"round_cost_micro\":0,", "\"round_cost_micro\":900,"},
        {"\"floor\":\"operator\",", "\"floor\":\"anyone\","},
    };
    const Viewer all = VIEWER_OPERATOR;
    g_autofree char *json = park(w, TEST_NOW);
    g_autofree char *later = changed_all(w, json, further, G_N_ELEMENTS(further));
    const char *old[] = {json, NULL}, *new[] = {later, NULL};
    g_autofree char *inbox = mail_with(old), *sent = mail_with(new);
    TestWork fresh;
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(Job) job = NULL;
    unsigned n;
    bool there;

    work_open(&fresh, NULL);
    fresh.home->key = w->home->key;
    g_free(work_file(&fresh, "envoy", inbox));
    g_assert_true(maildir_open(fresh.home->mail_fd, "envoy", true, &md, &error));
    maildir_deliver(md, "Sent", "copy.1", "S", "", sent, strlen(sent), &there, &error);
    checkpoints_restore(&fresh.engine, work_role(&fresh), md, &n, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 1);
    g_assert_true(job_load(fresh.engine.db, &all, w->id, &job, &error));
    g_assert_cmpint(job->total_iterations, ==, 5);
    g_assert_cmpint(job->steps, ==, 7);
    g_assert_cmpint(job->epoch, ==, 3);
    g_assert_cmpint(job->round_cost_micro, ==, 900);
    g_assert_cmpint(job->floor, ==, TRUST_ANYONE);
    work_close(&fresh, NULL);
}

/* What a copy in Done is as new as was used, or cancelled. */
static void
test_restore_done(TestWork *w, gconstpointer data)
{
    g_autofree char *json = park(w, TEST_NOW);
    const char *documents[] = {json, NULL};
    g_autofree char *mail = mail_with(documents);
    TestWork fresh;
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    unsigned n;
    bool there;

    work_open(&fresh, NULL);
    fresh.home->key = w->home->key;
    g_free(work_file(&fresh, "envoy", mail));
    g_assert_true(maildir_open(fresh.home->mail_fd, "envoy", true, &md, &error));
    maildir_deliver(md, "Done", "copy.1", "S", "", mail, strlen(mail), &there, &error);
    checkpoints_restore(&fresh.engine, work_role(&fresh), md, &n, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 0);
    work_close(&fresh, NULL);
}

/* A store that is older than the mail: the job is put back to where the checkpoint says. */
static void
test_put_back(TestWork *w, gconstpointer data)
{
    g_autofree char *json = park(w, TEST_NOW + USEC_PER_SEC);
    g_autoptr(Continuation) c = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(Job) job = NULL;

    g_assert_cmpint(continuation_parse(&w->home->key, json, strlen(json), &c), ==, CONT_SIGNED);
    c->seq += 3;
    Txn txn = test_begin(w->engine.db);
    bool ok = checkpoint_put_back(&w->engine, &txn, w->id, c, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    test_commit(&txn);
    g_assert_true(job_load(w->engine.db, &VIEWER_OPERATOR, w->id, &job, &error));
    g_assert_cmpint(job->state, ==, JOB_PARKED);
    g_assert_cmpint(job->seq, ==, c->seq);
    g_assert_cmpstr(job->original_msgid, ==, "m1@x");
}

/* The mail that began a job which came back is in its hands again, and no history. */
static void
test_original(TestWork *w, gconstpointer data)
{
    static const ConfAccount account = {.name = (char *)"main"};
    g_autofree char *json = park(w, TEST_NOW + USEC_PER_SEC);
    const char *documents[] = {json, NULL};
    g_autofree char *mail = mail_with(documents);
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;
    g_autoptr(MsgRow) row = NULL;
    TestWork fresh;
    unsigned n;

    work_open(&fresh, NULL);
    fresh.home->key = w->home->key;
    g_free(work_file(&fresh, "envoy", mail));
    g_free(work_file(&fresh, "envoy", MAIL));
    g_assert_true(maildir_open(fresh.home->mail_fd, "envoy", true, &md, &error));
    const RoleMailbox box = {&fresh.engine, &account, work_role(&fresh), md};
    bool ok = history_take(&box, &n, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_true(messages_find(fresh.engine.db, &VIEWER_OPERATOR, "m1@x", &row, &error));
    g_assert_cmpint(row->job.v, ==, w->id.v);
    g_assert_cmpint(row->state, ==, MSG_SHOWN);
    g_assert_cmpstr(row->why, ==, "its job came back from a checkpoint mail");
    work_close(&fresh, NULL);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(TestWork *w, gconstpointer data);
    } tests[] = {
        {"/continuation/members", test_members},
        {"/continuation/mac", test_mac},
        {"/continuation/fates", test_fates},
        {"/continuation/wait-then", test_wait_then},
        {"/continuation/mails", test_mails},
        {"/continuation/compose", test_compose},
        {"/continuation/restore", test_restore},
        {"/continuation/restore-highest", test_restore_highest},
        {"/continuation/restore-done", test_restore_done},
        {"/continuation/put-back", test_put_back},
        {"/continuation/original", test_original},
    };
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].name, TestWork, NULL, work_open, tests[i].run, work_close);
    return g_test_run();
}
