/* The verbs that only look. They see what the run's role may see, and what they show counts as
 * shown. */
#include "base/json.h"
#include "engine/follow.h"
#include "engine/mail_content.h"
#include "engine/mail_load.h"
#include "engine/run/demand.h"
#include "engine/run/settle.h"
#include "mail/msgid.h"
#include "notes/notes.h"
#include "port/port_verbs.h"
#include "store/index/index.h"
#include "store/out/outbox.h"

#define LIST_DEFAULT 50
#define LIST_MAX 500

/* What the program reads counts as shown: it lowers the floor. */
static json_t *
format_row(PortTalk *talk, const MsgRow *row)
{
    talk->floor = MIN(talk->floor, row->floor);
    port_has_read(talk, row->msgid, 0, row->space);
    return mail_json(row, NULL);
}

static json_t *
format_rows(PortTalk *talk, const MsgRows *rows)
{
    json_t *mails = json_array();

    LIST_EACH(const MsgRow, row, rows)
        if (mail_is_let_in(row))
            json_array_append_new(mails, format_row(talk, row));
    return mails;
}

/* So does what an agent wrote when it had read less. */
static json_t *
format_out(PortTalk *talk, const OutRow *row)
{
    talk->floor = MIN(talk->floor, row->floor);
    port_has_read(talk, row->msgid, 0, row->space);
    return mail_json(NULL, row);
}

static json_t *
format_hits(PortTalk *talk, const IndexHits *hits)
{
    json_t *mails = json_array();

    LIST_EACH(const IndexHit, hit, hits)
        if (hit->out || mail_is_let_in(hit->in))
            json_array_append_new(mails, hit->out ? format_out(talk, hit->out)
                                                  : format_row(talk, hit->in));
    return mails;
}

bool
verb_mail_list(PortTalk *talk, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    int64_t limit = LIST_DEFAULT;

    if (!json_find_int(talk->request, "", "limit", 1, LIST_MAX, &limit, error))
        return false;
    const MsgQuery query = {
        .role = talk->job->role, .taken_in = true, .limit = (unsigned)limit};
    if (!messages_list(talk->engine->db, &talk->viewer, &query, &rows, error))
        return false;
    json_object_set_new(talk->answer, "mails", format_rows(talk, rows));
    return true;
}

bool
verb_mail_search(PortTalk *talk, GError **error)
{
    g_autoptr(Index) ix = NULL;
    g_autoptr(IndexHits) hits = NULL;
    const char *query;
    int64_t limit = LIST_DEFAULT;
    bool fresh;

    if (!json_get_string(talk->request, "", "query", &query, error) ||
        !json_find_int(talk->request, "", "limit", 1, LIST_MAX, &limit, error) ||
        !index_open(talk->engine->home, &ix, &fresh, error) ||
        !follow_index(talk->engine, ix, 0, NULL, error) ||
        !index_search(ix, talk->engine->db, &talk->viewer, query, (unsigned)limit, &hits,
                      error))
        return false;
    json_object_set_new(talk->answer, "mails", format_hits(talk, hits));
    return true;
}

/* The number of the newest mail, of which nothing else is told. */
static bool
newest_mail(PortTalk *talk, int64_t *ret, GError **error)
{
    g_autoptr(MsgRows) rows = NULL;
    const MsgQuery query = {.role = talk->job->role, .taken_in = true, .limit = LIST_DEFAULT};

    *ret = 0;
    if (!messages_list(talk->engine->db, &talk->viewer, &query, &rows, error))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        if (mail_is_let_in(row))
            *ret = MAX(*ret, row->id.v);
    return true;
}

/* Numbers that differ where something did; nothing is shown by them, so the floor stays. */
bool
verb_changes(PortTalk *talk, GError **error)
{
    g_autoptr(Notes) notes = NULL;
    const json_t *keys = json_object_get(talk->request, "keys");
    int64_t mail;
    json_t *versions = json_object();
    guint64 sum = 5381;

    json_object_set_new(talk->answer, "versions", versions);
    if (!newest_mail(talk, &mail, error) || !settle_notes(talk->engine, error) ||
        !notes_list(talk->engine->db, &talk->viewer, "", &notes, error))
        return false;
    LIST_EACH(const Note, note, notes) {
        sum = sum * 33 + g_str_hash(note->key);
        for (size_t i = 0; i < json_array_size(keys); i++)
            if (g_strcmp0(json_string_value(json_array_get(keys, i)), note->key) == 0)
                json_object_set_new(versions, note->key, json_integer(note->version));
    }
    g_autofree char *text = g_strdup_printf("%016" G_GINT64_MODIFIER "x", sum);
    json_object_set_new(talk->answer, "mail", json_integer(mail));
    answer_text(talk->answer, "notes", text);
    return true;
}

static bool
show_taken_in(PortTalk *talk, const MsgRow *row, GError **error)
{
    g_autoptr(GBytes) raw = NULL;

    if (!mail_bytes(talk->engine, row, &raw, error))
        return false;
    json_t *mail = format_row(talk, row);
    mail_add_content(mail, talk->engine->home, raw, NULL, 0);
    json_object_set_new(talk->answer, "mail", mail);
    return true;
}

static bool
show_written(PortTalk *talk, const OutRow *row, GError **error)
{
    g_autoptr(OutRow) whole = NULL;
    g_autoptr(GBytes) raw = NULL;

    if (!outbox_whole(talk->engine->db, &talk->viewer, row->id, &whole, error) ||
        !mail_bytes_out(talk->engine, row, talk->job->role, &raw, error))
        return false;
    json_t *mail = format_out(talk, whole ? whole : row);
    mail_add_content(mail, talk->engine->home, raw, NULL, 0);
    json_object_set_new(talk->answer, "mail", mail);
    return true;
}

bool
verb_mail_show(PortTalk *talk, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) out = NULL;
    const char *text;

    if (!json_get_string(talk->request, "", "id", &text, error))
        return false;
    g_autofree char *id = msgid_parse(text);
    int64_t number;
    if (text_parse_int(text, 1, INT64_MAX, &number)) {
        if (!messages_load(talk->engine->db, &talk->viewer, (MsgId){number}, &row, error))
            return false;
        return row && mail_is_let_in(row) ? show_taken_in(talk, row, error)
                                          : answer_absent(talk, text, error);
    }
    if (!id)
        return answer_absent(talk, text, error);
    if (!outbox_find(talk->engine->db, &talk->viewer, id, &out, error) ||
        (!out && !demand_mail(talk->engine, talk->job->role, id, NULL, &row, error)) ||
        (out && !messages_find(talk->engine->db, &talk->viewer, id, &row, error)))
        return false;
    if (row && mail_is_let_in(row))
        return show_taken_in(talk, row, error);
    if (!out)
        return answer_absent(talk, text, error);
    return show_written(talk, out, error);
}

static int
compare_dates(gconstpointer a, gconstpointer b)
{
    const char *x = json_string_value(json_object_get(*(json_t *const *)a, "date"));
    const char *y = json_string_value(json_object_get(*(json_t *const *)b, "date"));
    return g_strcmp0(x, y);
}

bool
verb_mail_thread(PortTalk *talk, GError **error)
{
    const MsgQuery taken = {.job = talk->job->id, .limit = LIST_MAX};
    const OutQuery written = {.job = talk->job->id, .all = true, .limit = LIST_MAX};
    g_autoptr(MsgRows) in = NULL;
    g_autoptr(OutRows) out = NULL;
    g_autoptr(GPtrArray) mails = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);

    if (!messages_list(talk->engine->db, &talk->viewer, &taken, &in, error) ||
        !outbox_list(talk->engine->db, &talk->viewer, &written, &out, error))
        return false;
    for (guint i = 0; i < in->len; i++) {
        if (mail_is_let_in(g_ptr_array_index(in, i)))
            g_ptr_array_add(mails, format_row(talk, g_ptr_array_index(in, i)));
    }
    for (guint i = 0; i < out->len; i++) {
        g_autoptr(OutRow) whole = NULL;

        if (i > 0 && out->pdata[i]->id.v == out->pdata[i - 1]->id.v)
            continue; /* another recipient of the same mail */
        if (!outbox_whole(talk->engine->db, &talk->viewer, out->pdata[i]->id, &whole, error))
            return false;
        if (whole)
            g_ptr_array_add(mails, format_out(talk, whole));
    }
    g_ptr_array_sort(mails, compare_dates);
    json_t *list = json_array();
    for (guint i = 0; i < mails->len; i++)
        json_array_append(list, g_ptr_array_index(mails, i));
    json_object_set_new(talk->answer, "mails", list);
    return true;
}
