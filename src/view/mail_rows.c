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
static const Words states = {state_names, MSG_N_STATES, MSG_DEAD};
static const Words classes = {class_names, MSG_N_CLASSES, MSG_UNREADABLE};

const char *
msg_state_name(MsgState s)
{
    return state_names[s];
}

const char *
msg_class_name(MsgClass c)
{
    return class_names[c];
}

bool
msg_state_parse(const char *name, MsgState *ret)
{
    return words_parse(&states, name, ret);
}

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

#define AT(member) offsetof(MsgRow, member)
static const Field msg_fields[] = {
    {"id", "id", FIELD_INT, AT(id)},
    {"message_id", "msgid", FIELD_MSGID, AT(msgid)},
    {"role", "role", FIELD_TEXT, AT(role)},
    {"folder", "folder", FIELD_TEXT, AT(folder), .made = folder_of},
    {"from", "from_spec", FIELD_TEXT, AT(from), .made = sender_of},
    {"to", "to_specs", FIELD_TEXT, AT(to)},
    {"subject", "subject", FIELD_TEXT, AT(subject)},
    {"date", "date_us", FIELD_TIME, AT(date_us), .made = date_of},
    {"thread", "thread", FIELD_INT, AT(thread)},
    {"state", "state", FIELD_WORD, AT(state), &states},
    {"why", "why", FIELD_TEXT_NULL, AT(why)},
    {"flags", "flags", FIELD_NUMBER, AT(flags), .made = flags_of},
    {"trust", "trust", FIELD_WORD, AT(trust), &trust_words},
    {"floor", "floor", FIELD_WORD, AT(floor), &trust_words},
    {"class", "class", FIELD_WORD, AT(class), &classes},
    {"job", "job", FIELD_ID, AT(job)},
    {NULL, "round", FIELD_NUMBER, AT(round)},
    {NULL, "step", FIELD_NUMBER, AT(step)},
    {NULL, "account", FIELD_TEXT, AT(account)},
    {NULL, "file", FIELD_TEXT, AT(file)},
    {NULL, "in_reply_to", FIELD_TEXT_NULL, AT(in_reply_to)},
    {NULL, "from_name", FIELD_TEXT, AT(from_name)},
    {NULL, "received_us", FIELD_TIME, AT(received_us)},
    {NULL, "size", FIELD_INT, AT(size)},
    {NULL, "body", FIELD_DIGEST, AT(body)},
    {NULL, "own_words", FIELD_DIGEST, AT(own_words)},
    {NULL, "words_known", FIELD_BOOL, AT(words_known)},
};
#undef AT
const Shape msg_row_shape = {SHAPE("message", MsgRow, msg_rows, msg_fields)};

#define AT(member) offsetof(TraceRow, member)
static const Field trace_fields[] = {
    {"at", "at_us", FIELD_TIME, AT(at_us)},
    {"what", "what", FIELD_TEXT, AT(what)},
    {"why", "why", FIELD_TEXT_NULL, AT(why)},
};
#undef AT
const Shape trace_row_shape = {SHAPE("trace", TraceRow, trace_rows, trace_fields)};

/* --- mail that leaves --- */

static const char *const out_names[] = {"waiting", "ready",    "sending", "sent",
                                        "retry",   "in_doubt", "held",    "failed"};
G_STATIC_ASSERT(G_N_ELEMENTS(out_names) == OUT_N_STATES);
/* Nothing that we do not understand leaves. */
static const Words out_states = {out_names, OUT_N_STATES, OUT_HELD};

const char *
out_state_name(OutState s)
{
    return out_names[s];
}

bool
out_state_parse(const char *name, OutState *ret)
{
    return words_parse(&out_states, name, ret);
}

static json_t *
next_try_of(const void *data)
{
    const OutRow *row = data;

    return row->state == OUT_RETRY ? shape_time(row->next_us) : json_null();
}

#define AT(member) offsetof(OutRow, member)
static const Field out_fields[] = {
    {"id", "o.id", FIELD_INT, AT(id)},
    {"message_id", "o.msgid", FIELD_MSGID, AT(msgid)},
    {"from", "o.from_spec", FIELD_TEXT, AT(from)},
    {"to", "d.address", FIELD_TEXT, AT(address)},
    {"subject", "o.subject", FIELD_TEXT, AT(subject)},
    {"state", "d.state", FIELD_WORD, AT(state), &out_states},
    {"attempts", "d.attempts", FIELD_NUMBER, AT(attempts)},
    {"why", "d.why", FIELD_TEXT_NULL, AT(why)},
    {"next_try", "d.next_us", FIELD_TIME, AT(next_us), .made = next_try_of},
    {"job", "o.job", FIELD_ID, AT(job)},
    {NULL, "d.id", FIELD_INT, AT(delivery)},
    {NULL, "o.round", FIELD_NUMBER, AT(round)},
    {NULL, "o.step", FIELD_NUMBER, AT(step)},
    {NULL, "o.level", FIELD_WORD, AT(level), &trust_words},
    {NULL, "o.floor", FIELD_WORD, AT(floor), &trust_words},
    {NULL, "d.mailbox", FIELD_TEXT_NULL, AT(mailbox)},
    {NULL, "d.folder", FIELD_TEXT, AT(folder)},
    {NULL, "d.flags", FIELD_TEXT_NULL, AT(flags)},
    {NULL, "d.affinity", FIELD_TEXT, AT(account)},
    {NULL, NULL, FIELD_TEXT_NULL, AT(role)},
    {NULL, "o.created_us", FIELD_TIME, AT(created_us)},
    {NULL, "o.since_us", FIELD_TIME, AT(since_us)},
    {NULL, "o.question", FIELD_INT, AT(question)},
    {NULL, "o.bytes", FIELD_BYTES, AT(bytes), .flags = FIELD_HEAVY},
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

static json_t *
in_sent(const void *row)
{
    return json_string("Sent");
}

static json_t *
is_sent(const void *row)
{
    return json_string("sent");
}

static const Field sent_fields[] = {
    {"id", .made = nothing},
    {"message_id", NULL, FIELD_MSGID, AT(msgid)},
    {"role", NULL, FIELD_TEXT_NULL, AT(role)},
    {"folder", .made = in_sent},
    {"from", NULL, FIELD_TEXT, AT(from)},
    {"to", NULL, FIELD_TEXT, AT(address)},
    {"subject", NULL, FIELD_TEXT, AT(subject)},
    {"date", NULL, FIELD_TIME, AT(created_us)},
    {"thread", .made = nothing},
    {"state", NULL, FIELD_WORD, AT(state), &out_states},
    {"why", NULL, FIELD_TEXT_NULL, AT(why)},
    {"flags", .made = no_flags},
    {"trust", NULL, FIELD_WORD, AT(level), &trust_words},
    {"floor", NULL, FIELD_WORD, AT(floor), &trust_words},
    {"class", .made = is_sent},
    {"job", NULL, FIELD_ID, AT(job)},
};
static const Shape sent_shape = {SHAPE(NULL, OutRow, out_rows, sent_fields)};

json_t *
mail_json(const MsgRow *in, const OutRow *out)
{
    return in ? shape_json(&msg_row_shape, in) : shape_json(&sent_shape, out);
}
