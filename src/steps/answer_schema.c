/* The answers that a brain may give, one table per object, in the order in which the fields are
 * to be written. The schema that the brain is given, the reader of its answer, and the call
 * that frees an answer are made of these tables. */
#include "steps/answer_internal.h"

const char *const answer_statuses[] = {"continue", "waiting", "complete", "escalate", NULL};
const char *const answer_fors[] = {"reply", "time", NULL};
const char *const answer_thens[] = {"remind", "escalate", "continue", NULL};
static const char *const modes[] = {"replace", "append", NULL};

#define KEY "key of a note"
#define MESSAGE_ID "Message-ID of a mail"
#define FOLDER "mail folder; as a hint it may be empty"

/* The table of these fields, and what frees an entry that it has read. */
#define TABLE(name, Type, all)                                                                 \
    static void name##_free(void *entry);                                                      \
    static const AnswerTable name = {all, G_N_ELEMENTS(all), sizeof(Type), name##_free};       \
    static void name##_free(void *entry)                                                       \
    {                                                                                          \
        answer_clear(&name, entry);                                                            \
        g_free(entry);                                                                         \
    }

static const AnswerField mail_ref_fields[] = {
    {"message_id", MESSAGE_ID, ANSWER_NAME, offsetof(MailRef, message_id)},
    {"folder", FOLDER, ANSWER_LINE, offsetof(MailRef, folder)},
};
static const AnswerField move_fields[] = {
    {"message_id", MESSAGE_ID, ANSWER_NAME, offsetof(MailRef, message_id)},
    {"folder", "mail folder", ANSWER_NAME, offsetof(MailRef, folder)},
};
TABLE(mail_ref_table, MailRef, mail_ref_fields)
TABLE(move_table, MailRef, move_fields)

static const AnswerField file_ref_fields[] = {
    {"message_id", MESSAGE_ID, ANSWER_NAME, offsetof(FileRef, message_id)},
    {"filename", "name as listed", ANSWER_NAME, offsetof(FileRef, filename)},
    {"offset", "byte of its text to begin with; 0 for the beginning", ANSWER_NUMBER,
     offsetof(FileRef, offset)},
};
TABLE(file_ref_table, FileRef, file_ref_fields)

static const AnswerField search_fields[] = {
    {"folder", FOLDER, ANSWER_LINE, offsetof(AnswerSearch, folder)},
    {"from", "part of the sender", ANSWER_LINE, offsetof(AnswerSearch, from)},
    {"to", "part of a recipient", ANSWER_LINE, offsetof(AnswerSearch, to)},
    {"subject", "words of the subject", ANSWER_LINE, offsetof(AnswerSearch, subject)},
    {"text", "words of the text", ANSWER_LINE, offsetof(AnswerSearch, text)},
    {"since", "date such as 2026-11-15, or empty", ANSWER_TIME,
     offsetof(AnswerSearch, since_us)},
    {"before", "date such as 2026-11-15, or empty", ANSWER_TIME,
     offsetof(AnswerSearch, before_us)},
};
TABLE(search_table, AnswerSearch, search_fields)

static const AnswerField write_fields[] = {
    {"key", KEY, ANSWER_NAME, offsetof(AnswerWrite, key)},
    {"content", "the text itself, neither fenced nor encoded", ANSWER_RAW,
     offsetof(AnswerWrite, content), .max = ANSWER_TEXT_MAX},
    {"mode", NULL, ANSWER_EITHER, offsetof(AnswerWrite, append), modes},
    {"if_version", "version to be replaced; 0 for the one last shown", ANSWER_NUMBER,
     offsetof(AnswerWrite, if_version)},
};
TABLE(write_table, AnswerWrite, write_fields)

static const AnswerField rename_fields[] = {
    {"from", KEY, ANSWER_NAME, offsetof(AnswerRename, from)},
    {"to", KEY, ANSWER_NAME, offsetof(AnswerRename, to)},
};
TABLE(rename_table, AnswerRename, rename_fields)

static const AnswerField file_fields[] = {
    {"note_key", KEY, ANSWER_NAME, offsetof(AnswerFile, note_key)},
    {"filename", "name of the file in the mail", ANSWER_LINE, offsetof(AnswerFile, filename)},
};
TABLE(file_table, AnswerFile, file_fields)

static const AnswerField mail_fields[] = {
    {"to", "recipients; empty for whoever asked", ANSWER_ADDRESSES, offsetof(AnswerMail, to),
     .item = "one address"},
    {"cc", "copies", ANSWER_ADDRESSES, offsetof(AnswerMail, cc), .item = "one address"},
    {"subject", "empty for Re: and the subject of what it answers", ANSWER_LINE,
     offsetof(AnswerMail, subject)},
    {"body", "plain text; long or code: put it into a note and attach it", ANSWER_TEXT,
     offsetof(AnswerMail, body), .max = ANSWER_TEXT_MAX},
    {"in_reply_to", "Message-ID of the mail that it answers; empty for the newest", ANSWER_LINE,
     offsetof(AnswerMail, in_reply_to)},
    {"attachments", "files, made from notes", ANSWER_LIST, offsetof(AnswerMail, attachments),
     .of = &file_table},
};
TABLE(mail_table, AnswerMail, mail_fields)

/* The fields of "wait"; which of them are read depends on the status (answer.c). */
static const AnswerField wait_fields[] = {
    {"for", NULL, ANSWER_EITHER, 0, answer_fors},
    {"until", "time such as 2026-11-15T10:00:00Z; empty for no end", ANSWER_TIME},
    {"then", NULL, ANSWER_CHOICE, 0, answer_thens},
};
const AnswerTable answer_wait_table = {wait_fields, G_N_ELEMENTS(wait_fields),
                                       sizeof(AnswerWait), g_free};

static const AnswerField answer_fields[] = {
    {"reasoning", "one or two sentences: why this step", ANSWER_TEXT,
     offsetof(Answer, reasoning), .max = ANSWER_REASON_MAX},
    {"status", NULL, ANSWER_CHOICE, offsetof(Answer, status), answer_statuses},
    {"current_phase", NULL, ANSWER_CHOICE, offsetof(Answer, current_phase), phase_names},
    {"working_note",
     "what to remember; shown again, word for word, in every step; empty: unchanged, - : "
     "cleared",
     ANSWER_TEXT, offsetof(Answer, working_note), .max = STATE_NOTE_MAX},
    {"bundle_key",
     "note whose listed keys are shown in every step, with itself; empty: unchanged, - : none",
     ANSWER_LINE, offsetof(Answer, bundle_key)},
    {"add_notes", "load these notes", ANSWER_LINES, offsetof(Answer, add_notes),
     .item = "key of a note; KEY@BYTES for a note from that byte on"},
    {"add_emails", "load these mails", ANSWER_LIST, offsetof(Answer, add_emails),
     .of = &mail_ref_table},
    {"search_emails", "search mail; empty fields match anything", ANSWER_LIST,
     offsetof(Answer, search_emails), .of = &search_table},
    {"search_notes", "search the text of all notes", ANSWER_LINES,
     offsetof(Answer, search_notes), .item = "words"},
    {"read_attachments", "load these attachments", ANSWER_LIST,
     offsetof(Answer, read_attachments), .of = &file_ref_table},
    {"drop", "forget these from the context", ANSWER_LINES, offsetof(Answer, drop),
     .item = "key of a note or Message-ID of a mail"},
    {"write_notes", "write these notes in this step", ANSWER_LIST,
     offsetof(Answer, write_notes), .of = &write_table},
    {"rename_notes", "rename these notes", ANSWER_LIST, offsetof(Answer, rename_notes),
     .of = &rename_table},
    {"delete_notes", "delete these notes", ANSWER_LINES, offsetof(Answer, delete_notes),
     .item = KEY},
    {"send_emails", "send these mails in this step", ANSWER_LIST, offsetof(Answer, send_emails),
     .of = &mail_table},
    {"move_emails", "move these mails when the job ends", ANSWER_LIST,
     offsetof(Answer, move_emails), .of = &move_table},
    {"wait", NULL, ANSWER_OBJECT, offsetof(Answer, wait), .of = &answer_wait_table},
};
const AnswerTable answer_table = {answer_fields, G_N_ELEMENTS(answer_fields), sizeof(Answer),
                                  NULL};

/* --- the schema: made for each question, so written as text and not built as a tree --- */

static void put(GString *out, ...) G_GNUC_NULL_TERMINATED;
static void
put(GString *out, ...)
{
    va_list texts;
    va_start(texts, out);
    for (const char *text; (text = va_arg(texts, const char *));)
        g_string_append(out, text);
    va_end(texts);
}

/* Members of an object, so far. */
typedef struct Members {
    GString *required, *properties;
} Members;

/* Begins a member; the caller writes its type behind this. */
static GString *
add_member(Members *m, const char *name)
{
    const char *comma = m->required->len ? "," : "";
    put(m->required, comma, "\"", name, "\"", NULL);
    put(m->properties, comma, "\"", name, "\":", NULL);
    return m->properties;
}

static Members
begin_object(void)
{
    return (Members){g_string_sized_new(256), g_string_sized_new(1024)};
}

static void
end_object(GString *out, Members *m)
{
    put(out, "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[",
        m->required->str, "],\"properties\":{", m->properties->str, "}}", NULL);
    g_string_free(m->required, TRUE);
    g_string_free(m->properties, TRUE);
}

/* Names and words are ours, and need no escapes. */
static void
put_kind(GString *out, const char *type, const char *about)
{
    g_assert(!strpbrk(about, "\"\\\n"));
    put(out, "{\"type\":\"", type, "\",\"description\":\"", about, "\"", NULL);
}

static void
put_text(GString *out, const char *about)
{
    put_kind(out, "string", about);
    put(out, "}", NULL);
}

static void
put_words(GString *out, const char *const *words)
{
    g_autofree char *all = g_strjoinv("\",\"", (char **)words);
    put(out, "{\"type\":\"string\",\"enum\":[\"", all, "\"]}", NULL);
}

static void put_field(GString *out, const AnswerField *f);

static void
put_object(GString *out, const AnswerTable *t)
{
    Members m = begin_object();

    for (size_t i = 0; i < t->n; i++)
        put_field(add_member(&m, t->fields[i].name), &t->fields[i]);
    end_object(out, &m);
}

static void
put_list(GString *out, const AnswerField *f)
{
    put_kind(out, "array", f->about);
    put(out, ",\"items\":", NULL);
    if (f->of)
        put_object(out, f->of);
    else
        put_text(out, f->item);
    put(out, "}", NULL);
}

static void
put_field(GString *out, const AnswerField *f)
{
    if (f->words)
        put_words(out, f->words);
    else if (f->type == ANSWER_OBJECT)
        put_object(out, f->of);
    else if (f->type == ANSWER_NUMBER) {
        put_kind(out, "integer", f->about);
        put(out, "}", NULL);
    } else if (f->of || f->item)
        put_list(out, f);
    else
        put_text(out, f->about);
}

static void
put_act(GString *out, const ActOps *act)
{
    Members m = begin_object();

    for (const ActField *f = act->fields; f->name; f++)
        put_text(add_member(&m, f->name), f->about);
    put_kind(out, "array", act->about);
    put(out, ",\"items\":", NULL);
    end_object(out, &m);
    put(out, "}", NULL);
}

char *
answer_schema(const GPtrArray *acts)
{
    GString *out = g_string_sized_new(8192);
    Members m = begin_object();

    for (size_t i = 0; i < answer_table.n; i++)
        put_field(add_member(&m, answer_table.fields[i].name), &answer_table.fields[i]);
    for (guint i = 0; acts && i < acts->len; i++) {
        const ActOps *act = g_ptr_array_index(acts, i);
        put_act(add_member(&m, act->name), act);
    }
    end_object(out, &m);
    return g_string_free(out, FALSE);
}
