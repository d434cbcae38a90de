#include "base/banned.h"
#include "base/digest.h"
#include "base/text.h"
#include "engine/context_internal.h"

_Static_assert(CONTEXT_IMAGES == BRAIN_IMAGES && CONTEXT_PDF == BRAIN_PDF,
               "faces see no brain, so these have two names");

#define CONTEXT_BUDGET (256u << 10)
#define NONCE_CHARS 16
#define TITLE_CHARS 160
#define CUT_NOTE "\n[… cut: this is the beginning, the rest did not fit]"
#define NOT_SHOWN "NOT SHOWN"
#define NO_ROOM "no room"
/* The list of what is not shown has its own part of the budget, so that it can't push anything
 * out, nor grow over it. */
#define LIST_SHARE 8
#define LIST_MIN 200u
#define LIST_MAX 4096u
#define MORE_LINE "- and %u more\n"
#define MORE_ROOM 32u

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
    c->files = g_ptr_array_new_with_free_func(file_free);
    c->views = g_array_new(FALSE, FALSE, sizeof(BrainFile));
    return c;
}

Context *
context_new(const Home *home, const Job *job, size_t budget)
{
    return context_alloc(home, job->id.v, job->steps + 1, budget);
}

static void
forget_whole(Context *c)
{
    g_clear_pointer(&c->page, g_free);
    g_clear_pointer(&c->whole, g_free);
}

void
context_free(Context *c)
{
    if (!c)
        return;
    forget_whole(c);
    g_free(c->nonce);
    g_string_free(c->system, TRUE);
    g_string_free(c->text, TRUE);
    g_string_free(c->left_out, TRUE);
    json_decref(c->parts);
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

unsigned
context_takes(const Context *c)
{
    return c->takes;
}

unsigned
context_role_takes(const Config *config, const char *name)
{
    const ConfRole *role = config_role(config, name);
    const ConfBrain *brain = role ? config_brain(config, role->brain) : NULL;

    if (role && g_str_equal(role->mode, "program"))
        return CONTEXT_ANY_FILE;
    return brain ? brain_takes_all(brain) : 0;
}

unsigned
context_type_takes(const char *media_type)
{
    return brain_takes_type(media_type);
}

/* --- room --- */

const char *
context_nonce(const Context *c)
{
    return c->nonce;
}

static size_t
list_room(const Context *c)
{
    return CLAMP(c->budget / LIST_SHARE, LIST_MIN, LIST_MAX);
}

/* What is left when nothing is kept back. */
static size_t
whole_room(const Context *c)
{
    size_t used = c->system->len + c->text->len + list_room(c);
    return used < c->budget ? c->budget - used : 0;
}

size_t
context_room(const Context *c)
{
    size_t room = whole_room(c);
    return room > c->reserved ? room - c->reserved : 0;
}

void
context_reserve(Context *c, size_t bytes)
{
    c->reserved = bytes;
}

/* --- bytes --- */

static void
end_line(GString *s)
{
    if (s->len > 0 && s->str[s->len - 1] != '\n')
        g_string_append_c(s, '\n');
}

static void
append_fence(const Context *c, GString *s, const char *title)
{
    end_line(s);
    g_string_append_printf(s, "=== %s [%s] ===\n", title, c->nonce);
}

static void
append_cut(GString *s, const char *text, size_t len, size_t keep)
{
    g_string_append_len(s, text, (gssize)keep);
    if (keep < len)
        g_string_append(s, CUT_NOTE);
}

void
context_put_words(Context *c, GString *to, const char *text)
{
    forget_whole(c);
    end_line(to);
    g_string_append(to, text);
    end_line(to);
}

void
context_put_part(Context *c, const char *title, const char *text, size_t len, size_t keep)
{
    forget_whole(c);
    append_fence(c, c->text, title);
    append_cut(c->text, text, len, keep);
    append_fence(c, c->text, "END");
}

void
context_put_instruction(
    Context *c, const char *title, const char *text, size_t len, size_t keep)
{
    forget_whole(c);
    end_line(c->system);
    g_string_append_printf(c->system, "\n%s:\n\n", title);
    append_cut(c->system, text, len, keep);
    end_line(c->system);
}

static char *
format_file(const Context *c, const char *content_type, GBytes *data)
{
    g_autofree char *size = text_format_size(g_bytes_get_size(data));
    return g_strdup_printf("(%s, %s: file %u of those that come with this page)", content_type,
                           size, c->files->len + 1);
}

void
context_put_file(
    Context *c, const char *title, const char *content_type, const char *filename, GBytes *data)
{
    g_autofree char *text = format_file(c, content_type, data);
    ContextFile *file = g_new0(ContextFile, 1);

    context_put_part(c, title, text, strlen(text), strlen(text));
    file->content_type = g_strdup(content_type);
    file->filename = text_make_valid(filename, -1);
    file->data = g_bytes_ref(data);
    g_ptr_array_add(c->files, file);
    const BrainFile view = {file->content_type, file->filename, file->data};
    g_array_append_val(c->views, view);
    c->file_bytes += g_bytes_get_size(data);
}

static size_t
list_frame(const Context *c)
{
    return 2 * strlen(c->nonce) + sizeof "\n=== " NOT_SHOWN " [] ===\n=== END [] ===\n";
}

void
context_put_left_out(Context *c, const char *title, uint64_t len, const char *why)
{
    g_autofree char *size = text_format_size(len);
    g_autofree char *line = g_strdup_printf("- %s (%s): %s\n", title, size, why);

    forget_whole(c);
    if (c->left_out->len + strlen(line) + list_frame(c) + MORE_ROOM <= list_room(c))
        g_string_append(c->left_out, line);
    else
        c->left_out_more++;
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
    if (!part->from && shown > 0)
        json_object_set_new(o, "text", json_stringn(data, shown));
    json_array_append_new(c->parts, o);
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

/* The number of bytes of text to show within room, at a character's edge. */
static size_t
cut_at(const char *text, size_t room)
{
    while (room > 0 && ((uint8_t)text[room] & 0xc0) == 0x80)
        room--;
    return room;
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
    if (frame + len > room) {
        size_t cut_frame = frame + strlen(CUT_NOTE);
        if (!may_cut || cut_frame >= room)
            return leave_out(c, &part, text, len, NO_ROOM);
        keep = cut_at(text, room - cut_frame);
        if (keep == 0)
            return leave_out(c, &part, text, len, NO_ROOM);
    }
    context_put_part(c, title, text, len, keep);
    note_part(c, &part, text, len, keep, keep < len ? "cut" : NULL);
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
context_show(Context *c, const char *title, const char *id, const char *text)
{
    return show(c, &(ContextPart){.title = title, .id = id}, text, false);
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
    g_autofree char *text = format_file(c, asked->content_type, data);
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

    if (strlen(text) + 2 <= whole_room(c))
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
    size_t frame = strlen(title) + sizeof "\n\n:\n\n\n" + strlen(CUT_NOTE);
    size_t room = MIN(context_room(c), max + frame);
    ContextPart part = *asked;

    part.title = title;
    if (holds_mark(c, asked, text))
        return refuse_mark(c, &part, text);
    if (frame + len > room)
        keep = frame < room ? cut_at(text, room - frame) : 0;
    if (keep == 0)
        return len == 0 || leave_out(c, &part, text, len, NO_ROOM);
    context_put_instruction(c, title, text, len, keep);
    json_t *o = note_part(c, &part, text, len, keep, keep < len ? "cut" : NULL);
    json_object_set_new(o, "in", json_string("system"));
    return true;
}

/* --- all of it --- */

const char *
context_text(Context *c)
{
    if (c->page)
        return c->page;
    GString *page = g_string_new_len(c->text->str, (gssize)c->text->len);
    if (c->left_out->len > 0 || c->left_out_more > 0) {
        append_fence(c, page, NOT_SHOWN);
        g_string_append_len(page, c->left_out->str, (gssize)c->left_out->len);
        if (c->left_out_more > 0)
            g_string_append_printf(page, MORE_LINE, c->left_out_more);
        append_fence(c, page, "END");
    }
    c->page = g_string_free(page, FALSE);
    return c->page;
}

const char *
context_system(const Context *c)
{
    return c->system->len > 0 ? c->system->str : NULL;
}

const BrainFile *
context_files(const Context *c, unsigned *ret_n)
{
    *ret_n = c->views->len;
    return (const BrainFile *)(void *)c->views->data;
}

static void
append_file_line(GString *whole, unsigned number, const ContextFile *file)
{
    gsize len;
    const void *data = g_bytes_get_data(file->data, &len);
    Digest digest;

    digest_of(data, len, &digest);
    g_autofree char *hex = digest_hex(&digest);
    g_autofree char *name = text_vis(file->filename, false);
    g_string_append_printf(whole, "--- file %u: %s, %zu bytes, sha256 %s, %s\n", number,
                           file->content_type, len, hex, name);
}

const char *
context_whole(Context *c)
{
    if (c->system->len == 0 && c->files->len == 0)
        return context_text(c);
    if (c->whole)
        return c->whole;
    GString *whole = g_string_new("--- system\n");
    g_string_append_len(whole, c->system->str, (gssize)c->system->len);
    g_string_append(whole, "--- page\n");
    g_string_append(whole, context_text(c));
    for (guint i = 0; i < c->files->len; i++)
        append_file_line(whole, i + 1, g_ptr_array_index(c->files, i));
    c->whole = g_string_free(whole, FALSE);
    return c->whole;
}

GBytes *
context_manifest(Context *c)
{
    json_int_t bytes = (json_int_t)(strlen(context_text(c)) + c->system->len);
    g_autoptr(json_t) manifest = json_pack(
        "{s:I, s:i, s:I, s:I, s:i, s:O}", "job", (json_int_t)c->job, "step", c->step, "budget",
        (json_int_t)c->budget, "bytes", bytes, "takes", (int)c->takes, "parts", c->parts);
    char *text = json_format(manifest);
    return g_bytes_new_take(text, strlen(text));
}

void
context_digest(Context *c, Digest *ret)
{
    const char *whole = context_whole(c);
    digest_of(whole, strlen(whole), ret);
}

const json_t *
context_parts(const Context *c)
{
    return c->parts;
}
