#include "engine/run/steer.h"
#include "port/port.h"
#include "store/job/sessions.h"

void
steer_clear(Steer *s)
{
    g_clear_pointer(&s->sent, msg_row_free);
    g_clear_pointer(&s->uuid, g_free);
}

/* --- to the program --- */

/* The oldest mail of the job that nobody was shown, as far as it may be told now. */
static bool
find_next(const Steer *s, MsgRow **ret, GError **error)
{
    const StepInput *in = s->ask->in;
    g_autoptr(MsgRows) open = NULL;
    *ret = NULL;
    if (!messages_open(s->ask->engine->db, s->ask->job->id, &open, error))
        return false;
    for (guint i = 0; i < open->len; i++) {
        const MsgRow *row = open->pdata[i];
        if (msg_rows_have(in->shown, row->id))
            continue;
        if (row->floor >= in->floor && row->trust >= in->floor)
            *ret = g_ptr_array_steal_index(LIST_ARRAY(open), i);
        break;
    }
    return true;
}

/* The mail as the page would show it: with the mark of the page, so that nothing else passes
 * for it. Caller frees. */
static char *
render(const Steer *s, const MsgRow *row, GError **error)
{
    const Think *ask = s->ask;
    g_autoptr(Context) c = context_new(ask->engine->home, ask->job,
                                       context_budget(ask->engine->home->config, ask->brain));
    return ask->mode->more(ask->engine, ask->in, row, c, error) ? g_strdup(context_text(c))
                                                                : NULL;
}

static bool
tell(Steer *s, MsgRow *take_row, bool *ret_told, GError **error)
{
    g_autoptr(MsgRow) row = take_row;
    g_autofree char *text = render(s, row, error), *uuid = g_uuid_string_random();
    g_autoptr(MsgRows) one = msg_rows_new_view();
    *ret_told = false;
    if (!text)
        return false;
    msg_rows_add(one, row);
    if (s->ask->place && !workplace_fill(s->ask->place, s->ask->engine, one, error))
        return false;
    *ret_told = brain_steer(s->call, uuid, text);
    if (!*ret_told)
        return true;
    s->sent = g_steal_pointer(&row);
    s->uuid = g_steal_pointer(&uuid);
    return true;
}

bool
steer_look(Steer *s, char **ret_told, GError **error)
{
    MsgRow *row = NULL;
    bool told;
    *ret_told = NULL;
    if (!s->more || s->sent || !s->ask->mode->more || !s->ask->in->session)
        return true;
    s->more = false;
    if (!find_next(s, &row, error))
        return false;
    if (!row)
        return true;
    g_autofree char *about = g_strdup_printf("%s: %s", row->from, row->subject);
    if (!tell(s, row, &told, error))
        return false;
    if (told)
        *ret_told = g_steal_pointer(&about);
    s->more = told;
    return true;
}

/* --- and what became of it --- */

/* Adds the mail to the input of the step, and so to the step's record. */
static bool
add_to_step(Steer *s, GError **error)
{
    const Think *ask = s->ask;
    StepInput *in = ask->in;
    if (ask->context && !ask->mode->more(ask->engine, in, s->sent, ask->context, error))
        return false;
    if (ask->context) {
        context_digest(ask->context, &in->context);
        g_clear_pointer(&in->manifest, g_bytes_unref);
        in->manifest = context_manifest(ask->context);
    }
    if (s->port)
        port_shown(s->port, s->sent);
    msg_rows_add(in->shown, g_steal_pointer(&s->sent));
    return true;
}

bool
steer_taken(Steer *s, const char *uuid, GError **error)
{
    const Think *ask = s->ask;
    g_auto(Txn) txn = {.db = ask->engine->db, .flush = TXN_LAZY};
    if (!s->sent || !g_str_equal(uuid, s->uuid))
        return true;
    Session *session = ask->in->session;
    g_autofree char *heard = g_strdup_printf("%s%s%" G_GINT64_FORMAT " ", session->heard,
                                             *session->heard ? "" : " ", s->sent->id.v);
    while (txn_again(&txn, error))
        txn.ok = job_check(&txn, ask->claim, ask->in->deadline_us, error) &&
                 messages_mark_shown(&txn, &s->sent->id, 1, error) &&
                 session_heard(&txn, ask->job->id, heard, error);
    if (!txn.done)
        return false;
    g_free(session->heard);
    session->heard = g_steal_pointer(&heard);
    g_clear_pointer(&s->uuid, g_free);
    s->more = true;
    return add_to_step(s, error);
}
