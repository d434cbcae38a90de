#include "steps/answer.h"

#include "base/banned.h"
#include "base/err.h"
#include "base/text.h"
#include "steps/island.h"
#include "steps/reader.h"

#define FLAG_CHARS 200 /* of what was forgiven, in a line for the log */

_Static_assert(READER_LINE_MAX <= STATE_LINE_MAX,
               "a state keeps every line of an answer whole");

/* --- entries of the lists --- */

static const char *const mail_ref_names[] = {"message_id", "folder", NULL};

static void *
read_mail_ref(Reader *r, const Place *at)
{
    g_autofree char *id = reader_name(r, at, "message_id"),
                    *folder = reader_line(r, at, "folder");

    return mail_ref_new(id, folder);
}

static void *
read_move(Reader *r, const Place *at)
{
    g_autofree char *id = reader_name(r, at, "message_id"),
                    *folder = reader_name(r, at, "folder");

    return mail_ref_new(id, folder);
}

static const char *const file_ref_names[] = {"message_id", "filename", "offset", NULL};

static void *
read_file_ref(Reader *r, const Place *at)
{
    g_autofree char *id = reader_name(r, at, "message_id"),
                    *name = reader_name(r, at, "filename");

    return file_ref_new(id, name, reader_number(r, at, "offset"));
}

static const char *const search_names[] = {"folder", "from",  "to",     "subject",
                                           "text",   "since", "before", NULL};

static void *
read_search(Reader *r, const Place *at)
{
    AnswerSearch *search = g_new0(AnswerSearch, 1);

    search->folder = reader_line(r, at, "folder");
    search->from = reader_line(r, at, "from");
    search->to = reader_line(r, at, "to");
    search->subject = reader_line(r, at, "subject");
    search->text = reader_line(r, at, "text");
    search->since_us = reader_time(r, at, "since");
    search->before_us = reader_time(r, at, "before");
    return search;
}

static void
search_free(AnswerSearch *search)
{
    g_free(search->folder);
    g_free(search->from);
    g_free(search->to);
    g_free(search->subject);
    g_free(search->text);
    g_free(search);
}

static const char *const write_names[] = {"key", "content", "mode", "if_version", NULL};

static void *
read_write(Reader *r, const Place *at)
{
    static const char *const modes[] = {"replace", "append", NULL};
    AnswerWrite *write = g_new0(AnswerWrite, 1);

    write->key = reader_name(r, at, "key");
    write->content = reader_raw(r, at, "content", ANSWER_TEXT_MAX);
    if (reader_find(r, at, "mode"))
        write->append = reader_choice(r, at, "mode", modes) == 1;
    write->if_version = reader_number(r, at, "if_version");
    return write;
}

static void
write_free(AnswerWrite *write)
{
    g_free(write->key);
    g_free(write->content);
    g_free(write);
}

static const char *const rename_names[] = {"from", "to", NULL};

static void *
read_rename(Reader *r, const Place *at)
{
    AnswerRename *rename = g_new0(AnswerRename, 1);

    rename->from = reader_name(r, at, "from");
    rename->to = reader_name(r, at, "to");
    return rename;
}

static void
rename_free(AnswerRename *rename)
{
    g_free(rename->from);
    g_free(rename->to);
    g_free(rename);
}

static const char *const file_names[] = {"note_key", "filename", NULL};

static void *
read_file(Reader *r, const Place *at)
{
    AnswerFile *file = g_new0(AnswerFile, 1);

    file->note_key = reader_name(r, at, "note_key");
    file->filename = reader_line(r, at, "filename");
    return file;
}

static void
file_free(AnswerFile *file)
{
    g_free(file->note_key);
    g_free(file->filename);
    g_free(file);
}

static const char *const mail_names[] = {"to",          "cc",          "subject", "body",
                                         "in_reply_to", "attachments", NULL};

static void *
read_mail(Reader *r, const Place *at)
{
    AnswerMail *mail = g_new0(AnswerMail, 1);

    mail->to = reader_addresses(r, at, "to");
    mail->cc = reader_addresses(r, at, "cc");
    mail->subject = reader_line(r, at, "subject");
    mail->body = reader_text(r, at, "body", ANSWER_TEXT_MAX);
    mail->in_reply_to = reader_line(r, at, "in_reply_to");
    mail->attachments =
        reader_list(r, at, "attachments", file_names, read_file, (GDestroyNotify)file_free);
    return mail;
}

static void
mail_free(AnswerMail *mail)
{
    g_ptr_array_unref(mail->to);
    g_ptr_array_unref(mail->cc);
    g_free(mail->subject);
    g_free(mail->body);
    g_free(mail->in_reply_to);
    g_ptr_array_unref(mail->attachments);
    g_free(mail);
}

/* --- the whole --- */

const char *const answer_statuses[] = {"continue", "waiting", "complete", "escalate", NULL};

/* Left out or empty, it goes on. */
static AnswerThen
read_then(Reader *r, const Place *wait)
{
    static const char *const thens[] = {"remind", "escalate", "continue", NULL};
    const json_t *said = reader_find(r, wait, "then");

    if (!said || (json_is_string(said) && !*json_string_value(said)))
        return ANSWER_THEN_GO_ON;
    return (AnswerThen)reader_choice(r, wait, "then", thens);
}

/* Types are checked always, values only when they count: a model that does not wait may fill
 * this in as it likes. */
static AnswerWait
read_wait(Reader *r, const Place *root, AnswerStatus status)
{
    static const char *const names[] = {"for", "until", "then", NULL};
    static const char *const fors[] = {"reply", "time", NULL};
    AnswerWait wait = {0};

    if (status == ANSWER_WAITING && !reader_has(root, "wait"))
        reader_fail(r, ERR_NEVER, root, "wait", "is missing, and the status is waiting");
    Place at = {reader_object(r, root, "wait", names), "wait"};
    if (!at.object)
        return wait;
    if (status != ANSWER_WAITING) {
        for (size_t i = 0; names[i]; i++)
            g_free(reader_line(r, &at, names[i]));
        return wait;
    }
    wait.for_time = reader_choice(r, &at, "for", fors) == 1;
    wait.until_us = reader_time(r, &at, "until");
    wait.then = read_then(r, &at);
    if (wait.for_time && wait.until_us == 0)
        reader_fail(r, ERR_NEVER, &at, "until", "must say when, since wait.for is time");
    return wait;
}

static void
read_head(Reader *r, const Place *root, Answer *a)
{
    a->status = (AnswerStatus)reader_choice(r, root, "status", answer_statuses);
    a->current_phase = (Phase)reader_choice(r, root, "current_phase", phase_names);
    a->working_note = reader_text(r, root, "working_note", STATE_NOTE_MAX);
    a->bundle_key = reader_line(r, root, "bundle_key");
    a->reasoning = reader_text(r, root, "reasoning", ANSWER_REASON_MAX);
}

static void
read_lists(Reader *r, const Place *root, Answer *a)
{
    a->add_notes = reader_lines(r, root, "add_notes");
    a->add_emails = reader_list(r, root, "add_emails", mail_ref_names, read_mail_ref,
                                (GDestroyNotify)mail_ref_free);
    a->search_emails = reader_list(r, root, "search_emails", search_names, read_search,
                                   (GDestroyNotify)search_free);
    a->search_notes = reader_lines(r, root, "search_notes");
    a->read_attachments = reader_list(r, root, "read_attachments", file_ref_names,
                                      read_file_ref, (GDestroyNotify)file_ref_free);
    a->drop = reader_lines(r, root, "drop");
    a->write_notes = reader_list(r, root, "write_notes", write_names, read_write,
                                 (GDestroyNotify)write_free);
    a->rename_notes = reader_list(r, root, "rename_notes", rename_names, read_rename,
                                  (GDestroyNotify)rename_free);
    a->delete_notes = reader_lines(r, root, "delete_notes");
    a->send_emails =
        reader_list(r, root, "send_emails", mail_names, read_mail, (GDestroyNotify)mail_free);
    a->move_emails = reader_list(r, root, "move_emails", mail_ref_names, read_move,
                                 (GDestroyNotify)mail_ref_free);
}

void
answer_free(Answer *a)
{
    if (!a)
        return;
    g_free(a->working_note);
    g_free(a->bundle_key);
    g_free(a->reasoning);
    g_ptr_array_unref(a->add_notes);
    g_ptr_array_unref(a->add_emails);
    g_ptr_array_unref(a->search_emails);
    g_ptr_array_unref(a->search_notes);
    g_ptr_array_unref(a->read_attachments);
    g_ptr_array_unref(a->drop);
    g_ptr_array_unref(a->write_notes);
    g_ptr_array_unref(a->rename_notes);
    g_ptr_array_unref(a->delete_notes);
    g_ptr_array_unref(a->send_emails);
    g_ptr_array_unref(a->move_emails);
    g_ptr_array_unref(a->flags);
    g_free(a);
}

/* "what: which", safe for a log and short. */
static void
flag(GPtrArray *flags, const char *what, const char *which)
{
    g_autofree char *vis = text_vis(which, false), *brief = text_shorten(vis, FLAG_CHARS);

    g_ptr_array_add(flags, g_strdup_printf("%s: %s", what, brief));
}

static void
flag_paths(GPtrArray *flags, const char *what, GPtrArray *paths)
{
    GString *all = g_string_new(NULL);

    for (guint i = 0; paths && i < paths->len && all->len <= FLAG_CHARS; i++)
        g_string_append_printf(all, "%s%s", i ? ", " : "",
                               (const char *)g_ptr_array_index(paths, i));
    if (all->len > 0)
        flag(flags, what, all->str);
    g_string_free(all, TRUE);
}

static Answer *
read_object(Reader *r, const json_t *object)
{
    Answer *a = g_new0(Answer, 1);
    Place root = {object, ""};

    read_head(r, &root, a);
    read_lists(r, &root, a);
    a->wait = read_wait(r, &root, a->status);
    a->flags = g_ptr_array_new_with_free_func(g_free);
    flag_paths(a->flags, "left out, so taken for empty", r->missing);
    flag_paths(a->flags, ANSWER_DROPPED, r->unknown);
    if (r->decoded)
        flag(a->flags, "passed over", "a string around JSON");
    flag_paths(a->flags, "control characters were taken out of", r->cleaned);
    return a;
}

static bool
parse_object(const json_t *object, Answer **ret, GError **error)
{
    static const char *const names[] = {
        "status",           "current_phase", "working_note",
        "bundle_key",       "reasoning",     "add_notes",
        "add_emails",       "search_emails", "search_notes",
        "read_attachments", "drop",          "write_notes",
        "rename_notes",     "delete_notes",  "send_emails",
        "move_emails",      "wait",          NULL,
    };
    g_auto(Reader) r = {.list_max = ANSWER_LIST_MAX};

    if (!reader_known(&r, &(Place){object, ""}, names))
        return err_set(error, ERR_NEVER, "the answer must be one JSON object");
    g_autoptr(Answer) a = read_object(&r, object);
    if (!reader_end(&r, error))
        return false;
    *ret = g_steal_pointer(&a);
    return true;
}

/* What the candidates come to. */
typedef struct Choice {
    Answer *answer;       /* the first that fits; owned */
    const json_t *object; /* its JSON */
    GError *why_not;      /* what is wrong with the best of those that do not fit */
    bool attempt;         /* that one was meant as an answer: it has a status */
    bool repeated;        /* the answer came more than once */
} Choice;

static void
choice_clear(Choice *c)
{
    g_clear_pointer(&c->answer, answer_free);
    g_clear_error(&c->why_not);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Choice, choice_clear)

static void
pass_over(Choice *c, const json_t *value, GError *why)
{
    bool attempt = json_object_get(value, "status") != NULL;

    if (c->why_not && (c->attempt || !attempt)) {
        g_error_free(why);
        return;
    }
    g_clear_error(&c->why_not);
    c->why_not = why;
    c->attempt = attempt;
}

static bool
consider(Choice *c, const json_t *value, GError **error)
{
    g_autoptr(Answer) answer = NULL;
    GError *why = NULL;

    if (!parse_object(value, &answer, &why)) {
        pass_over(c, value, why);
    } else if (!c->answer) {
        c->answer = g_steal_pointer(&answer);
        c->object = value;
    } else if (!json_equal((json_t *)c->object, (json_t *)value)) {
        return err_set(error, ERR_NEVER,
                       "there are two different answers; give exactly one JSON object");
    } else {
        c->repeated = true;
    }
    return true;
}

/* What stood beside the answer, for the log. */
static void
flag_passed(const Choice *c, const char *rest)
{
    if (c->why_not)
        flag(c->answer->flags, "JSON that is no answer was passed over", c->why_not->message);
    if (c->repeated)
        flag(c->answer->flags, "passed over", "the same answer once more");
    if (*rest)
        flag(c->answer->flags, "text around the JSON was passed over", rest);
}

static bool
parse_text(const char *text, size_t len, Answer **ret, GError **error)
{
    static const IslandLimits limits = {.max_depth = ANSWER_DEPTH_MAX,
                                        .max_values = ANSWER_VALUES_MAX};
    g_autoptr(GPtrArray) values = NULL;
    g_autofree char *rest = NULL;
    g_auto(Choice) choice = {0};

    if (len > ANSWER_MAX)
        return err_set(error, ERR_LIMIT, "the answer has %zu bytes, over the limit of %u", len,
                       ANSWER_MAX);
    if (!island_parse_all(text, len, &limits, &values, &rest, error))
        return false;
    for (guint i = 0; i < values->len; i++)
        if (!consider(&choice, g_ptr_array_index(values, i), error))
            return false;
    if (!choice.answer && choice.why_not) {
        g_propagate_error(error, g_steal_pointer(&choice.why_not));
        return false;
    }
    if (!choice.answer)
        return err_set(error, ERR_NEVER, "there is no JSON object in the answer");
    flag_passed(&choice, rest);
    *ret = g_steal_pointer(&choice.answer);
    return true;
}

/* An answer that is a JSON string with the answer in it; NULL: it is none. Caller frees. */
static char *
decode_string(const char *text, size_t len)
{
    g_autofree char *bare = g_strstrip(g_strndup(len > 0 ? text : "", len));
    g_autoptr(json_t) value = NULL;

    if (*bare != '"' || !json_parse(bare, strlen(bare), 0, &value, NULL))
        return NULL;
    return g_strdup(json_string_value(value));
}

bool
answer_parse(const char *text, size_t len, Answer **ret, GError **error)
{
    g_autofree char *inner = len <= ANSWER_MAX ? decode_string(text, len) : NULL;

    if (!inner)
        return parse_text(text, len, ret, error);
    if (!answer_parse(inner, strlen(inner), ret, error)) /* shorter each time */
        return false;
    flag((*ret)->flags, "passed over", "a string around the JSON");
    return true;
}
