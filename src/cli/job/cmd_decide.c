/* approve, reject: the same decisions as APPROVE and REJECT by mail, taken by the operator. */
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outbox_cmd.h"
#include "engine/in/order_mail.h"
#include "engine/people/hold.h"
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

static bool
decide(Txn *txn,
       const OutRow *row,
       bool approve,
       const char *why,
       GPtrArray *decided,
       HoldEnd *ret_end,
       char **ret_text,
       GError **error)
{
    g_autoptr(Question) q = NULL;
    HoldAnswer answer = {.approve = approve, .who = OPERATOR, .why = why, .decided = decided};
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

static int
decide_one(Cli *cli, const char *id, bool approve, const char *why)
{
    g_autoptr(OutRow) row = NULL;
    g_autofree char *text = NULL;
    g_auto(Engine) engine = cli_reader(cli);
    HoldEnd end = HOLD_DONE;
    int status = outbox_find_row(cli, id, &row);
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
            !decide(&txn, row, approve, why, decided, &end, &text, &cli->error))
            return cli_failed(cli, 0);
        txn.ok = end != HOLD_DONE ||
                 order_mail_file(&engine, &txn, approve ? "APPROVE" : "REJECT", OPERATOR,
                                 row->job, row->from, decided, &cli->error);
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

int
cmd_approve(Cli *cli, int argc, char **argv)
{
    int status = open_store(cli, argv[0]);
    if (status)
        return status;
    for (int i = 1; i < argc; i++) {
        int one = decide_one(cli, argv[i], true, NULL);
        status = status ? status : one;
    }
    return status;
}

int
cmd_reject(Cli *cli, int argc, char **argv)
{
    g_autofree char *why = argc > 2 ? g_strjoinv(" ", argv + 2) : NULL;
    int status = open_store(cli, argv[0]);
    return status ? status : decide_one(cli, argv[1], false, why);
}
