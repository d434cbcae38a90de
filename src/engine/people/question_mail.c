#include "base/digest.h"
#include "engine/people/question_kind.h"
#include "engine/run/disarm.h"
#include "store/spaces.h"
#include "store/out/outbox_smtp.h"

/*
 * The two kinds of question about mail. What is shown of a mail is all that the agent wrote:
 * what a person reads here is what their yes is about.
 */
static void
add_header(GString *s, const char *label, const char *value)
{
    g_autofree char *safe = disarm_links(value, NULL, DISARM_DATA);
    g_autofree char *seen = text_vis(safe ? safe : value, false);
    g_string_append_printf(s, QUESTION_MARGIN "%s: %s\n", label, seen);
}

static void
add_addresses(GString *s, const char *label, const Addresses *list)
{
    g_autofree char *all = address_show_list(list);
    if (*all)
        add_header(s, label, all);
}

/* The whole text as it was written: what a reader gets is cut and cleaned. Only a link that a
 * yes is needed for must not work before it; true: there is one. */
static bool
add_text(GString *s, const Message *m)
{
    bool disarmed = false;
    LIST_EACH(const MsgPart, part, m->parts) {
        if (!part->text || !part->content)
            continue;
        g_autofree char *text = text_valid_bytes(part->content);
        g_autofree char *safe = disarm_links(text, NULL, DISARM_DATA);
        question_add_text(s, safe ? safe : text);
        disarmed |= safe != NULL;
    }
    return disarmed;
}

static void
add_files(GString *s, const Message *m)
{
    LIST_EACH(const MsgPart, part, m->files) {
        g_autofree char *name = text_vis(part->filename, false);
        g_autofree char *hex = digest_hex_of(part->content);
        g_string_append_printf(
            s, QUESTION_MARGIN "attached: %s, %s, %" G_GSIZE_FORMAT " bytes, SHA-256 %s\n",
            name, part->content_type, g_bytes_get_size(part->content), hex);
    }
}

/* Where a yes alone would not be enough. */
static void
add_reach(Engine *engine, GString *s, const Addresses *list)
{
    const Config *config = engine->home->config;
    LIST_EACH(const Address, a, list) {
        const char *no_way = outbox_no_way(config, config_mailbox_at(config, a->spec));
        bool here;
        if (no_way && (!address_is_here(engine->db, a->spec, &here, NULL) || !here))
            g_string_append_printf(
                s, "It can't reach %s from here now, even after a yes: %s.\n", a->spec, no_way);
    }
}

/* The mail, with bytes. */
static bool
load_mail(Engine *engine, OutId id, OutRow **ret, Message **ret_mail, GError **error)
{
    if (!outbox_load(engine->db, id, ret, error))
        return false;
    *ret_mail =
        *ret && (*ret)->bytes ? message_parse_bytes((*ret)->bytes, MESSAGE_CONTENT) : NULL;
    return *ret_mail ||
           err_set(error, ERR_DAMAGE, "the bytes of mail %" PRId64 " are gone", id.v);
}

static void
add_content(GString *s, const OutRow *row, const Message *m)
{
    add_header(s, "From", m->from ? m->from->spec : row->from);
    add_addresses(s, "To", m->to);
    add_addresses(s, "Cc", m->cc);
    add_header(s, "Subject", m->subject);
    g_string_append(s, QUESTION_MARGIN "\n");
    bool disarmed = add_text(s, m);
    add_files(s, m);
    g_string_append(s, disarmed ? "\nIn this question links that carry data do not work.\n\n"
                                : "\n");
}

static bool
digest_mails(Db *db, const Question *q, Digest *ret, GError **error)
{
    g_autoptr(GArray) ids = question_out_ids(q);
    return question_digest(db, (const OutId *)(void *)ids->data, ids->len, ret, error);
}

/* --- deciding --- */

static void
add_line(GString *s, const QuestionMail *m, const char *remark)
{
    g_string_append_printf(s, "  mail %" PRId64 " to %s: %s%s%s\n", m->id.v, m->to, m->subject,
                           remark ? ", " : "", remark ? remark : "");
}

static void
add_done(Deciding *d, const QuestionMail *m)
{
    add_line(d->done, m, NULL);
    g_ptr_array_add(d->answer->decided, g_strdup(m->msgid));
    d->n_done++;
}

/* Recipients of an approved mail who can't be reached: it stays held for them. */
static bool
add_unreached(Deciding *d, const QuestionMail *m, GError **error)
{
    const OutQuery q = {.id = m->id, .state = "held"};
    g_autoptr(OutRows) rows = NULL;
    if (!outbox_list(d->txn->db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    LIST_EACH(const OutRow, row, rows)
        g_string_append_printf(d->stuck, "  mail %" PRId64 " to %s: %s\n", m->id.v,
                               row->address,
                               outbox_no_way(db_home(d->txn->db)->config, row->mailbox));
    return true;
}

/* Decides about the recipients at whom the mail is in doubt. */
static bool
decide_doubt(Deciding *d, const QuestionMail *m, GError **error)
{
    g_autofree char *why = g_strdup_printf("counts as sent: %s says so", d->answer->who);
    unsigned n;
    add_done(d, m);
    return d->answer->approve ? outbox_resend(d->txn, m->id, &n, error)
                              : outbox_count_sent(d->txn, m->id, why, &n, error);
}

/* A mail that can't leave stays held; one that can leave for some of its recipients does. */
static bool
decide_held(Deciding *d, const QuestionMail *m, GError **error)
{
    g_autoptr(GError) failed = NULL;
    const HoldAnswer *a = d->answer;
    g_autofree char *who =
        a->why && !a->approve ? g_strdup_printf("%s: %s", a->who, a->why) : g_strdup(a->who);
    g_strdelimit(who, "\r\n", ' '); /* one line in lists */
    if (outbox_decide(d->txn, m->id, a->approve, who, &failed)) {
        add_done(d, m);
        return !a->approve || add_unreached(d, m, error);
    }
    if (!err_is(failed, ERR_NEVER))
        return err_pass(error, g_steal_pointer(&failed));
    g_autofree char *known = g_strdup_printf("mail %" PRId64 " can't leave: ", m->id.v);
    const char *why = failed->message;
    add_line(d->stuck, m, g_str_has_prefix(why, known) ? why + strlen(known) : why);
    return true;
}

static bool
decide_mails(Deciding *d, GError **error)
{
    OutId only = d->answer->only;
    bool doubt = d->question->about.v != 0;
    g_autoptr(QuestionMails) mails = NULL;
    if (!question_mails(d->txn->db, d->question->id, &mails, error))
        return false;
    LIST_EACH(const QuestionMail, m, mails)
        if (m->undecided && (only.v == 0 || only.v == m->id.v) &&
            !(doubt ? decide_doubt : decide_held)(d, m, error))
            return false;
    return true;
}

static bool
mails_news(Db *db, const Question *q, GString *s, GError **error)
{
    const char *const *became = question_kind(q->kind)->became;
    g_autoptr(QuestionMails) mails = NULL;
    if (!question_mails(db, q->id, &mails, error))
        return false;
    LIST_EACH(const QuestionMail, m, mails) {
        bool approved = q->about.v ? q->state == QUESTION_APPROVED : !m->rejected;
        g_string_append_printf(s, "Your mail to %s, <%s>, %s.\n", m->to, m->msgid,
                               became[approved]);
    }
    return true;
}

/* --- held mail --- */

static bool
describe_held(Engine *engine, const Question *q, const char *ahead, GString *s, GError **error)
{
    g_autoptr(GArray) ids = question_out_ids(q);
    bool one = ids->len == 1;
    g_string_append_printf(s, "May %s leave? Nothing of %s has left yet.\n\n",
                           one ? "this mail" : "these mails", one ? "it" : "them");
    for (guint i = 0; i < ids->len; i++) {
        OutId id = g_array_index(ids, OutId, i);
        g_autoptr(OutRow) row = NULL;
        g_autoptr(Message) m = NULL;
        if (!load_mail(engine, id, &row, &m, error))
            return false;
        g_autofree char *why = text_vis(row->why ? row->why : "policy", false);
        g_string_append_printf(s, "Mail %" PRId64 " is held: %s.\n\n", id.v, why);
        add_content(s, row, m);
        add_reach(engine, s, m->to);
        add_reach(engine, s, m->cc);
    }
    return true;
}

static bool
bind_held(Txn *txn, const Question *q, GError **error)
{
    g_autoptr(GArray) ids = question_out_ids(q);
    for (guint i = 0; i < ids->len; i++) {
        if (!question_bind(txn, q->id, g_array_index(ids, OutId, i), error))
            return false;
    }
    return true;
}

const QuestionKind question_held_mail = {
    .name = "held-mail",
    .may = MAY_APPROVE,
    .how = "Reply to this mail with one of these alone on the first line:\n\n"
           "  APPROVE        it leaves exactly as shown\n"
           "  REJECT         it never leaves\n"
           "  REJECT: why    likewise, and the agent goes on with what you write\n\n"
           "What you write below that line the agent is told too. An answer counts once.",
    .changed =
        "What is held is no longer what was shown, so it does not leave. Nothing changed "
        "now. REJECT ends it; 'postrider outbox show' tells what is there",
    .no_way = "It can't leave from here",
    .traces = {"held mail was rejected", "held mail was approved"},
    .said = {{"This mail will not leave", "These mails will not leave"},
             {"This mail leaves now", "These mails leave now"}},
    .describe = describe_held,
    .digest = digest_mails,
    .asked = bind_held,
    .decide = decide_mails,
    .became = {"was not sent: a person rejected it", "was approved and leaves"},
    .news = mails_news,
};

/* --- mail in doubt --- */

static bool
describe_doubt(Engine *engine, const Question *q, const char *ahead, GString *s, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    g_autoptr(Message) m = NULL;
    if (!load_mail(engine, q->about, &row, &m, error))
        return false;
    g_string_append_printf(s,
                           "Has this mail arrived? It was handed over in full, and no answer "
                           "came. Mail %" PRId64 ", <%s>:\n\n%s\n",
                           q->about.v, row->msgid, ahead);
    add_content(s, row, m);
    return true;
}

const QuestionKind question_mail_in_doubt = {
    .name = "mail-in-doubt",
    .may = MAY_APPROVE,
    .subject = "has this mail arrived?",
    .how = "Nothing is sent twice by itself. Reply to this mail with one of these alone on the "
           "first line:\n\n"
           "  APPROVE        it is sent once more, exactly as shown\n"
           "  REJECT         it is not: it arrived, or is not needed any more\n"
           "  REJECT: why    likewise, and the agent goes on with what you write\n\n"
           "An answer counts once.",
    .changed =
        "What is held is no longer what was shown, so it does not leave. Nothing changed "
        "now. REJECT ends it; 'postrider outbox show' tells what is there",
    .no_way = "It can't leave from here",
    .traces = {"mail in doubt counts as sent", "mail in doubt is sent once more"},
    .said = {{"This mail is not sent again, and counts as sent",
              "This mail is not sent again, and counts as sent"},
             {"This mail is sent once more", "This mail is sent once more"}},
    .describe = describe_doubt,
    .digest = digest_mails,
    .decide = decide_mails,
    .became = {"counts as sent, though no answer came: a person said so",
               "may not have arrived, and is sent once more: a person said so"},
    .news = mails_news,
};
