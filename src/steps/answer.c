#include "steps/answer_internal.h"

#include "steps/island.h"
#include "steps/reader.h"

#define FLAG_CHARS 200 /* of what was forgiven, in a line for the log */

_Static_assert(READER_LINE_MAX <= STATE_LINE_MAX,
               "a state keeps every line of an answer whole");

/* --- by the tables --- */

/* The names of the table's fields, and of the acts where there are any. */
static const char **
names_with(const AnswerTable *t, const GPtrArray *acts)
{
    const char **names = g_new0(const char *, t->n + (acts ? acts->len : 0) + 1);

    for (size_t i = 0; i < t->n; i++)
        names[i] = t->fields[i].name;
    for (guint i = 0; acts && i < acts->len; i++)
        names[t->n + i] = ((const ActOps *)g_ptr_array_index(acts, i))->name;
    return names;
}

static const char **
names_of(const AnswerTable *t)
{
    return names_with(t, NULL);
}

static void *read_entry(Reader *r, const Place *at, const void *table);

static GPtrArray *
read_list(Reader *r, const Place *at, const AnswerField *f)
{
    g_autofree const char **names = names_of(f->of);

    return reader_list(r, at, f->name, names, read_entry, f->of, f->of->free);
}

static void
read_field(Reader *r, const Place *at, const AnswerField *f, void *to)
{
    switch (f->type) {
    case ANSWER_NAME:
        *(char **)to = reader_name(r, at, f->name);
        break;
    case ANSWER_LINE:
        *(char **)to = reader_line(r, at, f->name);
        break;
    case ANSWER_TEXT:
        *(char **)to = reader_text(r, at, f->name, f->max);
        break;
    case ANSWER_RAW:
        *(char **)to = reader_raw(r, at, f->name, f->max);
        break;
    case ANSWER_NUMBER:
        *(int64_t *)to = reader_number(r, at, f->name);
        break;
    case ANSWER_TIME:
        *(int64_t *)to = reader_time(r, at, f->name);
        break;
    case ANSWER_CHOICE:
        *(unsigned *)to = reader_choice(r, at, f->name, f->words);
        break;
    case ANSWER_EITHER:
        *(bool *)to =
            reader_find(r, at, f->name) && reader_choice(r, at, f->name, f->words) == 1;
        break;
    case ANSWER_LINES:
        *(GPtrArray **)to = reader_lines(r, at, f->name);
        break;
    case ANSWER_ADDRESSES:
        *(GPtrArray **)to = reader_addresses(r, at, f->name);
        break;
    case ANSWER_LIST:
        *(GPtrArray **)to = read_list(r, at, f);
        break;
    case ANSWER_OBJECT:
        break;
    }
}

static void *
read_entry(Reader *r, const Place *at, const void *table)
{
    const AnswerTable *t = table;
    char *entry = g_malloc0(t->size);

    for (size_t i = 0; i < t->n; i++)
        read_field(r, at, &t->fields[i], entry + t->fields[i].offset);
    return entry;
}

void
answer_clear(const AnswerTable *t, void *entry)
{
    for (size_t i = 0; i < t->n; i++) {
        const AnswerField *f = &t->fields[i];
        void **at = (void **)((char *)entry + f->offset);

        if (f->type <= ANSWER_RAW)
            g_free(*at);
        else if (f->type >= ANSWER_LINES && f->type <= ANSWER_LIST)
            g_ptr_array_unref(*at);
    }
}

/* --- acts --- */

static char *
read_argument(Reader *r, const Place *at, const ActField *f)
{
    if (f->prose)
        return reader_text(r, at, f->name, ANSWER_TEXT_MAX);
    return f->required ? reader_name(r, at, f->name) : reader_line(r, at, f->name);
}

static void *
read_act(Reader *r, const Place *at, const void *data)
{
    const ActOps *act = data;
    ProposedAct *one = g_new0(ProposedAct, 1);

    *one = (ProposedAct){.ops = act, .args = json_object()};
    for (const ActField *f = act->fields; f->name; f++) {
        g_autofree char *text = read_argument(r, at, f);
        if (*text)
            json_object_set_new(one->args, f->name, json_string(text));
        else if (f->required && f->prose)
            reader_fail(r, ERR_NEVER, at, f->name, "must not be empty");
    }
    return one;
}

static void
free_act(gpointer act)
{
    proposed_act_free(act);
}

static ProposedActs *
read_acts(Reader *r, const Place *root, const GPtrArray *acts)
{
    ProposedActs *all = proposed_acts_new();

    for (guint i = 0; acts && i < acts->len; i++) {
        const ActOps *act = g_ptr_array_index(acts, i);
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        for (const ActField *f = act->fields; f->name; f++)
            g_ptr_array_add(names, (char *)f->name);
        g_ptr_array_add(names, NULL);
        g_autoptr(GPtrArray) list =
            reader_list(r, root, act->name, (const char *const *)names->pdata, read_act, act,
                        free_act);
        while (list->len > 0)
            proposed_acts_add(all, g_ptr_array_steal_index(list, 0));
    }
    return all;
}

/* --- the whole --- */

/* Left out or empty, it goes on. */
static AnswerThen
read_then(Reader *r, const Place *wait)
{
    const json_t *said = reader_find(r, wait, "then");

    if (!said || (json_is_string(said) && !*json_string_value(said)))
        return ANSWER_THEN_GO_ON;
    return (AnswerThen)reader_choice(r, wait, "then", answer_thens);
}

/* Types are checked always, values only when they count: a model that does not wait may fill
 * this in as it likes. */
static AnswerWait
read_wait(Reader *r, const Place *root, AnswerStatus status)
{
    g_autofree const char **names = names_of(&answer_wait_table);
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
    wait.for_time = reader_choice(r, &at, "for", answer_fors) == 1;
    wait.until_us = reader_time(r, &at, "until");
    wait.then = read_then(r, &at);
    if (wait.for_time && wait.until_us == 0)
        reader_fail(r, ERR_NEVER, &at, "until", "must say when, since wait.for is time");
    return wait;
}

void
answer_free(Answer *a)
{
    if (!a)
        return;
    answer_clear(&answer_table, a);
    proposed_acts_free(a->acts);
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
read_object(Reader *r, const json_t *object, const GPtrArray *acts)
{
    Place root = {object, ""};
    Answer *a = read_entry(r, &root, &answer_table);

    a->wait = read_wait(r, &root, a->status);
    a->acts = read_acts(r, &root, acts);
    a->flags = g_ptr_array_new_with_free_func(g_free);
    flag_paths(a->flags, "left out, so taken for empty", r->missing);
    flag_paths(a->flags, ANSWER_DROPPED, r->unknown);
    if (r->decoded)
        flag(a->flags, "passed over", "a string around JSON");
    flag_paths(a->flags, "control characters were taken out of", r->cleaned);
    return a;
}

static bool
parse_object(const json_t *object, const GPtrArray *acts, Answer **ret, GError **error)
{
    g_autofree const char **names = names_with(&answer_table, acts);
    g_auto(Reader) r = {.list_max = ANSWER_LIST_MAX};

    if (!reader_known(&r, &(Place){object, ""}, names))
        return err_set(error, ERR_NEVER, "the answer must be one JSON object");
    g_autoptr(Answer) a = read_object(&r, object, acts);
    if (!reader_end(&r, error))
        return false;
    *ret = g_steal_pointer(&a);
    return true;
}

/* The answer that is chosen among the candidates. */
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
consider(Choice *c, const json_t *value, const GPtrArray *acts, GError **error)
{
    g_autoptr(Answer) answer = NULL;
    GError *why = NULL;

    if (!parse_object(value, acts, &answer, &why)) {
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

/* Flags text that stood beside the answer, for the log. */
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
parse_text(
    const char *text, size_t len, const GPtrArray *acts, Answer **ret, GError **error)
{
    g_autoptr(GPtrArray) values = NULL;
    g_autofree char *rest = NULL;
    g_auto(Choice) choice = {0};

    if (len > ANSWER_MAX)
        return err_set(error, ERR_LIMIT, "the answer has %zu bytes, over the limit of %u", len,
                       ANSWER_MAX);
    if (!island_parse_all(text, len, &values, &rest, error))
        return false;
    for (guint i = 0; i < values->len; i++)
        if (!consider(&choice, g_ptr_array_index(values, i), acts, error))
            return false;
    if (!choice.answer && choice.why_not)
        return err_pass(error, g_steal_pointer(&choice.why_not));
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
answer_parse(
    const char *text, size_t len, const GPtrArray *acts, Answer **ret, GError **error)
{
    g_autofree char *inner = len <= ANSWER_MAX ? decode_string(text, len) : NULL;

    if (!inner)
        return parse_text(text, len, acts, ret, error);
    if (!answer_parse(inner, strlen(inner), acts, ret, error)) /* shorter each time */
        return false;
    flag((*ret)->flags, "passed over", "a string around the JSON");
    return true;
}
