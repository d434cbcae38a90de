#include "view/mail_rows.h"
#include "mail/address.h"
#include "mail/message.h"

const Words trust_words = {trust_names, TRUST_N, TRUST_ANYONE};

/* --- mail that came in --- */

static const char *const state_names[] = {"stored",  "shown", "handled",
                                          "ignored", "held",  "dead"};
static const char *const class_names[] = {"task",       "reply",  "order",     "checkpoint",
                                          "event",      "bounce", "automatic", "stranger",
                                          "unreadable", "history"};
G_STATIC_ASSERT(G_N_ELEMENTS(state_names) == MSG_N_STATES);
G_STATIC_ASSERT(G_N_ELEMENTS(class_names) == MSG_N_CLASSES);
/* What this version does not know (db_check() finds it) stops work. */
const Words msg_state_all = {state_names, MSG_N_STATES, MSG_DEAD};
const Words msg_class_all = {class_names, MSG_N_CLASSES, MSG_UNREADABLE};

static json_t *
folder_of(const void *data)
{
    const MsgRow *row = data;

    return json_string(*row->folder ? row->folder : "INBOX");
}

static json_t *
sender_of(const void *data)
{
    const MsgRow *row = data;
    g_autofree char *from = address_show(row->from_name, row->from);

    return json_string(from);
}

static json_t *
date_of(const void *data)
{
    const MsgRow *row = data;

    return shape_time(row->date_us ? row->date_us : row->received_us);
}

static json_t *
flags_of(const void *data)
{
    const MsgRow *row = data;
    g_auto(GStrv) names = message_flag_names(row->flags);
    json_t *array = json_array();

    for (char **n = names; *n; n++)
        json_array_append_new(array, json_string(*n));
    return array;
}

static const Field msg_fields[] = {
    {"id", "id", FIELD_INT, offsetof(MsgRow, id)},
    {"message_id", "msgid", FIELD_MSGID, offsetof(MsgRow, msgid)},
    {"role", "role", FIELD_TEXT, offsetof(MsgRow, role)},
    {"folder", "folder", FIELD_TEXT, offsetof(MsgRow, folder), .made = folder_of},
    {"from", "from_spec", FIELD_TEXT, offsetof(MsgRow, from), .made = sender_of},
    {"to", "to_specs", FIELD_TEXT, offsetof(MsgRow, to)},
    {"subject", "subject", FIELD_TEXT, offsetof(MsgRow, subject)},
    {"date", "date_us", FIELD_TIME, offsetof(MsgRow, date_us), .made = date_of},
    {"thread", "thread", FIELD_INT, offsetof(MsgRow, thread)},
    {"state", "state", FIELD_WORD, offsetof(MsgRow, state), &msg_state_all},
    {"why", "why", FIELD_TEXT_NULL, offsetof(MsgRow, why)},
    {"flags", "flags", FIELD_NUMBER, offsetof(MsgRow, flags), .made = flags_of},
    {"trust", "trust", FIELD_WORD, offsetof(MsgRow, trust), &trust_words},
    {"floor", "floor", FIELD_WORD, offsetof(MsgRow, floor), &trust_words},
    {"class", "class", FIELD_WORD, offsetof(MsgRow, class), &msg_class_all},
    {"job", "job", FIELD_ID, offsetof(MsgRow, job)},
    {"space", "space", FIELD_TEXT_NULL, offsetof(MsgRow, space), .flags = FIELD_IF_SET},
    {NULL, "round", FIELD_NUMBER, offsetof(MsgRow, round)},
    {NULL, "step", FIELD_NUMBER, offsetof(MsgRow, step)},
    {NULL, "answer_to", FIELD_TEXT, offsetof(MsgRow, answer_to)},
    {NULL, "account", FIELD_TEXT, offsetof(MsgRow, account)},
    {NULL, "file", FIELD_TEXT, offsetof(MsgRow, file)},
    {NULL, "in_reply_to", FIELD_TEXT_NULL, offsetof(MsgRow, in_reply_to)},
    {NULL, "from_name", FIELD_TEXT, offsetof(MsgRow, from_name)},
    {NULL, "received_us", FIELD_TIME, offsetof(MsgRow, received_us)},
    {NULL, "size", FIELD_INT, offsetof(MsgRow, size)},
    {NULL, "body", FIELD_DIGEST, offsetof(MsgRow, body)},
    {NULL, "own_words", FIELD_DIGEST, offsetof(MsgRow, own_words)},
    {NULL, "words_known", FIELD_BOOL, offsetof(MsgRow, words_known)},
};
const Shape msg_row_shape = {SHAPE("message", MsgRow, msg_rows, msg_fields)};

static const Field trace_fields[] = {
    {"at", "at_us", FIELD_TIME, offsetof(TraceRow, at_us)},
    {"what", "what", FIELD_TEXT, offsetof(TraceRow, what)},
    {"why", "why", FIELD_TEXT_NULL, offsetof(TraceRow, why)},
};
const Shape trace_row_shape = {SHAPE("trace", TraceRow, trace_rows, trace_fields)};

/* --- mail that leaves --- */

static const char *const out_names[] = {"waiting", "ready",    "sending", "sent",
                                        "retry",   "in_doubt", "held",    "failed"};
G_STATIC_ASSERT(G_N_ELEMENTS(out_names) == OUT_N_STATES);
/* Nothing that we do not understand leaves. */
const Words out_state_all = {out_names, OUT_N_STATES, OUT_HELD};

static json_t *
next_try_of(const void *data)
{
    const OutRow *row = data;

    return row->state == OUT_RETRY ? shape_time(row->next_us) : json_null();
}

static const Field out_fields[] = {
    {"id", "o.id", FIELD_INT, offsetof(OutRow, id)},
    {"message_id", "o.msgid", FIELD_MSGID, offsetof(OutRow, msgid)},
    {"from", "o.from_spec", FIELD_TEXT, offsetof(OutRow, from)},
    {"to", "d.address", FIELD_TEXT, offsetof(OutRow, address)},
    {"subject", "o.subject", FIELD_TEXT, offsetof(OutRow, subject)},
    {"state", "d.state", FIELD_WORD, offsetof(OutRow, state), &out_state_all},
    {"attempts", "d.attempts", FIELD_NUMBER, offsetof(OutRow, attempts)},
    {"why", "d.why", FIELD_TEXT_NULL, offsetof(OutRow, why)},
    {"next_try", "d.next_us", FIELD_TIME, offsetof(OutRow, next_us), .made = next_try_of},
    {"job", "o.job", FIELD_ID, offsetof(OutRow, job)},
    {"space", "o.space", FIELD_TEXT_NULL, offsetof(OutRow, space), .flags = FIELD_IF_SET},
    {NULL, "d.id", FIELD_INT, offsetof(OutRow, delivery)},
    {NULL, "o.round", FIELD_NUMBER, offsetof(OutRow, round)},
    {NULL, "o.step", FIELD_NUMBER, offsetof(OutRow, step)},
    {NULL, "o.level", FIELD_WORD, offsetof(OutRow, level), &trust_words},
    {NULL, "o.floor", FIELD_WORD, offsetof(OutRow, floor), &trust_words},
    {NULL, "d.mailbox", FIELD_TEXT_NULL, offsetof(OutRow, mailbox)},
    {NULL, "d.folder", FIELD_TEXT, offsetof(OutRow, folder)},
    {NULL, "d.flags", FIELD_TEXT_NULL, offsetof(OutRow, flags)},
    {NULL, "d.affinity", FIELD_TEXT, offsetof(OutRow, account)},
    {NULL, NULL, FIELD_TEXT_NULL, offsetof(OutRow, role)},
    {NULL, "o.in_reply_to", FIELD_TEXT_NULL, offsetof(OutRow, in_reply_to)},
    {NULL, "o.created_us", FIELD_TIME, offsetof(OutRow, created_us)},
    {NULL, "o.since_us", FIELD_TIME, offsetof(OutRow, since_us)},
    {NULL, "o.question", FIELD_INT, offsetof(OutRow, question)},
    {NULL, "o.bytes", FIELD_BYTES, offsetof(OutRow, bytes), .flags = FIELD_HEAVY},
};
const Shape out_row_shape = {SHAPE(NULL, OutRow, out_rows, out_fields)};
const Shape out_row_whole = {SHAPE(NULL, OutRow, out_rows, out_fields), .whole = true};

static json_t *
nothing(const void *row)
{
    return json_null();
}

static json_t *
no_flags(const void *row)
{
    return json_array();
}

static const Field sent_fields[] = {
    {"id", .made = nothing},
    {"message_id", NULL, FIELD_MSGID, offsetof(OutRow, msgid)},
    {"role", NULL, FIELD_TEXT_NULL, offsetof(OutRow, role)},
    {"folder", .always = "Sent"},
    {"from", NULL, FIELD_TEXT, offsetof(OutRow, from)},
    {"to", NULL, FIELD_TEXT, offsetof(OutRow, address)},
    {"subject", NULL, FIELD_TEXT, offsetof(OutRow, subject)},
    {"date", NULL, FIELD_TIME, offsetof(OutRow, created_us)},
    {"thread", .made = nothing},
    {"state", NULL, FIELD_WORD, offsetof(OutRow, state), &out_state_all},
    {"why", NULL, FIELD_TEXT_NULL, offsetof(OutRow, why)},
    {"flags", .made = no_flags},
    {"trust", NULL, FIELD_WORD, offsetof(OutRow, level), &trust_words},
    {"floor", NULL, FIELD_WORD, offsetof(OutRow, floor), &trust_words},
    {"class", .always = "sent"},
    {"job", NULL, FIELD_ID, offsetof(OutRow, job)},
    {"space", NULL, FIELD_TEXT_NULL, offsetof(OutRow, space), .flags = FIELD_IF_SET},
};
static const Shape sent_shape = {SHAPE(NULL, OutRow, out_rows, sent_fields)};

json_t *
mail_json(const MsgRow *in, const OutRow *out)
{
    return in ? shape_json(&msg_row_shape, in) : shape_json(&sent_shape, out);
}

bool
msg_rows_have(const MsgRows *rows, MsgId id)
{
    LIST_EACH(const MsgRow, row, rows)
        if (row->id.v == id.v)
            return true;
    return false;
}
