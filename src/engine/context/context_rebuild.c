/*
 * A context from its manifest: the same bytes, as long as everything that it showed is still
 * there. Each part is asked for where it came from and held against the digest that it had.
 */
#include "base/digest.h"
#include "engine/context/context_internal.h"
#include "engine/context/conversation.h"
#include "engine/mode.h"

#define MANIFEST_MAX (64u << 20)
#define GONE "(gone)"

typedef struct Rebuild {
    Recall *recall;
    Context *c;
    GPtrArray *problems;
} Rebuild;

void
rebuilt_clear(Rebuilt *r)
{
    g_clear_pointer(&r->context, context_free);
    g_clear_pointer(&r->problems, g_ptr_array_unref);
}

static const char *
member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static size_t
size_member(const json_t *object, const char *name)
{
    json_int_t n = json_integer_value(json_object_get(object, name));
    return n > 0 ? (size_t)n : 0;
}

static bool
read_part(const json_t *object, ContextPart *ret)
{
    *ret = (ContextPart){
        .title = member(object, "title"),
        .from = member(object, "from"),
        .id = member(object, "id"),
        .filename = member(object, "filename"),
        .content_type = member(object, "content_type"),
        .version = json_integer_value(json_object_get(object, "version")),
        .offset = json_integer_value(json_object_get(object, "offset")),
    };
    return ret->title && ret->id;
}

/* "note x version 3", "mail <a@b>", "attachment x.png of <a@b>": what a person knows it by. */
static char *
name_part(const ContextPart *part)
{
    const char *from = part->from ? part->from : "";

    if (part->filename)
        return g_strdup_printf("attachment %s of <%s>", part->filename, part->id);
    if (g_str_equal(from, "note"))
        return g_strdup_printf("note %s version %" G_GINT64_FORMAT, part->id, part->version);
    if (g_str_equal(from, "state"))
        return g_strdup_printf("what the step before left (%s)", part->id + (*part->id == ':'));
    if (g_str_equal(from, "project"))
        return g_strdup_printf("file %s of the project", part->id + (*part->id == ':'));
    if (g_str_equal(from, "words"))
        return g_strdup_printf("our own text (%s)", part->id + (*part->id == ':'));
    return g_strdup_printf("mail <%s>", part->id);
}

static void
complain(Rebuild *r, const ContextPart *part, const char *what)
{
    g_autofree char *name = name_part(part);
    g_ptr_array_add(r->problems, g_strdup_printf("%s %s", name, what));
}

/* Says so when these are not the bytes that were shown. */
static void
compare(Rebuild *r, const json_t *object, const ContextPart *part, const void *data, size_t len)
{
    Digest now, then;
    const char *hex = member(object, "digest");

    digest_of(data, len, &now);
    if (!hex || !digest_parse_hex(hex, &then) || !digest_equal(&now, &then))
        complain(r, part, "has changed");
}

/* The source that showed a part finds it again, also when the role had another mode at that
 * time. */
static bool
find(Recall *recall, const ContextPart *part, char **ret, GBytes **ret_file, GError **error)
{
    if (conversation_shows(part->from))
        return conversation_recall(recall, part, ret, error);
    for (const ModeOps *const *m = recall->engine->modes; *m && !*ret && !*ret_file; m++) {
        if (!(*m)->recall(recall, part, ret, ret_file, error))
            return false;
    }
    return true;
}

static bool
rebuild_file(Rebuild *r, const json_t *object, const ContextPart *part, GError **error)
{
    g_autoptr(GBytes) data = NULL;
    g_autofree char *unused = NULL;

    if (!find(r->recall, part, &unused, &data, error))
        return false;
    if (!data) {
        complain(r, part, "is gone");
        context_put_part(r->c, part->title, GONE, strlen(GONE), NULL);
        return true;
    }
    gsize len;
    const void *bytes = g_bytes_get_data(data, &len);
    compare(r, object, part, bytes, len);
    context_put_file(r->c, part->title, part->content_type,
                     part->filename ? part->filename : "", data);
    return true;
}

/* The text of a part, valid UTF-8; caller frees. */
static bool
find_text(Rebuild *r, const json_t *object, const ContextPart *part, char **ret, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GBytes) unused = NULL;

    if (!part->from) {
        const char *kept = member(object, "text");
        *ret = g_strdup(kept ? kept : "");
        return true;
    }
    if (!find(r->recall, part, &text, &unused, error))
        return false;
    *ret = text_make_valid(text ? text : GONE, -1);
    if (text)
        compare(r, object, part, *ret, strlen(*ret));
    else
        complain(r, part, "is gone");
    return true;
}

static bool
rebuild_part(Rebuild *r, const json_t *object, const ContextPart *part, GError **error)
{
    size_t shown = size_member(object, "shown"), bytes = size_member(object, "bytes");
    g_autofree char *text = NULL;

    if (part->content_type)
        return rebuild_file(r, object, part, error);
    if (!find_text(r, object, part, &text, error))
        return false;
    /* The rest of a text that was cut is not needed; a text that shrank has no more bytes to
     * show. */
    size_t keep = MIN(shown, strlen(text));
    const char *said = member(object, "cut");
    const char *cut = said ? said : shown < bytes ? CONTEXT_CUT_NOTE : NULL;
    if (!member(object, "in"))
        context_put_part(r->c, part->title, text, keep, cut);
    else if (*part->title)
        context_put_instruction(r->c, part->title, text, keep, cut);
    else
        context_put_words(r->c, r->c->system, text);
    return true;
}

static bool
rebuild_one(Rebuild *r, const json_t *object, GError **error)
{
    const char *say = member(object, "say"), *why = member(object, "why");
    ContextPart part;

    if (say && member(object, "at")) {
        r->c->end = g_strdup(say);
        return true;
    }
    if (say) {
        context_put_words(r->c, member(object, "in") ? r->c->system : r->c->text, say);
        return true;
    }
    if (!read_part(object, &part))
        return err_set(error, ERR_NEVER, "the manifest is of another form");
    if (size_member(object, "shown") == 0 && why) {
        context_put_left_out(r->c, part.title, size_member(object, "bytes"), why);
        return true;
    }
    return rebuild_part(r, object, &part, error);
}

static bool
rebuild_all(Rebuild *r, const json_t *manifest, GError **error)
{
    size_t i;
    const json_t *object;

    json_array_foreach(json_object_get(manifest, "parts"), i, object)
    {
        if (!rebuild_one(r, object, error))
            return false;
    }
    return true;
}

static bool
parse_manifest(const Step *step, json_t **ret, GError **error)
{
    if (!step->manifest)
        return err_set(error, ERR_NEVER, "step %d keeps no record of what was shown", step->n);
    if (!json_parse_bytes(step->manifest, MANIFEST_MAX, ret, error))
        return false;
    if (json_object_get(*ret, "read") && !json_object_get(*ret, "parts")) {
        g_clear_pointer(ret, json_decref);
        return err_set(error, ERR_NEVER,
                       "step %d keeps no record of what was shown: a program made it while it worked",
                       step->n);
    }
    if (!json_object_get(*ret, "budget")) {
        g_clear_pointer(ret, json_decref);
        return err_set(error, ERR_NEVER,
                       "step %d was made by an older version, which kept less of it", step->n);
    }
    return true;
}

bool
context_rebuild(Recall *recall, const Step *step, Rebuilt *ret, GError **error)
{
    g_autoptr(json_t) manifest = NULL;
    if (!parse_manifest(step, &manifest, error))
        return false;
    int64_t job = json_integer_value(json_object_get(manifest, "job"));
    int n = (int)json_integer_value(json_object_get(manifest, "step"));
    g_autoptr(Context) c =
        context_alloc(recall->engine->home, job, n, size_member(manifest, "budget"));
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    Rebuild r = {.recall = recall, .c = c, .problems = problems};
    Digest digest;

    recall->takes = (unsigned)json_integer_value(json_object_get(manifest, "takes"));
    if (!rebuild_all(&r, manifest, error))
        return false;
    context_digest(c, &digest);
    ret->same = digest_equal(&digest, &step->context);
    ret->context = g_steal_pointer(&c);
    ret->problems = g_steal_pointer(&problems);
    return true;
}
