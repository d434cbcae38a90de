/* A person responds: by `respond`, or by a file in responses/. */
#include "engine/run/by_hand.h"
#include "report/report_send.h"

/* Those of the open mails whose replies are among the numbers. */
static bool
find_mail(Engine *engine,
          const Report *r,
          const Replies *open,
          int upto,
          MsgRows **ret,
          GArray *numbers,
          GError **error)
{
    g_autoptr(MsgRows) all = NULL, found = msg_rows_new();
    if (!messages_open(engine->db, r->job, &all, error))
        return false;
    LIST_EACH(const Reply, reply, open) {
        if (upto && reply->n > upto)
            continue;
        g_array_append_val(numbers, reply->n);
        for (guint i = 0; i < all->len; i++) {
            MsgRow *row = g_ptr_array_index(all, i);
            if (g_str_equal(row->msgid, reply->msgid)) {
                msg_rows_add(found, g_ptr_array_steal_index(LIST_ARRAY(all), i));
                break;
            }
        }
    }
    *ret = g_steal_pointer(&found);
    return true;
}

static bool
check_numbers(const Report *r, const GArray *numbers, int upto, GError **error)
{
    for (guint i = 0; i < numbers->len; i++) {
        if (!upto || g_array_index(numbers, int, i) == upto)
            return true;
    }
    if (upto)
        return err_set(error, ERR_NEVER, "reply #%d of %s is not there, or answered already",
                       upto, r->date);
    return err_set(error, ERR_NEVER, "no reply of %s is open", r->date);
}

/* Who is answered, where no mail of it is open. */
static void
set_recipients(ProposedMail *mail, const Report *r, const Job *job, const MsgRows *settles)
{
    mail->in_reply_to = settles->len ? NULL : g_strdup(r->msgid);
    if (settles->len == 0)
        g_ptr_array_add(mail->to, g_strdup(job->asker));
}

static bool
commit(Engine *engine,
       const Report *r,
       ByHand *hand,
       const GArray *numbers,
       GBytes *body,
       char **ret_msgid,
       GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    g_autofree char *sent = NULL;
    while (txn_again(&txn, error)) {
        g_autofree char *msgid = NULL;
        txn.ok = by_hand_commit(hand, &txn, &msgid, error) &&
                 report_respond(engine, &txn, r, numbers, msgid, body, TRUST_OPERATOR, error);
        g_free(sent);
        sent = g_steal_pointer(&msgid);
    }
    if (txn.done && ret_msgid)
        *ret_msgid = g_steal_pointer(&sent);
    if (txn.done)
        db_hint(engine->db);
    return txn.done;
}

bool
report_respond_by_hand(Engine *engine,
                       const Report *r,
                       int upto,
                       GBytes *body,
                       const char *subject,
                       char **ret_msgid,
                       GError **error)
{
    g_autoptr(Replies) open = NULL;
    g_autoptr(MsgRows) settles = NULL;
    g_autoptr(Job) job = NULL;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));
    g_autoptr(ProposedMail) mail = proposed_mail_new();
    g_autoptr(ByHand) hand = NULL;
    if (g_bytes_get_size(body) == 0)
        return err_set(error, ERR_NEVER, "the response is empty");
    if (!report_open_replies(engine->db, r->id, &open, error) ||
        !find_mail(engine, r, open, upto, &settles, numbers, error) ||
        !check_numbers(r, numbers, upto, error) ||
        !job_load(engine->db, &VIEWER_OPERATOR, r->job, &job, error))
        return false;
    if (!job)
        return err_set(error, ERR_NEVER, "the job of %s is gone", r->date);
    mail->body = text_valid_bytes(body);
    mail->subject = g_strdup(subject);
    set_recipients(mail, r, job, settles);
    return by_hand_begin(engine, job, settles, mail, &hand, error) &&
           commit(engine, r, hand, numbers, body, ret_msgid, error);
}
