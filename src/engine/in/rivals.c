#include "engine/in/rivals.h"
#include "engine/mail_load.h"
#include "mail/identity.h"
#include "store/mail/copies.h"

void
rivals_clear(Rivals *r)
{
    g_clear_pointer(&r->others, g_array_unref);
}

/* A mail that can't be read any more says nothing. */
static bool
says_the_same(Engine *engine, const MsgRow *row, const Message *m, bool *ret, GError **error)
{
    g_autoptr(Message) other = NULL;
    if (row->class != MSG_UNREADABLE && !mail_load(engine, row, MESSAGE_TEXT, &other, error))
        return false;
    *ret = other && identity_same_words(other->text, m->text);
    return true;
}

/* Compares the mail with others of its id. Mails with work come first, so the first one that
 * says the same decides. */
bool
rivals_compare(Engine *engine, const char *role, const Message *m, Rivals *r, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    r->others = g_array_new(FALSE, FALSE, sizeof(MsgId));
    if (!copies_rivals(engine->db, role, m, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows) {
        bool copy = row->id.v == r->same.v;
        if (row->id.v == r->self.v)
            continue;
        if (!copy && !says_the_same(engine, row, m, &copy, error))
            return false;
        if (copy && (row->job.v || row->state == MSG_HANDLED)) {
            r->of = row->id;
            break;
        }
        if (copy && row->trust < r->trust && row->class != MSG_HISTORY)
            g_array_append_val(r->others, row->id);
    }
    return true;
}

void
rivals_put_aside(const Rivals *r, Judgement *j)
{
    (void)g_snprintf(j->copy_of, sizeof j->copy_of, "copy: of mail %" PRId64, r->of.v);
    j->copy = true;
    j->unproven = false;
    j->state = MSG_IGNORED;
    j->why = j->copy_of;
}
bool
rivals_retire(Txn *txn, const Rivals *r, MsgId work, GError **error)
{
    g_autofree char *why =
        g_strdup_printf("copy: of mail %" PRId64 ", which is better proven", work.v);

    for (guint i = 0; r->others && i < r->others->len; i++) {
        if (!messages_set_state(txn, g_array_index(r->others, MsgId, i), MSG_IGNORED, why,
                                error))
            return false;
    }
    return true;
}
