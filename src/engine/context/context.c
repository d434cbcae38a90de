#include "base/digest.h"
#include "base/text.h"
#include "engine/context/context_internal.h"
#include "engine/context/manifest.h"
#include "engine/mode.h"

_Static_assert(CONTEXT_IMAGES == BRAIN_IMAGES && CONTEXT_PDF == BRAIN_PDF,
               "faces see no brain, so these have two names");

#define CONTEXT_BUDGET (256u << 10)
#define NONCE_CHARS 16
#define TITLE_CHARS 160
#define NO_ROOM "no room"

static void
file_free(gpointer p)
{
    ContextFile *file = p;
    g_free(file->content_type);
    g_free(file->filename);
    g_bytes_unref(file->data);
    g_free(file);
}

Context *
context_alloc(const Home *home, int64_t job, int step, size_t budget)
{
    Context *c = g_new0(Context, 1);
    Digest mac;

    c->job = job;
    c->step = step;
    c->budget = budget ? budget : CONTEXT_BUDGET;
    g_autofree char *what = g_strdup_printf("%" G_GINT64_FORMAT " %d", c->job, c->step);
    key_mac(&home->key, "fence 1", what, strlen(what), &mac);
    c->nonce = digest_token(&mac, NONCE_CHARS);
    c->system = g_string_new(NULL);
    c->text = g_string_new(NULL);
    c->left_out = g_string_new(NULL);
    c->parts = json_array();
    c->floor = TRUST_OPERATOR;
    c->unweighed = g_ptr_array_new();
    c->files = g_ptr_array_new_with_free_func(file_free);
    c->views = g_array_new(FALSE, FALSE, sizeof(BrainFile));
    return c;
}

Context *
context_new(const Home *home, const Job *job, size_t budget)
{
    return context_alloc(home, job->id.v, job->steps + 1, budget);
}

void
context_free(Context *c)
{
    if (!c)
        return;
    g_free(c->page);
    g_free(c->whole);
    g_free(c->end);
    g_free(c->nonce);
    g_string_free(c->system, TRUE);
    g_string_free(c->text, TRUE);
    g_string_free(c->left_out, TRUE);
    json_decref(c->parts);
    g_ptr_array_unref(c->unweighed);
    g_ptr_array_unref(c->files);
    g_array_unref(c->views);
    g_free(c);
}

/* --- what the settings say --- */

size_t
context_budget(const Config *config, const ConfBrain *brain)
{
    uint64_t bytes =
        brain && brain->context_bytes ? brain->context_bytes : config->context_bytes;
    return (size_t)CLAMP(bytes, CONTEXT_BYTES_MIN, G_MAXINT32);
}

void
context_set_takes(Context *c, unsigned takes)
{
    c->takes = takes;
}

void
context_set_told(Context *c)
{
    c->told = true;
}

bool
context_is_told(const Context *c)
{
    return c->told;
}

unsigned
context_takes(const Context *c)
{
    return c->takes;
}

unsigned
context_role_takes(const Engine *engine, const char *name)
{
    const Config *config = engine->home->config;
    const ConfRole *role = config_role(config, name);
    const ConfBrain *brain = role ? config_brain(config, role->brain) : NULL;
    const ModeOps *mode = engine_mode(engine, role);

    if (mode && !mode->led)
        return CONTEXT_ANY_FILE;
    return brain ? brain_takes_all(brain) : 0;
}

unsigned
context_type_takes(const char *media_type)
{
    return brain_takes_type(media_type);
}

const char *
context_nonce(const Context *c)
{
    return c->nonce;
}

/* --- the record --- */

static void
set_text(json_t *object, const char *name, const char *value)
{
    if (value && *value)
        json_object_set_new(object, name, json_string(value));
}

/* bytes and digest are of the whole, shown is how much of it went in. */
static json_t *
note_part(Context *c,
          const ContextPart *part,
          const void *data,
          size_t len,
          size_t shown,
          const char *why)
{
    Digest digest;

    digest_of(data, len, &digest);
    g_autofree char *hex = digest_hex(&digest);
    json_t *o = json_pack("{s:s, s:s, s:I, s:s, s:I}", "title", part->title, "id", part->id,
                          "bytes", (json_int_t)len, "digest", hex, "shown", (json_int_t)shown);
    set_text(o, "from", part->from);
    set_text(o, "filename", part->filename);
    set_text(o, "content_type", part->content_type);
    set_text(o, "why", why);
    if (part->version)
        json_object_set_new(o, "version", json_integer(part->version));
    if (part->offset)
        json_object_set_new(o, "offset", json_integer(part->offset));
    if (!part->from && shown > 0)
        json_object_set_new(o, "text", json_stringn(data, shown));
    json_array_append_new(c->parts, o);
    if (part->floor && shown > 0)
        c->floor = MIN(c->floor, *part->floor);
    else if (!part->floor)
        g_ptr_array_add(c->unweighed, o);
    return o;
}

static bool
leave_out(Context *c, const ContextPart *part, const void *data, size_t len, const char *why)
{
    note_part(c, part, data, len, 0, why);
    context_put_left_out(c, part->title, len, why);
    return false;
}

/* --- parts --- */

/* What stands at the end of a text of which only the first bytes are shown; caller frees. */
static char *
format_cut(const ContextPart *part, size_t keep, size_t len)
{
    int64_t last = part->offset + (int64_t)keep, all = part->offset + (int64_t)len;

    if (!part->more)
        return g_strdup(CONTEXT_CUT_NOTE);
    return g_strdup_printf("\n[… cut: bytes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                           " of %" G_GINT64_FORMAT "; to read on: %s%" G_GINT64_FORMAT "]",
                           MAX(part->offset, 0), MAX(last, 0), all, part->more, MAX(last, 0));
}

/* The manifest keeps what is said at the end of a text that can be read on; where it keeps
 * nothing, CONTEXT_CUT_NOTE was said. */
static void
note_cut(json_t *record, const ContextPart *part, const char *cut)
{
    if (cut && part->more)
        json_object_set_new(record, "cut", json_string(cut));
}

/* One line that can't be mistaken for a fence; caller frees. */
static char *
safe_title(const Context *c, const char *title)
{
    g_autofree char *visible = text_vis(title, false);
    g_auto(GStrv) pieces = g_strsplit(visible, "===", -1);
    g_autofree char *plain = g_strjoinv("=", pieces);

    if (strstr(title, c->nonce))
        return g_strdup("(its name can't be shown)");
    return text_shorten(plain, TITLE_CHARS);
}

/* What a part of so many bytes takes with both of its fences. */
static size_t
fenced_size(const Context *c, const char *title, size_t len)
{
    return strlen(title) + 2 * strlen(c->nonce) + len +
           sizeof "\n===  [] ===\n\n=== END [] ===\n";
}

static bool
holds_mark(const Context *c, const ContextPart *part, const char *text)
{
    return strstr(text, c->nonce) || strstr(part->id, c->nonce) ||
           (part->filename && strstr(part->filename, c->nonce));
}

static bool
refuse_mark(Context *c, const ContextPart *part, const char *text)
{
    const ContextPart nameless = {.title = part->title, .id = ""};
    return leave_out(c, &nameless, text, strlen(text),
                     "it holds a mark that only we may write");
}

static bool
show(Context *c, const ContextPart *asked, const char *asked_text, bool may_cut)
{
    g_autofree char *title = safe_title(c, asked->title);
    g_autofree char *text = text_make_valid(asked_text, -1);
    size_t len = strlen(text), keep = len;
    size_t room = context_room(c), frame = fenced_size(c, title, 0);
    ContextPart part = *asked;

    part.title = title;
    if (holds_mark(c, asked, text))
        return refuse_mark(c, &part, text);
    g_autofree char *cut = NULL;
    if (frame + len > room) {
        g_autofree char *longest = format_cut(&part, len, len);
        size_t cut_frame = frame + strlen(longest);
        if (!may_cut || cut_frame >= room)
            return leave_out(c, &part, text, len, NO_ROOM);
        keep = text_cut_at(text, room - cut_frame);
        if (keep == 0)
            return leave_out(c, &part, text, len, NO_ROOM);
        cut = format_cut(&part, keep, len);
    }
    context_put_part(c, title, text, keep, cut);
    note_cut(note_part(c, &part, text, len, keep, cut ? "cut" : NULL), &part, cut);
    return true;
}

bool
context_show_part(Context *c, const ContextPart *part, const char *text)
{
    return show(c, part, text, false);
}

bool
context_show_part_cut(Context *c, const ContextPart *part, const char *text)
{
    return show(c, part, text, true);
}

bool
context_show_cut(Context *c, const char *title, const char *id, const char *text)
{
    return show(c, &(ContextPart){.title = title, .id = id}, text, true);
}

static const char *
why_no_file(const Context *c, const ContextPart *part, size_t len)
{
    bool image = brain_takes_type(part->content_type) == BRAIN_IMAGES;

    if (c->files->len >= CONTEXT_FILES_MAX)
        return "too many files";
    if (len > CONTEXT_FILES_BYTES - c->file_bytes || (image && len > CONTEXT_IMAGE_BYTES))
        return "too large";
    return NULL;
}

bool
context_attach(Context *c, const ContextPart *asked, GBytes *data)
{
    g_autofree char *title = safe_title(c, asked->title);
    g_autofree char *text = context_file_line(c, asked->content_type, data);
    gsize len;
    const void *bytes = g_bytes_get_data(data, &len);
    ContextPart part = *asked;

    part.title = title;
    if (holds_mark(c, asked, ""))
        return refuse_mark(c, &part, "");
    const char *why = why_no_file(c, asked, len);
    if (!why && fenced_size(c, title, strlen(text)) > context_room(c))
        why = NO_ROOM;
    if (why)
        return leave_out(c, &part, bytes, len, why);
    context_put_file(c, title, part.content_type, part.filename, data);
    note_part(c, &part, bytes, len, len, NULL);
    return true;
}

/* --- our own words --- */

static bool
words_fit(Context *c, const char *text)
{
    const ContextPart part = {.title = "a word of ours", .id = ""};

    if (strlen(text) + 2 <= context_whole_room(c))
        return true;
    return leave_out(c, &part, text, strlen(text), NO_ROOM);
}

void
context_say(Context *c, const char *asked)
{
    g_autofree char *text = text_make_valid(asked, -1);

    if (!words_fit(c, text))
        return;
    context_put_words(c, c->text, text);
    json_array_append_new(c->parts, json_pack("{s:s}", "say", text));
}

void
context_end(Context *c, const char *asked)
{
    g_autofree char *text = text_make_valid(asked, -1);

    g_assert(!c->end);
    if (!words_fit(c, text))
        return;
    json_array_append_new(c->parts, json_pack("{s:s, s:s}", "say", text, "at", "end"));
    c->end = g_steal_pointer(&text);
    g_clear_pointer(&c->page, g_free);
    g_clear_pointer(&c->whole, g_free);
}

void
context_instruct(Context *c, const char *asked)
{
    g_autofree char *text = text_make_valid(asked, -1);

    if (!words_fit(c, text))
        return;
    context_put_words(c, c->system, text);
    json_array_append_new(c->parts, json_pack("{s:s, s:s}", "say", text, "in", "system"));
}

void
context_instruct_words(Context *c, const char *name, const char *text)
{
    const ContextPart part = {.title = "", .from = "words", .id = name};

    if (!words_fit(c, text))
        return;
    context_put_words(c, c->system, text);
    json_t *o = note_part(c, &part, text, strlen(text), strlen(text), NULL);
    json_object_set_new(o, "in", json_string("system"));
}

bool
context_instruct_part(Context *c, const ContextPart *asked, const char *asked_text, size_t max)
{
    g_autofree char *title = safe_title(c, asked->title);
    g_autofree char *text = text_make_valid(asked_text, -1);
    size_t len = strlen(text), keep = len;
    g_autofree char *longest = format_cut(asked, len, len);
    size_t frame = strlen(title) + sizeof "\n\n:\n\n\n" + strlen(longest);
    size_t room = MIN(context_room(c), max + frame);
    ContextPart part = *asked;

    part.title = title;
    if (holds_mark(c, asked, text))
        return refuse_mark(c, &part, text);
    if (frame + len > room)
        keep = frame < room ? text_cut_at(text, room - frame) : 0;
    if (keep == 0)
        return len == 0 || leave_out(c, &part, text, len, NO_ROOM);
    g_autofree char *cut = keep < len ? format_cut(&part, keep, len) : NULL;
    context_put_instruction(c, title, text, keep, cut);
    json_t *o = note_part(c, &part, text, len, keep, cut ? "cut" : NULL);
    note_cut(o, &part, cut);
    json_object_set_new(o, "in", json_string("system"));
    return true;
}

/* --- the manifest --- */

GBytes *
context_manifest(Context *c)
{
    json_int_t bytes = (json_int_t)strlen(context_text(c)) + (json_int_t)c->system->len;
    g_autoptr(json_t) manifest = json_pack(
        "{s:I, s:i, s:I, s:I, s:i, s:O}", "job", (json_int_t)c->job, "step", c->step, "budget",
        (json_int_t)c->budget, "bytes", bytes, "takes", (int)c->takes, "parts", c->parts);
    char *text = json_format(manifest);
    return g_bytes_new_take(text, strlen(text));
}

bool
context_floor(const Context *c, Engine *engine, const char *role, Trust *ret, GError **error)
{
    g_auto(Snapshot) reads = {0};

    *ret = c->floor;
    if (c->unweighed->len > 0)
        snapshot_begin(engine->db, &reads);
    for (guint i = 0; i < c->unweighed->len; i++) {
        if (!manifest_part_floor(engine, role, c->unweighed->pdata[i], ret, error))
            return false;
    }
    return true;
}
