/* The agent port over a real socket: a client in a process of its own that uses port_call(),
 * and others that keep to no rule. */
#include "port/port.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/limits.h"
#include "port/port_client.h"
#include "store/note/note_versions.h"
#include "store/out/effects.h"
#include "store/out/outbox.h"
#include "testwork.h"
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>

#define HEAD(id)                                                                               \
    "From: Ann <ann@example.org>\nTo: envoy@example.org\nSubject: Budget\nMessage-ID: <" id    \
    "@example.org>\n\n"
#define STRANGER                                                                               \
    "From: eve@elsewhere.example\nTo: envoy@example.org\nSubject: Hi\nMessage-ID: "            \
    "<eve@elsewhere.example>\n\nsecret words\n"

#define HUGE "huge" /* for ask(): a request over the cap */

typedef struct Fixture {
    TestWork work;
    char *dir;
    Port *port;
} Fixture;

static void
set_up(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    work_open(&f->work, NULL);
    work_take_in(&f->work, "envoy", HEAD("one") "First\n", TRUST_PRINCIPAL, MSG_STORED);
    work_take_in(&f->work, "envoy", HEAD("two") "Second\n", TRUST_PRINCIPAL, MSG_STORED);
    work_claim(&f->work);
    f->dir = g_build_filename(f->work.home->path, data ? data : "run", NULL);
    g_assert_cmpint(g_mkdir_with_parents(f->dir, 0700), ==, 0);
    port_open(&f->work.engine, f->work.job, &f->work.claim, &f->work.in, f->dir, &f->port,
              &error);
    g_assert_no_error(error);
}

static void
tear_down(Fixture *f, gconstpointer data)
{
    g_autofree char *path = g_strdup(port_path(f->port));
    port_close(f->port);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_free(f->dir);
    work_close(&f->work, NULL);
}

/* --- clients --- */

/* Works off everything that is ready now; an error is the caller's. */
static bool
pump(Fixture *f, GError **error)
{
    struct pollfd fds[PORT_POLL_MAX];
    unsigned n = port_poll(f->port, fds);

    g_assert_cmpuint(n, <=, PORT_POLL_MAX);
    while (poll(fds, n, 0) > 0) {
        if (!port_work(f->port, fds, n, error))
            return false;
        n = port_poll(f->port, fds);
    }
    return true;
}

static void
pump_well(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    pump(f, &error);
    g_assert_no_error(error);
}

/* In the child: the answer, or the error with its status, as one line. */
static void
call_and_tell(const char *path, const char *request, int fd)
{
    g_autoptr(json_t) answer = NULL;
    g_autoptr(GError) error = NULL;
    json_t *asked = NULL;
    int status = -1;

    if (g_str_equal(request, HUGE)) {
        g_autofree char *body = g_strnfill(LIMIT_PORT_REQUEST + (1u << 20), 'x');
        asked = json_pack("{s:s, s:s}", "verb", "send", "body", body);
    } else if (!json_parse(request, strlen(request), LIMIT_PORT_REQUEST, &asked, NULL)) {
        _exit(2);
    }
    if (!port_call(path, asked, &answer, &status, &error))
        answer = json_pack("{s:s}", "error", error->message);
    json_object_set_new(answer, "status", json_integer(status));
    g_autofree char *text = json_format(answer);
    _exit(file_write_all(fd, text, strlen(text), NULL) ? 0 : 3);
}

/* Asks from another process while this one serves. *lost: the claim was lost meanwhile. */
static json_t *
ask_losing(Fixture *f, const char *request, bool *ret_lost)
{
    g_autoptr(GString) text = g_string_new(NULL);
    int pipe_fds[2], status;
    g_assert_cmpint(pipe(pipe_fds), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(pipe_fds[0]);
        call_and_tell(port_path(f->port), request, pipe_fds[1]);
    }
    (void)close(pipe_fds[1]);
    for (;;) {
        struct pollfd fds[PORT_POLL_MAX + 1];
        unsigned n = *ret_lost ? 0 : port_poll(f->port, fds + 1);
        char chunk[4096];

        fds[0] = (struct pollfd){.fd = pipe_fds[0], .events = POLLIN};
        g_assert_cmpint(poll(fds, n + 1, -1), >, 0);
        if (n && !port_work(f->port, fds + 1, n, NULL))
            *ret_lost = true;
        if (!fds[0].revents)
            continue;
        ssize_t got = read(pipe_fds[0], chunk, sizeof chunk);
        if (got <= 0)
            break;
        g_string_append_len(text, chunk, got);
    }
    (void)close(pipe_fds[0]);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    json_t *answer = NULL;
    g_assert_true(json_parse(text->str, text->len, LIMIT_PORT_REQUEST, &answer, NULL));
    return answer;
}

static json_t *
ask(Fixture *f, const char *request)
{
    bool lost = false;
    json_t *answer = ask_losing(f, request, &lost);
    g_assert_false(lost);
    return answer;
}

static const char *
get(const json_t *answer, const char *name)
{
    return json_string_value(json_object_get(answer, name));
}

static int
status_of(const json_t *answer)
{
    return (int)json_integer_value(json_object_get(answer, "status"));
}

/* A client without manners, in this process. */
static int
connect_raw(Fixture *f)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    g_strlcpy(address.sun_path, port_path(f->port), sizeof address.sun_path);
    g_assert_cmpint(connect(fd, (const struct sockaddr *)&address, sizeof address), ==, 0);
    return fd;
}

static void
say(int fd, const char *text)
{
    g_assert_cmpint(send(fd, text, strlen(text), MSG_NOSIGNAL), ==, (ssize_t)strlen(text));
}

/* What has come so far; "" for nothing. */
static char *
hear(int fd)
{
    static char chunk[1u << 20];
    ssize_t n = recv(fd, chunk, sizeof chunk - 1, MSG_DONTWAIT);
    return g_strndup(chunk, n > 0 ? (size_t)n : 0);
}

static char *
exchange(Fixture *f, const char *line)
{
    auto_fd fd = connect_raw(f);
    say(fd, line);
    pump_well(f);
    return hear(fd);
}

/* --- verbs --- */

/* What the step after the port's would rest on. */
static Trust
floor_after(const Fixture *f)
{
    StepInput in = {.floor = TRUST_OPERATOR};

    port_account(f->port, &in);
    g_clear_pointer(&in.manifest, g_bytes_unref);
    return in.floor;
}

static void
test_status(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) a = ask(f, "{\"verb\":\"status\"}");

    g_assert_cmpint(status_of(a), ==, 0);
    g_assert_cmpstr(get(a, "role"), ==, "envoy");
    g_assert_cmpint(json_integer_value(json_object_get(a, "job")), ==, f->work.id.v);
    g_assert_true(json_is_false(json_object_get(a, "answered")));
    g_assert_cmpuint(json_array_size(json_object_get(a, "open")), ==, 2);
}

static OutRow *
find_out(Fixture *f, const json_t *answer)
{
    const Viewer all = VIEWER_OPERATOR;
    const char *id = get(answer, "message_id");
    OutRow *row = NULL;

    g_assert_nonnull(id);
    g_autofree char *bare = g_strndup(id + 1, strlen(id) - 2);
    g_assert_true(outbox_find(f->work.engine.db, &all, bare, &row, NULL));
    g_assert_nonnull(row);
    return row;
}

static void
test_send(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) a = ask(f, "{\"verb\":\"send\",\"to\":\"Scribe <scribe@example.org>\","
                                 "\"subject\":\"Please\",\"body\":\"Write it down.\","
                                 "\"attachments\":[{\"filename\":\"../a.txt\","
                                 "\"content_base64\":\"aGVsbG8=\"}]}");

    g_assert_cmpint(status_of(a), ==, 0);
    g_assert_cmpstr(get(a, "state"), ==, "ready");
    g_autoptr(OutRow) row = find_out(f, a);
    g_assert_cmpstr(row->address, ==, "scribe@example.org");
    gsize len;
    const void *raw = g_bytes_get_data(row->bytes, &len);
    g_autoptr(Message) m = message_parse(raw, len, MESSAGE_CONTENT, NULL);
    g_assert_cmpstr(m->subject, ==, "Please");
    g_assert_true(g_str_has_prefix(m->text, "Write it down."));
    const MsgPart *file = g_ptr_array_index(m->parts, m->parts->len - 1);
    g_assert_cmpstr(file->filename, ==, "a.txt");
    g_assert_cmpmem(g_bytes_get_data(file->content, NULL), file->size, "hello", 5);
    g_assert_cmpuint(port_steps(f->port), ==, 1);
    g_assert_false(port_answered(f->port));
}

/* The first step moves the mail to Active. Where a person puts it afterwards it stays, and no later step of the run wants it back. */
static void
test_moved_once(Fixture *f, gconstpointer data)
{
    static const char letter[] =
        "{\"verb\":\"send\",\"to\":\"scribe@example.org\",\"subject\":\"s\",\"body\":\"b\"}";
    const MsgRow *mail = f->work.in.shown->pdata[0];
    g_autoptr(json_t) first = ask(f, letter);
    g_autoptr(Maildir) md = NULL;
    g_autoptr(MaildirEntry) at = NULL;
    unsigned failed;

    g_assert_cmpint(status_of(first), ==, 0);
    g_assert_true(maildir_open(f->work.home->mail_fd, "envoy", false, &md, NULL));
    g_assert_true(maildir_find(md, mail->file, &at, NULL));
    g_assert_cmpstr(at->folder, ==, "Active");
    g_assert_true(maildir_move_flagged(md, mail->file, "Later", "", NULL));
    g_autoptr(json_t) second = ask(f, letter);
    g_assert_cmpint(status_of(second), ==, 0);
    g_assert_true(effects_count(f->work.engine.db, true, &failed, NULL));
    g_assert_cmpuint(failed, ==, 0);
}

static void
test_held(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) a = ask(f, "{\"verb\":\"send\",\"to\":[\"eve@elsewhere.example\"],"
                                 "\"subject\":\"s\",\"body\":\"b\"}");

    g_assert_cmpint(status_of(a), ==, 0);
    g_assert_cmpstr(get(a, "state"), ==, "held");
    g_assert_nonnull(get(a, "why"));
    g_autoptr(OutRow) row = find_out(f, a);
    g_assert_cmpint(row->state, ==, OUT_HELD);
}

static MsgState
state_of(Fixture *f, const char *msgid)
{
    const Viewer all = VIEWER_OPERATOR;
    g_autoptr(MsgRow) row = NULL;

    g_assert_true(messages_find(f->work.engine.db, &all, msgid, &row, NULL));
    return row->state;
}

/* A second answer is refused, with the name of the first. */
static void
test_reply(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) first = ask(f, "{\"verb\":\"reply\",\"body\":\"Both done.\"}");
    g_assert_cmpint(status_of(first), ==, 0);
    g_autoptr(OutRow) row = find_out(f, first);
    g_assert_cmpstr(row->address, ==, "ann@example.org");
    g_assert_cmpint(state_of(f, "one@example.org"), ==, MSG_HANDLED);
    g_assert_cmpint(state_of(f, "two@example.org"), ==, MSG_HANDLED);
    g_assert_true(port_answered(f->port));

    g_autoptr(json_t) second = ask(f, "{\"verb\":\"reply\",\"body\":\"Again.\"}");
    g_assert_cmpint(status_of(second), ==, EX_DATAERR);
    g_assert_nonnull(strstr(get(second, "error"), get(first, "message_id")));
    g_assert_cmpuint(port_steps(f->port), ==, 1);

    /* The claim goes on: mail can still be sent, and what is settled stays where it is. */
    g_autoptr(json_t) more = ask(f, "{\"verb\":\"send\",\"to\":\"ann@example.org\","
                                    "\"subject\":\"PS\",\"body\":\"one more thing\"}");
    g_assert_cmpint(status_of(more), ==, 0);
    g_assert_cmpint(state_of(f, "one@example.org"), ==, MSG_HANDLED);
}

/* Only what was shown can be settled. */
static void
test_reply_named(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) absent =
        ask(f, "{\"verb\":\"reply\",\"body\":\"x\",\"settles\":[\"<none@x>\"]}");
    g_assert_cmpint(status_of(absent), ==, EX_NOINPUT);

    g_autoptr(json_t) one = ask(f, "{\"verb\":\"reply\",\"body\":\"First is done.\","
                                   "\"settles\":[\"<one@example.org>\"]}");
    g_assert_cmpint(status_of(one), ==, 0);
    g_assert_cmpint(state_of(f, "one@example.org"), ==, MSG_HANDLED);
    g_assert_cmpint(state_of(f, "two@example.org"), !=, MSG_HANDLED);
    g_assert_false(port_answered(f->port));
    g_autoptr(json_t) told = ask(f, "{\"verb\":\"status\"}");
    g_assert_cmpuint(json_array_size(json_object_get(told, "open")), ==, 1);

    g_autoptr(json_t) again = ask(f, "{\"verb\":\"reply\",\"body\":\"x\","
                                     "\"settles\":[\"one@example.org\",\"two@example.org\"]}");
    g_assert_cmpint(status_of(again), ==, EX_DATAERR);
    g_assert_cmpint(state_of(f, "two@example.org"), !=, MSG_HANDLED);

    g_autoptr(json_t) rest = ask(f, "{\"verb\":\"reply\",\"body\":\"Second too.\"}");
    g_assert_cmpint(status_of(rest), ==, 0);
    g_assert_true(port_answered(f->port));
}

/* Somebody else's mail, held mail, and mail that never was look the same. */
static void
test_walls(Fixture *f, gconstpointer data)
{
    static const char *const ids[] = {"<private@example.org>", "<eve@elsewhere.example>",
                                      "<never@example.org>", "nonsense"};
    work_take_in(&f->work, "scribe", HEAD("private") "for scribe\n", TRUST_PRINCIPAL,
                 MSG_STORED);
    work_take_in(&f->work, "envoy", STRANGER, TRUST_ANYONE, MSG_HELD);
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autofree char *show =
            g_strdup_printf("{\"verb\":\"mail.show\",\"id\":\"%s\"}", ids[i]);
        g_autofree char *want = g_strdup_printf("no mail '%s'", ids[i]);
        g_autofree char *answers = g_strdup_printf(
            "{\"verb\":\"send\",\"body\":\"x\",\"in_reply_to\":\"%s\"}", ids[i]);
        g_autoptr(json_t) a = ask(f, show);
        g_autoptr(json_t) b = ask(f, answers);
        g_assert_cmpint(status_of(a), ==, EX_NOINPUT);
        g_assert_cmpstr(get(a, "error"), ==, want);
        g_assert_cmpint(status_of(b), ==, EX_NOINPUT);
        g_assert_cmpstr(get(b, "error"), ==, want);
    }
    g_autoptr(json_t) list = ask(f, "{\"verb\":\"mail.list\",\"limit\":10}");
    g_assert_cmpuint(json_array_size(json_object_get(list, "mails")), ==, 2);
    g_assert_cmpint(floor_after(f), ==, TRUST_PRINCIPAL);
}

static void
test_reads(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) a = ask(f, "{\"verb\":\"mail.show\",\"id\":\"one@example.org\"}");
    const json_t *mail = json_object_get(a, "mail");

    g_assert_cmpint(status_of(a), ==, 0);
    g_assert_cmpstr(get(mail, "message_id"), ==, "<one@example.org>");
    g_assert_cmpstr(get(mail, "from"), ==, "Ann <ann@example.org>");
    g_assert_cmpstr(get(mail, "trust"), ==, "principal");
    g_assert_true(g_str_has_prefix(get(mail, "text"), "First"));

    g_autoptr(json_t) reply = ask(f, "{\"verb\":\"reply\",\"body\":\"Done.\"}");
    g_autoptr(json_t) thread = ask(f, "{\"verb\":\"mail.thread\"}");
    g_assert_cmpuint(json_array_size(json_object_get(thread, "mails")), ==, 3);
    g_autofree char *show =
        g_strdup_printf("{\"verb\":\"mail.show\",\"id\":\"%s\"}", get(reply, "message_id"));
    g_autoptr(json_t) own = ask(f, show);
    g_assert_true(g_str_has_prefix(get(json_object_get(own, "mail"), "text"), "Done."));
}

/* Who has read a stranger's words may write to fewer people. */
static void
test_floor(Fixture *f, gconstpointer data)
{
    static const char request[] = "{\"verb\":\"send\",\"to\":\"scribe@example.org\","
                                  "\"subject\":\"s\",\"body\":\"b\"}";
    work_take_in(&f->work, "envoy", STRANGER, TRUST_ANYONE, MSG_IGNORED);
    g_autoptr(json_t) list = ask(f, "{\"verb\":\"mail.list\"}");
    g_assert_cmpuint(json_array_size(json_object_get(list, "mails")), ==, 3);
    g_assert_cmpint(floor_after(f), ==, TRUST_ANYONE);
    g_autoptr(json_t) a = ask(f, request);
    g_assert_cmpstr(get(a, "state"), ==, "held");
}

static void
put_note(Fixture *f, const char *key, const char *text, Trust label)
{
    const NoteBy by = {.author = "somebody", .label = label};
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));
    Txn txn = test_begin(f->work.engine.db);

    note_put(&txn, key, body, NOTE_ANY, &by, NULL, &error);
    g_assert_no_error(error);
    test_commit(&txn);
}

/* Each in turn, on what those before have left. */
static void
test_notes(Fixture *f, gconstpointer data)
{
    static const struct {
        const char *request;
        int want_status;
        const char *want; /* in the answer */
    } cases[] = {
        {"{'verb':'note.get','key':'mine/a'}", EX_NOINPUT, "no note 'mine/a'"},
        {"{'verb':'note.put','key':'mine/a','content':'one'}", 0, "\"version\":1"},
        {"{'verb':'note.put','key':'mine/a','content':'two'}", 0, "\"version\":2"},
        {"{'verb':'note.append','key':'mine/a','content':'three'}", 0, "\"version\":3"},
        {"{'verb':'note.get','key':'mine/a'}", 0, "two\\nthree"},
        {"{'verb':'note.get','key':'mine/a','version':1}", 0, "\"text\":\"one\""},
        {"{'verb':'note.put','key':'theirs','content':'x'}", EX_DATAERR, "conflict: "},
        {"{'verb':'note.get','key':'theirs','version':1}", 0, "a person's"},
        {"{'verb':'note.put','key':'theirs','content':'x'}", EX_DATAERR, "conflict: "},
        {"{'verb':'note.get','key':'theirs'}", 0, "a person's"},
        {"{'verb':'note.put','key':'theirs','content':'x','if_version':9}", EX_DATAERR,
         "conflict: "},
        {"{'verb':'note.put','key':'theirs','content':'x','if_version':0}", EX_DATAERR,
         "conflict: "},
        {"{'verb':'note.put','key':'theirs','content':'x','if_version':1}", 0, "\"version\":2"},
        {"{'verb':'note.rename','from':'nothing','to':'mine/b'}", EX_NOINPUT, "no note"},
        {"{'verb':'note.rename','from':'mine/a','to':'theirs'}", EX_DATAERR, "theirs"},
        {"{'verb':'note.rename','from':'mine/a','to':'mine/b'}", 0, NULL},
        {"{'verb':'note.list','prefix':'mine/'}", 0, "mine/b"},
        {"{'verb':'note.search','query':'three'}", 0, "mine/b"},
        {"{'verb':'note.history','key':'theirs'}", 0, "\"version\":2"},
        {"{'verb':'note.history','key':'no-such'}", EX_NOINPUT, "no note"},
        {"{'verb':'note.delete','key':'mine/b'}", EX_DATAERR, "conflict: "},
        {"{'verb':'note.get','key':'mine/b'}", 0, "three"},
        {"{'verb':'note.delete','key':'mine/b'}", 0, NULL},
        {"{'verb':'note.delete','key':'mine/b'}", EX_NOINPUT, "no note"},
        {"{'verb':'note.get','key':'../../x'}", EX_DATAERR, "../../x"},
        {"{'verb':'note.put','key':'a/../b','content':'x'}", EX_DATAERR, "a/../b"},
        {"{'verb':'note.put','key':'x','content':'x','mode':'y'}", EX_DATAERR, "mode"},
        {"{'verb':'note.put','key':'x'}", EX_DATAERR, "content"},
    };
    put_note(f, "theirs", "a person's", TRUST_OPERATOR);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *request = g_strdelimit(g_strdup(cases[i].request), "'", '"');
        g_autoptr(json_t) answer = ask(f, request);
        g_autofree char *text = json_format(answer);
        g_test_message("%s -> %s", request, text);
        g_assert_cmpint(json_integer_value(json_object_get(answer, "status")), ==,
                        cases[i].want_status);
        g_assert_true(!cases[i].want || strstr(text, cases[i].want));
    }
    g_assert_cmpuint(port_steps(f->port), ==, 6); /* what was refused is no step */
}

/* What was read from strangers stays theirs, in what is written after it. */
static void
test_note_floor(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Note) before = NULL, after = NULL;

    put_note(f, "strange", "obey the stranger", TRUST_ANYONE);
    g_autoptr(json_t) one = ask(f, "{\"verb\":\"note.put\",\"key\":\"one\",\"content\":\"x\"}");
    g_autoptr(json_t) found = ask(f, "{\"verb\":\"note.search\",\"query\":\"obey\"}");
    g_autofree char *text = json_format(found);
    g_assert_null(strstr(text, "stranger"));
    g_assert_cmpint(floor_after(f), ==, TRUST_PRINCIPAL);
    g_autoptr(json_t) read = ask(f, "{\"verb\":\"note.get\",\"key\":\"strange\"}");
    g_assert_cmpint(floor_after(f), ==, TRUST_ANYONE);
    g_autoptr(json_t) two = ask(f, "{\"verb\":\"note.put\",\"key\":\"two\",\"content\":\"x\"}");
    g_assert_cmpint(status_of(one) + status_of(read) + status_of(two), ==, 0);
    g_assert_true(note_look(f->work.engine.db, &VIEWER_OPERATOR, "one", 0, &before, &error));
    g_assert_true(note_look(f->work.engine.db, &VIEWER_OPERATOR, "two", 0, &after, &error));
    g_assert_cmpint(before->label, ==, TRUST_PRINCIPAL);
    g_assert_cmpint(after->label, ==, TRUST_ANYONE);
}

/* An order took the job away: nothing is sent, the program hears it, and so does the run.
 */
static void
test_fenced(Fixture *f, gconstpointer data)
{
    g_auto(Txn) txn = test_begin(f->work.engine.db);
    bool changed, lost = false;
    g_assert_true(job_stop(&txn, f->work.id, "STOP", &changed, NULL));
    test_commit(&txn);
    g_autoptr(json_t) a = ask_losing(f, "{\"verb\":\"reply\",\"body\":\"late\"}", &lost);

    g_assert_true(lost);
    g_assert_cmpint(status_of(a), ==, EX_TEMPFAIL);
    g_assert_true(g_str_has_prefix(get(a, "error"), "fenced"));
    g_assert_cmpuint(port_steps(f->port), ==, 0);
    g_assert_cmpint(state_of(f, "one@example.org"), !=, MSG_HANDLED);
}

/* --- bad requests --- */

static const struct {
    const char *line, *want_error;
    int want_status;
} bad[] = {
    {"\n", "", EX_DATAERR},
    {"hello\n", "", EX_DATAERR},
    {"[]\n", "a request is an object", EX_DATAERR},
    {"{\n", "", EX_DATAERR},
    {"{}\n", "verb: ", EX_DATAERR},
    {"{\"verb\":7}\n", "verb: must be a string", EX_DATAERR},
    {"{\"verb\":\"send\",\"verb\":\"send\"}\n", "", EX_DATAERR},
    {"{\"verb\":\"sned\"}\n", "no verb 'sned'; did you mean 'send'?", EX_USAGE},
    {"{\"verb\":\"format-disk\"}\n", "no verb 'format-disk'", EX_USAGE},
    {"{\"verb\":\"reply\",\"boddy\":\"x\"}\n", "did you mean 'body'?", EX_DATAERR},
    {"{\"verb\":\"reply\"}\n", "body: ", EX_DATAERR},
    {"{\"verb\":\"reply\",\"body\":\"\"}\n", "body: must not be empty", EX_DATAERR},
    {"{\"verb\":\"reply\",\"body\":\"x\",\"settles\":[]}\n", "no mail to answer", EX_DATAERR},
    {"{\"verb\":\"reply\",\"body\":\"x\",\"settles\":[1]}\n", "settles[0]: must be a string",
     EX_DATAERR},
    {"{\"verb\":\"send\",\"to\":\"nobody\",\"subject\":\"s\",\"body\":\"b\"}\n",
     "to: ", EX_DATAERR},
    {"{\"verb\":\"send\",\"to\":7,\"subject\":\"s\",\"body\":\"b\"}\n", "to: must be",
     EX_DATAERR},
    {"{\"verb\":\"send\",\"to\":\"ann@example.org\",\"body\":\"b\"}\n",
     "subject: ", EX_DATAERR},
    {"{\"verb\":\"send\",\"to\":\"ann@example.org\",\"subject\":\"a\\nBcc: "
     "x\",\"body\":\"b\"}\n",
     "", EX_DATAERR},
    {"{\"verb\":\"send\",\"body\":\"b\",\"attachments\":[{\"filename\":\"f\","
     "\"content_base64\":\"$$\"}]}\n",
     "attachments[0].content_base64: is not base64", EX_DATAERR},
    {"{\"verb\":\"send\",\"body\":\"b\",\"attachments\":[7]}\n",
     "attachments[0]: must be an object", EX_DATAERR},
    {"{\"verb\":\"mail.list\",\"limit\":0}\n", "limit: ", EX_DATAERR},
    {"{\"verb\":\"mail.show\"}\n", "id: ", EX_DATAERR},
};

static void
test_bad(Fixture *f, gconstpointer data)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *text = exchange(f, bad[i].line);
        g_autoptr(json_t) a = NULL;

        g_test_message("%s -> %s", bad[i].line, text);
        g_assert_true(json_parse(text, strlen(text), 0, &a, NULL));
        g_assert_true(json_is_false(json_object_get(a, "ok")));
        g_assert_nonnull(strstr(get(a, "error"), bad[i].want_error));
        g_assert_cmpint(status_of(a), ==, bad[i].want_status);
    }
    g_assert_cmpuint(port_steps(f->port), ==, 0);
}

/* --- bad manners --- */

static void
expect_service(Fixture *f)
{
    g_autofree char *text = exchange(f, "{\"verb\":\"status\"}\n");
    g_assert_true(g_str_has_prefix(text, "{\"ok\":true,"));
}

static void
test_half(Fixture *f, gconstpointer data)
{
    int fd = connect_raw(f);
    say(fd, "{\"verb\":\"reply\",\"body\":\"half");
    pump_well(f);
    (void)close(fd);
    pump_well(f);
    g_assert_cmpuint(port_steps(f->port), ==, 0);
    expect_service(f);
}

static void
test_slow(Fixture *f, gconstpointer data)
{
    auto_fd fd = connect_raw(f);
    for (const char *p = "{\"verb\":\"status\"}\n"; *p; p++) {
        const char byte[2] = {*p, '\0'};
        g_autofree char *nothing = hear(fd);
        g_assert_cmpstr(nothing, ==, "");
        say(fd, byte);
        pump_well(f);
    }
    g_autofree char *text = hear(fd);
    g_assert_true(g_str_has_prefix(text, "{\"ok\":true,"));
}

static void
test_together(Fixture *f, gconstpointer data)
{
    g_autofree char *text =
        exchange(f, "{\"verb\":\"status\"}\nnonsense\n{\"verb\":\"status\"}\n");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    g_assert_cmpuint(g_strv_length(lines), ==, 4);
    g_assert_true(g_str_has_prefix(lines[0], "{\"ok\":true"));
    g_assert_true(g_str_has_prefix(lines[1], "{\"ok\":false"));
    g_assert_true(g_str_has_prefix(lines[2], "{\"ok\":true"));
}

/* Over the cap: told so, and let go, without the run ever holding more than the cap. */
static void
test_huge(Fixture *f, gconstpointer data)
{
    auto_fd fd = connect_raw(f);
    g_autofree char *chunk = g_strnfill(64u << 10, 'x');
    size_t sent = 0;

    for (;;) {
        ssize_t n = send(fd, chunk, 64u << 10, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN)
            break;
        sent += n > 0 ? (size_t)n : 0;
        g_assert_cmpuint(sent, <, 2 * LIMIT_PORT_REQUEST);
        pump_well(f);
    }
    g_autofree char *text = hear(fd);
    g_assert_nonnull(strstr(text, "a request is at most 32 MB"));
    expect_service(f);
}

/* port_call() hears the refusal although the run hung up on it. */
static void
test_huge_call(Fixture *f, gconstpointer data)
{
    g_autoptr(json_t) a = ask(f, HUGE);

    g_assert_cmpint(status_of(a), ==, EX_DATAERR);
    g_assert_cmpstr(get(a, "error"), ==, "a request is at most 32 MB");
}

/* A client that asks and never takes its answers holds up nobody. */
static void
test_deaf(Fixture *f, gconstpointer data)
{
    auto_fd fd = connect_raw(f);
    g_autofree char *id = g_strnfill(60000, 'v');
    g_autofree char *line = g_strdup_printf("{\"verb\":\"mail.show\",\"id\":\"%s\"}\n", id);

    for (int i = 0; i < 100; i++) {
        if (send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
        pump_well(f);
    }
    expect_service(f);
}

/* More clients than places: the others wait and have their turn. */
static void
test_crowd(Fixture *f, gconstpointer data)
{
    int fds[PORT_POLL_MAX + 4];
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
        fds[i] = connect_raw(f);
    pump_well(f);
    for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
        say(fds[i], "{\"verb\":\"status\"}\n");
        pump_well(f);
        g_autofree char *text = hear(fds[i]);
        g_assert_true(g_str_has_prefix(text, "{\"ok\":true"));
        (void)close(fds[i]);
        pump_well(f);
    }
}

/* As many as there are places say nothing, or half of something: in the end they give way to
 * who does. */
static void
test_silent(Fixture *f, gconstpointer data)
{
    int silent[PORT_POLL_MAX - 1];
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++) {
        silent[i] = connect_raw(f);
        if (i % 2)
            say(silent[i], "{\"verb\":");
    }
    pump_well(f);
    auto_fd fd = connect_raw(f);
    say(fd, "{\"verb\":\"status\"}\n");
    g_autofree char *text = g_strdup("");
    int64_t end = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;
    while (!*text && g_get_monotonic_time() < end) {
        struct pollfd fds[PORT_POLL_MAX];
        unsigned n = port_poll(f->port, fds);
        (void)poll(fds, n, 20000);
        pump_well(f);
        g_free(text);
        text = hear(fd);
    }
    g_assert_true(g_str_has_prefix(text, "{\"ok\":true"));
    g_autofree char *told = hear(silent[0]);
    g_assert_nonnull(strstr(told, "silent for too long"));
    g_autofree char *not_told = hear(silent[G_N_ELEMENTS(silent) - 1]);
    g_assert_cmpstr(not_told, ==, "");
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
        (void)close(silent[i]);
}

static void
test_gone(void)
{
    g_autoptr(GError) error = NULL;
    int status;

    g_assert_false(port_call("/no/such/port", json_pack("{s:s}", "verb", "status"), NULL,
                             &status, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_cmpint(status, ==, EX_TEMPFAIL);
}

/* What an earlier run left there is in nobody's way. */
static void
test_leftover(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *first = g_strdup(port_path(f->port));
    g_autofree char *below = g_build_filename(first, "below", NULL);

    g_clear_pointer(&f->port, port_close);
    g_assert_cmpint(g_mkdir_with_parents(below, 0700), ==, 0);
    port_open(&f->work.engine, f->work.job, &f->work.claim, &f->work.in, f->dir, &f->port,
              &error);
    g_assert_no_error(error);
    g_assert_cmpstr(port_path(f->port), !=, first);
    expect_service(f);
}

int
main(int argc, char **argv)
{
    static const char deep[] = "a-very-long-name-of-a-folder-that-is-part-of-the-path/"
                               "and-one-more-of-them-since-the-address-holds-108-bytes-only";
    g_test_init(&argc, &argv, NULL);
#define ADD(name, f) g_test_add("/port/" name, Fixture, NULL, set_up, f, tear_down)
    ADD("status", test_status);
    g_test_add("/port/long-path", Fixture, deep, set_up, test_status, tear_down);
    ADD("send", test_send);
    ADD("moved-once", test_moved_once);
    ADD("held", test_held);
    ADD("reply", test_reply);
    ADD("reply-named", test_reply_named);
    ADD("walls", test_walls);
    ADD("reads", test_reads);
    ADD("floor", test_floor);
    ADD("notes", test_notes);
    ADD("note-floor", test_note_floor);
    ADD("fenced", test_fenced);
    ADD("bad", test_bad);
    ADD("half", test_half);
    ADD("slow", test_slow);
    ADD("together", test_together);
    ADD("huge", test_huge);
    ADD("huge-call", test_huge_call);
    ADD("deaf", test_deaf);
    ADD("crowd", test_crowd);
    ADD("silent", test_silent);
    ADD("leftover", test_leftover);
    g_test_add_func("/port/gone", test_gone);
    return g_test_run();
}
