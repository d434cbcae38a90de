/* What is kept of mail from step to step of one claim, and what people do to its files meanwhile. */
#include "engine/mail_load.h"
#include "base/file.h"
#include "testwork.h"
#include <glib/gstdio.h>
#include <fcntl.h>
#include <unistd.h>

#define HEAD                                                                                   \
    "From: you@postrider.local\nTo: envoy@postrider.local\nSubject: x\nMessage-ID: <1@x>\n\n"

static MsgRow *
take_in(TestWork *w)
{
    g_autoptr(GError) error = NULL;
    MsgId id = work_take_in(w, "envoy", HEAD "first words\n", TRUST_OPERATOR, MSG_STORED);
    MsgRow *row = NULL;

    g_assert_true(messages_load(w->engine.db, &VIEWER_OPERATOR, id, &row, &error));
    g_assert_no_error(error);
    return row;
}

/* NULL: it is gone. */
static Message *
load(TestWork *w, const MsgRow *row, MessageWhat what)
{
    g_autoptr(GError) error = NULL;
    Message *m = NULL;

    mail_load(&w->engine, row, what, &m, &error);
    g_assert_no_error(error);
    return m;
}

static char *
path_of(const TestWork *w, const MsgRow *row)
{
    return g_build_filename(w->home->path, "mail", row->role, "new", row->file, NULL);
}

static void
test_same(TestWork *w, gconstpointer data)
{
    g_autoptr(MsgRow) row = take_in(w);
    mails_keep(&w->engine);
    g_autoptr(Message) first = load(w, row, MESSAGE_TEXT);
    g_autoptr(Message) again = load(w, row, MESSAGE_TEXT);
    g_assert_true(first == again);

    mails_keep(&w->engine); /* the next step */
    g_autoptr(Message) later = load(w, row, MESSAGE_TEXT);
    g_autoptr(Message) headers = load(w, row, MESSAGE_HEADERS);
    g_autoptr(Message) parts = load(w, row, MESSAGE_CONTENT);
    g_assert_true(later == first);
    g_assert_true(headers != first && parts != first);
    g_assert_cmpstr(headers->text, ==, "");

    mails_forget(&w->engine); /* what somebody still holds stays */
    g_assert_cmpstr(first->text, ==, "first words\n");
}

static void
test_changed(TestWork *w, gconstpointer data)
{
    g_autoptr(MsgRow) row = take_in(w);
    g_autofree char *path = path_of(w, row);
    mails_keep(&w->engine);
    g_autoptr(Message) first = load(w, row, MESSAGE_TEXT);

    g_assert_true(g_file_set_contents(path, HEAD "other words\n", -1, NULL));
    g_autoptr(Message) same_step = load(w, row, MESSAGE_TEXT);
    g_assert_true(same_step == first);
    mails_keep(&w->engine);
    g_autoptr(Message) next_step = load(w, row, MESSAGE_TEXT);
    g_assert_cmpstr(next_step->text, ==, "other words\n");
    g_assert_cmpstr(first->text, ==, "first words\n");

    g_assert_cmpint(g_unlink(path), ==, 0);
    mails_keep(&w->engine);
    g_assert_null(load(w, row, MESSAGE_TEXT));
    mails_forget(&w->engine);
}

/* Other bytes of the same size in the same file, long enough after it was written that its bytes are kept from step to step. */
static void
test_in_place(TestWork *w, gconstpointer data)
{
    static const char other[] = "other words\n";
    g_autoptr(MsgRow) row = take_in(w);
    g_autofree char *path = g_build_filename(row->role, "new", row->file, NULL);
    auto_fd fd = openat(w->home->mail_fd, path, O_WRONLY | O_CLOEXEC);
    FileMark mark;

    g_assert_true(file_mark(w->home->mail_fd, path, &mark));
    while (file_clock_ns() <= mark.ctime_ns) /* a tick, some milliseconds */
        g_thread_yield();
    mails_keep(&w->engine);
    g_autoptr(Message) first = load(w, row, MESSAGE_TEXT);
    g_assert_cmpstr(first->text, ==, "first words\n");

    g_assert_cmpint(pwrite(fd, other, strlen(other), (off_t)strlen(HEAD)), ==, strlen(other));
    mails_keep(&w->engine); /* the next step */
    g_autoptr(Message) later = load(w, row, MESSAGE_TEXT);
    g_assert_cmpstr(later->text, ==, other);
    mails_forget(&w->engine);
}

/* Nothing can change what was written: it is not even read again. */
static void
test_written(TestWork *w, gconstpointer data)
{
    static const char raw[] = HEAD "we wrote\n";
    g_autoptr(GBytes) bytes = g_bytes_new_static(raw, sizeof raw - 1);
    OutRow row = {.id = {1}, .bytes = bytes};
    g_autoptr(GError) error = NULL;
    g_autoptr(MsgRow) came = take_in(w);
    g_autoptr(Message) first = NULL, again = NULL;

    g_assert_cmpint(came->id.v, ==, row.id.v); /* numbered apart */
    mails_keep(&w->engine);
    g_autoptr(Message) other = load(w, came, MESSAGE_TEXT);
    g_assert_true(mail_load_out(&w->engine, &row, NULL, MESSAGE_TEXT, &first, &error));
    g_assert_cmpstr(first->text, ==, "we wrote\n");
    mails_keep(&w->engine);
    row.bytes = NULL;
    g_assert_true(mail_load_out(&w->engine, &row, NULL, MESSAGE_TEXT, &again, &error));
    g_assert_true(again == first && other != first);
    mails_forget(&w->engine);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/mail_load/same", TestWork, NULL, work_open, test_same, work_close);
    g_test_add("/mail_load/changed", TestWork, NULL, work_open, test_changed, work_close);
    g_test_add("/mail_load/in-place", TestWork, NULL, work_open, test_in_place, work_close);
    g_test_add("/mail_load/written", TestWork, NULL, work_open, test_written, work_close);
    return g_test_run();
}
