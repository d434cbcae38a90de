/* approve, reject: the same decisions as APPROVE and REJECT by mail, taken by the operator. */
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outbox_cmd.h"
#include "engine/in/order_mail.h"
#include "engine/out/post.h"
#include "engine/people/hold.h"
#include "engine/permit/permit_answer.h"
#include "engine/run/settle.h"

#define OPERATOR "the operator"

static int
status_of(HoldEnd end)
{
    switch (end) {
    case HOLD_DONE:
        return 0;
    case HOLD_LATE:
    case HOLD_ENDED:
        return EX_DATAERR;
    case HOLD_STOPPED:
    case HOLD_NO_WAY:
        return EX_TEMPFAIL;
    case HOLD_CHANGED:
        return EX_NOPERM;
    }
    return EX_SOFTWARE;
}

/* The question that ID means: itself, or the one about this mail alone (*ret_only). NULL:
 * nobody was asked, or a yes was given and the mail is held for another reason. */
static bool
find_question(Db *db, const OutRow *row, Question **ret, OutId *ret_only, GError **error)
{
    g_autoptr(Question) q = NULL;
    *ret_only = (OutId){0};
    if (!question_find(db, row->msgid, &q, error))
        return false;
    if (!q) {
        if (!question_of(db, row->id, &q, error))
            return false;
        *ret_only = row->id;
    }
    if (q && q->state == QUESTION_APPROVED && row->state == OUT_HELD)
        g_clear_pointer(&q, question_free);
    *ret = g_steal_pointer(&q);
    return true;
}

/* Questions about tool calls that one mail shows: all that are open, or the one with this number. */
static bool
decide_shown(Txn *txn,
             const Questions *shown,
             int n,
             const HoldAnswer *answer,
             HoldEnd *ret_end,
             char **ret_text,
             GError **error)
{
    g_autoptr(GString) s = g_string_new(NULL);
    bool any = false;
    for (guint i = 0; i < shown->len; i++) {
        g_autofree char *text = NULL;
        const Question *q = shown->pdata[i];
        HoldEnd end;
        bool last = i + 1 == shown->len && !any;
        if (n ? (guint)n != i + 1 : q->state != QUESTION_OPEN && !last)
            continue;
        if (!hold_decide(txn, q, answer, &end, &text, error))
            return false;
        g_string_append_printf(s, "%s%s", s->len ? "\n\n" : "", text);
        *ret_end = any && *ret_end == HOLD_DONE ? HOLD_DONE : end;
        any = true;
    }
    if (!any)
        return err_set(error, ERR_NEVER, "that mail asks no question %d", n);
    *ret_text = g_string_free(g_steal_pointer(&s), FALSE);
    return true;
}

static bool
is_longer(const HoldAnswer *a)
{
    return a->always || a->times || a->until_us;
}

static bool
decide(Txn *txn,
       const OutRow *row,
       int n,
       const HoldAnswer *like,
       GPtrArray *decided,
       HoldEnd *ret_end,
       char **ret_text,
       GError **error)
{
    g_autoptr(Question) q = NULL;
    g_autoptr(Questions) shown = NULL;
    HoldAnswer answer = *like;
    bool approve = like->approve;
    const char *why = like->why;
    answer.decided = decided;
    if (!questions_shown(txn->db, row->msgid, &shown, error))
        return false;
    if (shown->len)
        return decide_shown(txn, shown, n, &answer, ret_end, ret_text, error);
    if (n || is_longer(like))
        return err_set(error, ERR_NEVER, "that is no question about a tool call");
    if (!find_question(txn->db, row, &q, &answer.only, error))
        return false;
    if (q)
        return hold_decide(txn, q, &answer, ret_end, ret_text, error);
    g_autofree char *who = why ? g_strdup_printf(OPERATOR ": %s", why) : g_strdup(OPERATOR);
    *ret_end = HOLD_DONE;
    *ret_text = NULL;
    g_ptr_array_add(decided, g_strdup(row->msgid));
    return outbox_decide(txn, row->id, approve, who, error);
}

/* What was written as a mail, in one line. */
static char *
one_line(const char *text)
{
    g_auto(GStrv) words = text_words(text, " \n");
    return g_strjoinv(" ", words);
}

/* "17.2": mail 17, its second question. *ret_n 0: all of it. Caller frees. */
static char *
split_id(const char *id, int *ret_n)
{
    const char *dot = strchr(id, '.');
    int64_t n;
    size_t digits = strspn(id, "0123456789");
    *ret_n = 0;
    if (!dot || id + digits != dot || !text_parse_int(dot + 1, 1, 1000, &n))
        return g_strdup(id);
    *ret_n = (int)n;
    return g_strndup(id, digits);
}

static int
decide_one(Cli *cli, const char *id, const HoldAnswer *answer)
{
    bool approve = answer->approve;
    int n;
    g_autofree char *mail = split_id(id, &n);
    g_autoptr(OutRow) row = NULL;
    g_autofree char *text = NULL;
    g_auto(Engine) engine = cli_reader(cli);
    HoldEnd end = HOLD_DONE;
    int status = outbox_find_row(cli, mail, &row);
    if (status)
        return status;
    /* Read again behind the gate: the first to decide wins. */
    OutId number = row->id;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &cli->error)) {
        g_autoptr(GPtrArray) decided = g_ptr_array_new_with_free_func(g_free);
        g_clear_pointer(&row, out_row_free);
        g_clear_pointer(&text, g_free);
        if (!outbox_load(cli->db, number, &row, &cli->error) ||
            !decide(&txn, row, n, answer, decided, &end, &text, &cli->error))
            return cli_failed(cli, 0);
        txn.ok = end != HOLD_DONE ||
                 (order_mail_file(&engine, &txn, approve ? "APPROVE" : "REJECT", OPERATOR,
                                  row->job, row->from, decided, &cli->error) &&
                  (!approve || post_released(&engine, &txn, decided, &cli->error)));
    }
    if (!txn.done)
        return cli_failed(cli, 0);
    if (end != HOLD_DONE) {
        g_autofree char *line = one_line(text);
        return cli_fail(status_of(end), "%s: %s", id, line);
    }
    (void)settle_local(&engine, NULL, NULL); /* what can't be flagged now stays owed */
    db_hint(cli->db);
    if (text) {
        cli_print_vis(cli, text, true);
        cli_print(cli, "\n");
    }
    return 0;
}

/* Nobody answers a question about himself. */
static int
open_store(Cli *cli, const char *verb)
{
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "%s: an agent can't decide about its own mail", verb);
    return cli_db(cli, DB_WRITE);
}

/* 0, or an exit status after a message. */
static int
read_answer(Cli *cli, HoldAnswer *ret)
{
    const char *until = cli_text(cli, "until");
    *ret = (HoldAnswer){.approve = true,
                        .who = OPERATOR,
                        .why = cli_text(cli, "answer"),
                        .always = cli_flag(cli, "always")};
    int times = cli_number(cli, "times", 0);
    if (times < 0 || (cli_text(cli, "times") && times == 0))
        return cli_usage(cli, "--times takes a number from 1 on");
    ret->times = times > 1 ? times : 0;
    if (until && !permit_until_parse(until, home_now(cli->home), &ret->until_us))
        return cli_usage(cli, "--until takes a day (fri), a date (2026-11-20) or a time (18:00)");
    if (ret->always + (ret->times > 0) + (until != NULL) > 1)
        return cli_usage(cli, "one of --always, --times and --until");
    return 0;
}

int
cmd_approve(Cli *cli, int argc, char **argv)
{
    HoldAnswer answer;
    int status = open_store(cli, argv[0]);
    if (status || (status = read_answer(cli, &answer)))
        return status;
    for (int i = 1; i < argc; i++) {
        int one = decide_one(cli, argv[i], &answer);
        status = status ? status : one;
    }
    return status;
}

int
cmd_reject(Cli *cli, int argc, char **argv)
{
    g_autofree char *why = argc > 2 ? g_strjoinv(" ", argv + 2) : NULL;
    const HoldAnswer answer = {.who = OPERATOR, .why = why};
    int status = open_store(cli, argv[0]);
    return status ? status : decide_one(cli, argv[1], &answer);
}
