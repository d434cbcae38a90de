/* Which mail is an order: bodies as people and their clients write them. */
#include "engine/in/orders.h"
#include "store/out/outbox.h"
#include "testwork.h"

typedef struct Case {
    const char *name, *subject, *text;
    bool in_thread;
    OrderKind want;
    int want_steps;
    const char *want_instruction; /* NULL: none */
    int want_fork;
} Case;

#define QUOTED "\n\nOn Sun, Nov 15, 2026 at 9:30 AM envoy <envoy@x.org> wrote:\n> Hello\n"

static const Case cases[] = {
    {"bare word", "Re: a", "STOP\n", true, ORDER_STOP, 0, NULL},
    {"lower case with a full stop", "Re: a", "Stop.\n", true, ORDER_STOP, 0, NULL},
    {"exclamation", "Re: a", "stop!\n", true, ORDER_STOP, 0, NULL},
    {"blank lines first", "Re: a", "\n\n  STOP  \n", true, ORDER_STOP, 0, NULL},
    {"a task that begins with the word", "Re: a", "Stop using tabs\n", true, ORDER_NONE, 0,
     NULL},
    {"by tomorrow is mail", "Re: a", "Stop by tomorrow.\n", true, ORDER_NONE, 0, NULL},
    {"Gmail, top-posted", "Re: a", "Stop." QUOTED, true, ORDER_STOP, 0, NULL},
    {"Gmail app with signature", "Re: a", "Stop\n\n-- \nAnn\n" QUOTED, true, ORDER_STOP, 0,
     NULL},
    {"iOS Mail", "Re: a",
     "Stop.\n\nSent from my iPhone\n\n> On 15 Nov 2026, at 09:30, envoy <e@x> wrote:\n> \n> "
     "Hello\n",
     true, ORDER_STOP, 0, NULL},
    {"Outlook", "Re: a",
     "Stop.\n\n________________________________\nFrom: envoy <e@x>\nSent: Sunday\nTo: Ann\n"
     "Subject: a\n\nHello\n",
     true, ORDER_STOP, 0, NULL},
    {"mutt, bottom-posted", "Re: a", "On Sun, envoy wrote:\n> Hello\n\nCANCEL\n", true,
     ORDER_CANCEL, 0, NULL},
    {"only quoted", "Re: a", "Thank you.\n\n> STOP\n", true, ORDER_NONE, 0, NULL},
    {"instruction behind it", "Re: a", "CONTINUE\nUse the second offer.\n" QUOTED, true,
     ORDER_CONTINUE, 0, "Use the second offer."},
    {"continue with steps", "Re: a", "continue 8\n", true, ORDER_CONTINUE, 8, NULL},
    {"continue with nonsense", "Re: a", "continue 8 times\n", true, ORDER_NONE, 0, NULL},
    {"continue with zero", "Re: a", "continue 0\n", true, ORDER_UNCLEAR, 0, NULL},
    {"continue with too many", "Re: a", "CONTINUE 5000\nUse blue.\n", true, ORDER_UNCLEAR, 0,
     NULL},
    {"continue with less", "Re: a", "Continue -3.\n", true, ORDER_UNCLEAR, 0, NULL},
    {"continue with less money", "Re: a", "CONTINUE $-1\n", true, ORDER_UNCLEAR, 0, NULL},
    {"continue with too much money", "Re: a", "CONTINUE $5000\n", true, ORDER_UNCLEAR, 0, NULL},
    {"continue with money of a kind", "Re: a", "CONTINUE $\n", true, ORDER_UNCLEAR, 0, NULL},
    {"approve for ever", "Re: a", "APPROVE ALWAYS\n", true, ORDER_APPROVE, 0, NULL},
    {"approve so often", "Re: a", "Approve 10.\n", true, ORDER_APPROVE, 0, NULL},
    {"approve until then", "Re: a", "approve until Fri" QUOTED, true, ORDER_APPROVE, 0, NULL},
    {"approve with words below", "Re: a", "APPROVE ALWAYS\nThank you.\n", true, ORDER_APPROVE,
     0, "Thank you."},
    {"approve never", "Re: a", "APPROVE 0\n", true, ORDER_UNCLEAR, 0, NULL},
    {"approve too often", "Re: a", "APPROVE 5000\n", true, ORDER_UNCLEAR, 0, NULL},
    {"approve until two words", "Re: a", "approve until next week\n", true, ORDER_NONE, 0,
     NULL},
    {"approve with nonsense", "Re: a", "approve of it\n", true, ORDER_NONE, 0, NULL},
    {"a question mark", "Re: a", "Status?\n", true, ORDER_STATUS, 0, NULL},
    {"a question is no order to stop", "Re: a", "Stop?\n", true, ORDER_UNCLEAR, 0, NULL},
    {"why", "Re: a", "why\n", true, ORDER_WHY, 0, NULL},
    {"help", "Re: a", "HELP\n", true, ORDER_HELP, 0, NULL},
    {"one edit away", "Re: a", "Cancle\n", true, ORDER_UNCLEAR, 0, NULL},
    {"one letter too many", "Re: a", "STOPP!\n", true, ORDER_UNCLEAR, 0, NULL},
    {"one letter too few", "Re: a", "Statu\n", true, ORDER_UNCLEAR, 0, NULL},
    {"short words are tasks: Stpo", "Re: a", "Stpo\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Who", "Re: a", "Who\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Work", "Re: a", "Work\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Form", "Re: a", "Form\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Top", "Re: a", "Top\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Step", "Re: a", "Step\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Shop", "Re: a", "Shop\n", true, ORDER_NONE, 0, NULL},
    {"short words are tasks: Held", "Re: a", "Held\n", true, ORDER_NONE, 0, NULL},
    {"two edits away: Hello", "Re: a", "Hello\n", true, ORDER_NONE, 0, NULL},
    {"two edits away: Improve", "Re: a", "Improve\n", true, ORDER_NONE, 0, NULL},
    {"two edits away: Shop?", "Re: a", "Shop?\n", true, ORDER_NONE, 0, NULL},
    {"a word of its own", "Re: a", "Thanks\n", true, ORDER_NONE, 0, NULL},
    {"near, but more text", "Re: a", "Shop\nwhere is the shop?\n", true, ORDER_NONE, 0, NULL},
    {"new mail: order in the body", "hello", "STOP\n", false, ORDER_UNCLEAR, 0, NULL},
    {"new mail: subject STATUS", "Status", "", false, ORDER_STATUS, 0, NULL},
    {"new mail: subject STOP ALL", "STOP ALL!", "", false, ORDER_STOP_ALL, 0, NULL},
    {"reply: STOP ALL", "Re: a", "Stop all!\n\n-- \nAnn\n" QUOTED, true, ORDER_STOP_ALL, 0,
     NULL},
    {"reply: all of something", "Re: a", "Stop all tests\n", true, ORDER_NONE, 0, NULL},
    {"new mail: STOP ALL in the body", "hello", "STOP ALL\n", false, ORDER_UNCLEAR, 0, NULL},
    {"new mail: subject HELP", "help", "", false, ORDER_HELP, 0, NULL},
    {"new mail: a task", "Stop the presses", "Please write about it.\n", false, ORDER_NONE, 0,
     NULL},
    {"reply: the subject is no order", "STATUS", "Please go on with it.\n", true, ORDER_NONE, 0,
     NULL},
    {"empty body", "task", "", false, ORDER_NONE, 0, NULL},
    {"approve", "Re: a", "APPROVE\n", true, ORDER_APPROVE, 0, NULL},
    {"approve with a full stop", "Re: a", "Approve.\n", true, ORDER_APPROVE, 0, NULL},
    {"approve, bottom-posted", "Re: a", "On Sun, envoy wrote:\n> REJECT\n\napprove!\n", true,
     ORDER_APPROVE, 0, NULL},
    {"approve with a word below", "Re: a", "APPROVE\nAnd thank them.\n", true, ORDER_APPROVE, 0,
     "And thank them."},
    {"approve is a word alone", "Re: a", "Approve it\n", true, ORDER_NONE, 0, NULL},
    {"approve takes no colon", "Re: a", "Approve: all of it\n", true, ORDER_NONE, 0, NULL},
    {"approved is not approve", "Re: a", "Approved\n", true, ORDER_UNCLEAR, 0, NULL},
    {"approve? is a question", "Re: a", "Approve?\n", true, ORDER_UNCLEAR, 0, NULL},
    {"approve quoted", "Re: a", "Let me see.\n\n> APPROVE\n", true, ORDER_NONE, 0, NULL},
    {"approve second", "Re: a", "Hello,\nAPPROVE\n", true, ORDER_NONE, 0, NULL},
    {"approve in new mail", "a", "APPROVE\n", false, ORDER_UNCLEAR, 0, NULL},
    {"approve as a subject", "APPROVE", "", false, ORDER_NONE, 0, NULL},
    {"reject", "Re: a", "reject\n", true, ORDER_REJECT, 0, NULL},
    {"reject with an empty reason", "Re: a", "REJECT:\n", true, ORDER_REJECT, 0, NULL},
    {"reject with a reason", "Re: a", "REJECT: too Long.\n", true, ORDER_REJECT, 0,
     "too Long."},
    {"reject with a reason, no blank", "Re: a", "Reject:no" QUOTED, true, ORDER_REJECT, 0,
     "no"},
    {"reject with a blank before the colon", "Re: a", "reject : no\n", true, ORDER_REJECT, 0,
     "no"},
    {"reject with a reason and more", "Re: a", "Reject: too long\nUse one line.\n", true,
     ORDER_REJECT, 0, "too long\nUse one line."},
    {"reject with lines below", "Re: a", "REJECT\nUse one line.\n", true, ORDER_REJECT, 0,
     "Use one line."},
    {"reject needs the colon", "Re: a", "reject too long\n", true, ORDER_NONE, 0, NULL},
    {"rejected is mail", "Re: a", "Rejected: no\n", true, ORDER_NONE, 0, NULL},
    {"fork", "Re: a", "Fork.\n", true, ORDER_FORK, 0, NULL},
    {"fork at a step", "Re: a", "FORK 3\nTry the other one.\n", true, ORDER_FORK, 0,
     "Try the other one.", 3},
    {"fork at no step", "Re: a", "fork 0\n", true, ORDER_UNCLEAR, 0, NULL},
    {"fork something", "Re: a", "Fork the repository\n", true, ORDER_NONE, 0, NULL},
};

static void
test_case(gconstpointer data)
{
    const Case *c = data;
    Message m = {.subject = (char *)c->subject, .text = (char *)c->text};
    g_auto(Order) order = {0};

    order_parse(&m, c->in_thread, &order);
    g_assert_cmpint(order.kind, ==, c->want);
    g_assert_cmpint(order.steps, ==, c->want_steps);
    g_assert_cmpstr(order.instruction, ==, c->want_instruction);
    g_assert_cmpint(order.fork_step, ==, c->want_fork);
}

static void
test_permitted(void)
{
    static const struct {
        OrderKind kind;
        unsigned may;
        bool want;
    } permits[] = {
        {ORDER_STOP, MAY_STEER, true},    {ORDER_STOP, MAY_ASK | MAY_APPROVE, false},
        {ORDER_FORK, MAY_ASK, false},     {ORDER_HELP, MAY_ASK, false},
        {ORDER_UNCLEAR, MAY_ASK, false},  {ORDER_APPROVE, MAY_APPROVE, true},
        {ORDER_APPROVE, MAY_STEER, true}, {ORDER_REJECT, MAY_ASK, true},
        {ORDER_REJECT, 0, true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(permits); i++) {
        const Order order = {.kind = permits[i].kind};
        g_assert_cmpint(order_permitted(&order, permits[i].may), ==, permits[i].want);
    }
}

/* Who gives the order, and what they are told. */
static char *
apply(TestWork *w, const char *from, Trust trust, OrderKind kind, bool is_reply)
{
    static unsigned n;
    const Order order = {.kind = kind};
    g_autofree char *raw = g_strdup_printf("From: %s\nTo: envoy@example.org\nSubject: Re: s\n"
                                           "Message-ID: <o%u@x>\n%s\nx\n",
                                           from, ++n, is_reply ? "In-Reply-To: <a@x>\n" : "");
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    MsgId id = work_take_in(w, "envoy", raw, trust, MSG_HANDLED);
    g_autoptr(GArray) poke = g_array_new(FALSE, FALSE, sizeof(JobId));
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRows) out = NULL;
    g_autoptr(OutRow) answer = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_true(messages_load(w->engine.db, &VIEWER_OPERATOR, id, &row, &error));
    Txn txn = test_begin(w->engine.db);
    OrderCase c = {.engine = &w->engine,
                   .txn = &txn,
                   .order = &order,
                   .mail = row,
                   .m = m,
                   .job = w->id,
                   .poke = poke};
    bool ok = order_apply(&c, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    test_commit(&txn);
    g_assert_true(
        outbox_list(w->engine.db, &VIEWER_OPERATOR, &(OutQuery){.all = true}, &out, &error));
    g_assert_true(outbox_load(w->engine.db, out->pdata[0]->id, &answer, &error));
    g_assert_cmpstr(answer->address, ==, from);
    g_autoptr(Message) said = message_parse_bytes(answer->bytes, MESSAGE_TEXT);
    return g_strdup(said->text);
}

static void
test_apply(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *from;
        Trust trust;
        OrderKind kind;
        const char *want;
        JobState want_state;
    } given[] = {
        {"bob@else.example", TRUST_PRINCIPAL, ORDER_STOP, "none of yours", JOB_QUEUED},
        {"carl@else.example", TRUST_PRINCIPAL, ORDER_CONTINUE, "does not wait for anything",
         JOB_QUEUED},
        {"carl@else.example", TRUST_PRINCIPAL, ORDER_STOP, "Job 1 is stopped", JOB_STOPPED},
        {"bob@else.example", TRUST_PRINCIPAL, ORDER_CONTINUE, "none of yours", JOB_STOPPED},
        {"ann@example.org", TRUST_PRINCIPAL, ORDER_CONTINUE, "Job 1 goes on.", JOB_QUEUED},
        {"dora@example.org", TRUST_OPERATOR, ORDER_STOP, "Job 1 is stopped", JOB_STOPPED},
    };

    work_take_in(w, "envoy",
                 "From: carl@else.example\nTo: envoy@example.org\nSubject: s\n"
                 "Message-ID: <a@x>\n\nGo.\n",
                 TRUST_PRINCIPAL, MSG_STORED);
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++) {
        g_autofree char *text = apply(w, given[i].from, given[i].trust, given[i].kind, true);
        g_autoptr(Job) job = NULL;

        g_test_message("%s", given[i].from);
        g_assert_nonnull(strstr(text, given[i].want));
        g_assert_true(job_load(w->engine.db, &VIEWER_OPERATOR, w->id, &job, NULL));
        g_assert_cmpint(job->state, ==, given[i].want_state);
    }
}

/* A yes that answers nothing decides nothing, and whoever said it hears that. */
static void
test_no_question(TestWork *w, gconstpointer data)
{
    work_take_in(w, "envoy",
                 "From: ann@example.org\nTo: envoy@example.org\nSubject: s\n"
                 "Message-ID: <a@x>\n\nGo.\n",
                 TRUST_PRINCIPAL, MSG_STORED);
    for (int is_reply = 0; is_reply < 2; is_reply++) {
        g_autofree char *text =
            apply(w, "ann@example.org", TRUST_OPERATOR, ORDER_APPROVE, is_reply);
        g_assert_nonnull(strstr(text, "no question"));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/orders/%s", cases[i].name);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/orders/permitted", test_permitted);
    g_test_add("/orders/apply", TestWork, NULL, work_open, test_apply, work_close);
    g_test_add("/orders/no-question", TestWork, NULL, work_open, test_no_question, work_close);
    return g_test_run();
}
