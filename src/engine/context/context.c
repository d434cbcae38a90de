#include "base/digest.h"
#include "engine/context/context_internal.h"
#include "engine/context/manifest.h"
#include "engine/mode.h"

_Static_assert(CONTEXT_IMAGES == BRAIN_IMAGES && CONTEXT_PDF == BRAIN_PDF,
               "faces see no brain, so these have two names");

#define CONTEXT_BUDGET (256u << 10)
#define NONCE_CHARS 16
#define TITLE_CHARS 160
#define NO_ROOM "no room"
#define PAGES_KEPT 4u /* a part that comes back within so many is not made again */
#define UNSHOWABLE "(its name can't be shown)"

static void
file_free(gpointer p)
{
    ContextFile *file = p;
    free_all(file->content_type, file->filename);
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
    c->parts = g_string_new(NULL);
    c->floor = TRUST_OPERATOR;
    c->unweighed = manifest_list_new();
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
    free_all(c->page, c->whole, c->end, c->nonce);
    g_string_free(c->system, TRUE);
    g_string_free(c->text, TRUE);
    g_string_free(c->left_out, TRUE);
    g_string_free(c->parts, TRUE);
    context_memo_free(c->own_memo);
    manifest_list_free(c->unweighed);
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

/* --- what is made of a part --- */

/* The title as one line that can't be mistaken for a fence; caller frees. */
static char *
safe_title(const char *title)
{
    g_autofree char *visible = text_vis(title, false);
    g_auto(GStrv) pieces = g_strsplit(visible, "===", -1);
    g_autofree char *plain = g_strjoinv("=", pieces);

    return text_shorten(plain, TITLE_CHARS);
}

/* A part as it goes into the page and the manifest. */
typedef struct Ready {
    char *asked_title, *id; /* its name in the memo */
    char *asked;            /* the text as it was given; NULL: as it is here */
    char *title, *text;     /* safe, and valid */
    size_t len;             /* of text */
    char *hex;              /* its digest */
    unsigned page;          /* that used it last */
} Ready;

static void
ready_free(gpointer p)
{
    Ready *r = p;
    free_all(r->asked_title, r->id, r->asked, r->title, r->text, r->hex, r);
}

static guint
ready_hash(gconstpointer p)
{
    const Ready *r = p;
    return g_str_hash(r->id) * 31 + g_str_hash(r->asked_title);
}

static gboolean
ready_equal(gconstpointer a, gconstpointer b)
{
    const Ready *x = a, *y = b;
    return g_str_equal(x->id, y->id) && g_str_equal(x->asked_title, y->asked_title);
}

struct ContextMemo {
    GHashTable *parts; /* set of Ready */
    unsigned page;
    char *system;   /* the text of the last page; NULL: there was none */
    DigestCtx *sum; /* that has taken it in, and nothing else but its headings */
};

ContextMemo *
context_memo_new(void)
{
    ContextMemo *memo = g_new0(ContextMemo, 1);
    memo->parts = g_hash_table_new_full(ready_hash, ready_equal, ready_free, NULL);
    return memo;
}

void
context_memo_free(ContextMemo *memo)
{
    if (!memo)
        return;
    g_hash_table_unref(memo->parts);
    g_free(memo->system);
    digest_free(memo->sum);
    g_free(memo);
}

static gboolean
is_old(gpointer key, gpointer value, gpointer data)
{
    const ContextMemo *memo = data;
    return ((Ready *)key)->page + PAGES_KEPT <= memo->page;
}

void
context_set_memo(Context *c, ContextMemo *memo)
{
    g_hash_table_foreach_remove(memo->parts, is_old, memo);
    memo->page++;
    c->memo = memo;
}

static Ready *
make_ready(const ContextPart *part, const char *text)
{
    Ready *r = g_new0(Ready, 1);
    Digest digest;

    r->asked_title = g_strdup(part->title);
    r->id = g_strdup(part->id);
    r->title = safe_title(part->title);
    r->text = text_make_valid(text, -1);
    r->asked = g_str_equal(r->text, text) ? NULL : g_strdup(text);
    r->len = strlen(r->text);
    digest_of(r->text, r->len, &digest);
    r->hex = digest_hex(&digest);
    return r;
}

static ContextMemo *
memo_of(Context *c)
{
    if (!c->memo)
        c->memo = c->own_memo = context_memo_new();
    return c->memo;
}

DigestCtx *
context_digest_begin(Context *c)
{
    ContextMemo *memo = memo_of(c);

    if (g_strcmp0(memo->system, c->system->str) != 0) {
        g_free(memo->system);
        memo->system = g_strdup(c->system->str);
        digest_free(memo->sum);
        memo->sum = digest_new();
        digest_update(memo->sum, CONTEXT_SYSTEM_HEAD, strlen(CONTEXT_SYSTEM_HEAD));
        digest_update(memo->sum, c->system->str, c->system->len);
        digest_update(memo->sum, CONTEXT_PAGE_HEAD, strlen(CONTEXT_PAGE_HEAD));
    }
    return digest_copy(memo->sum);
}

/* Borrowed until the next part. */
static const Ready *
get_ready(Context *c, const ContextPart *part, const char *text)
{
    const Ready name = {.asked_title = (char *)part->title, .id = (char *)part->id};
    Ready *r = g_hash_table_lookup(memo_of(c)->parts, &name);
    if (!r || !g_str_equal(r->asked ? r->asked : r->text, text)) {
        r = make_ready(part, text);
        g_hash_table_add(c->memo->parts, r);
    }
    r->page = c->memo->page;
    return r;
}

/* The title for this page, whose mark nobody knows before. */
static const char *
title_here(const Context *c, const Ready *r)
{
    return strstr(r->asked_title, c->nonce) ? UNSHOWABLE : r->title;
}

/* --- the record --- */

/* The record is written as text, in the order of docs/formats.md: a tree of it would be built and thrown
 * away for each part of each page. All text here is valid. */
static GString *
begin_record(Context *c)
{
    g_string_append(c->parts, c->parts->len ? ",{" : "{");
    return c->parts;
}

/* Only where there is something to say. */
static void
put_some_text(GString *s, const char *name, const char *value)
{
    if (value && *value)
        json_put_text(s, name, value);
}

static void
put_some_number(GString *s, const char *name, int64_t value)
{
    if (value)
        json_put_int(s, name, value);
}

/* Words of ours; member and value say where they stand. NULL: in the page. */
static void
note_words(Context *c, const char *text, const char *member, const char *value)
{
    GString *s = begin_record(c);
    json_put_text(s, "say", text);
    if (member)
        json_put_text(s, member, value);
    g_string_append_c(s, '}');
}

/* How much of a part is shown, and why no more of it. */
typedef struct Outcome {
    size_t shown;
    const char *why; /* not all of it; NULL */
    const char *cut; /* what is said at its end; NULL */
    bool system;     /* it stands among the instructions */
} Outcome;

/* The note at the end of a text that can be read on is kept in the manifest; without such a
 * note the text ended with CONTEXT_CUT_NOTE. */
static void
describe(GString *s, const ContextPart *part, const Ready *r, const Outcome *o)
{
    json_put_text(s, "title", part->title);
    json_put_text(s, "id", part->id);
    json_put_int(s, "bytes", (int64_t)r->len);
    json_put_text(s, "digest", r->hex);
    json_put_int(s, "shown", (int64_t)o->shown);
    put_some_text(s, "from", part->from);
    put_some_text(s, "filename", part->filename);
    put_some_text(s, "content_type", part->content_type);
    put_some_text(s, "why", o->why);
    put_some_number(s, "version", part->version);
    put_some_number(s, "offset", part->offset);
    if (!part->from && o->shown > 0) {
        json_put_name(s, "text");
        json_append_text(s, r->text, o->shown);
    }
    put_some_text(s, "cut", part->more ? o->cut : NULL);
    put_some_text(s, "in", o->system ? "system" : NULL);
    g_string_append_c(s, '}');
}

static void
weigh(Context *c, const ContextPart *part, size_t shown)
{
    if (shown == 0)
        return;
    if (part->floor)
        c->floor = MIN(c->floor, *part->floor);
    else if (!manifest_is_own(part->from))
        manifest_list_add(c->unweighed, manifest_part_new(part->id, part->version));
}

/* bytes and digest are of the whole, shown is how much of it went in. */
static void
note_part(Context *c, const ContextPart *part, const Ready *r, const Outcome *o)
{
    describe(begin_record(c), part, r, o);
    weigh(c, part, o->shown);
}

static bool
leave_out(Context *c, const ContextPart *part, const Ready *r, const char *why)
{
    note_part(c, part, r, &(Outcome){.why = why});
    context_put_left_out(c, part->title, r->len, why);
    return false;
}

/* --- parts --- */

/* The note at the end of a text of which only the first bytes are shown; caller frees. */
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

/* The size of a part of so many bytes with both of its fences. */
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
refuse_mark(Context *c, const ContextPart *part, const Ready *r)
{
    const ContextPart nameless = {.title = part->title, .id = ""};
    return leave_out(c, &nameless, r, "it holds a mark that only we may write");
}

static bool
show(Context *c, const ContextPart *asked, const char *text, bool may_cut)
{
    const Ready *r = get_ready(c, asked, text);
    ContextPart part = *asked;
    size_t keep = r->len, room = context_room(c);

    part.title = title_here(c, r);
    if (holds_mark(c, asked, r->text))
        return refuse_mark(c, &part, r);
    size_t frame = fenced_size(c, part.title, 0);
    g_autofree char *cut = NULL;
    if (frame + r->len > room) {
        g_autofree char *longest = format_cut(&part, r->len, r->len);
        size_t cut_frame = frame + strlen(longest);
        if (!may_cut || cut_frame >= room)
            return leave_out(c, &part, r, NO_ROOM);
        keep = text_cut_at(r->text, room - cut_frame);
        if (keep == 0)
            return leave_out(c, &part, r, NO_ROOM);
        cut = format_cut(&part, keep, r->len);
    }
    context_put_part(c, part.title, r->text, keep, cut);
    note_part(c, &part, r, &(Outcome){.shown = keep, .why = cut ? "cut" : NULL, .cut = cut});
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
    g_autofree char *title = strstr(asked->title, c->nonce) ? NULL : safe_title(asked->title);
    g_autofree char *text = context_file_line(c, asked->content_type, data);
    g_autofree char *hex = digest_hex_of(data);
    const Ready r = {.len = g_bytes_get_size(data), .hex = hex};
    ContextPart part = *asked;

    part.title = title ? title : UNSHOWABLE;
    if (holds_mark(c, asked, ""))
        return refuse_mark(c, &part, get_ready(c, asked, ""));
    const char *why = why_no_file(c, asked, r.len);
    if (!why && fenced_size(c, part.title, strlen(text)) > context_room(c))
        why = NO_ROOM;
    if (why)
        return leave_out(c, &part, &r, why);
    context_put_file(c, part.title, part.content_type, part.filename, data);
    note_part(c, &part, &r, &(Outcome){.shown = r.len});
    return true;
}

/* --- our own words --- */

static bool
words_fit(Context *c, const char *text)
{
    const ContextPart part = {.title = "a word of ours", .id = ""};

    if (strlen(text) + 2 <= context_whole_room(c))
        return true;
    return leave_out(c, &part, get_ready(c, &part, text), NO_ROOM);
}

void
context_say(Context *c, const char *asked)
{
    g_autofree char *text = text_make_valid(asked, -1);

    if (!words_fit(c, text))
        return;
    context_put_words(c, c->text, text);
    note_words(c, text, NULL, NULL);
}

void
context_end(Context *c, const char *asked)
{
    g_autofree char *text = text_make_valid(asked, -1);

    g_assert(!c->end);
    if (!words_fit(c, text))
        return;
    note_words(c, text, "at", "end");
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
    note_words(c, text, "in", "system");
}

void
context_instruct_words(Context *c, const char *name, const char *text)
{
    const ContextPart part = {.title = "", .from = "words", .id = name};

    if (!words_fit(c, text))
        return;
    context_put_words(c, c->system, text);
    const Ready *r = get_ready(c, &part, text);
    note_part(c, &part, r, &(Outcome){.shown = r->len, .system = true});
}

bool
context_instruct_part(Context *c, const ContextPart *asked, const char *text, size_t max)
{
    const Ready *r = get_ready(c, asked, text);
    size_t len = r->len, keep = len;
    g_autofree char *longest = format_cut(asked, len, len);
    ContextPart part = *asked;

    part.title = title_here(c, r);
    size_t frame = strlen(part.title) + sizeof "\n\n:\n\n\n" + strlen(longest);
    size_t room = MIN(context_room(c), max + frame);
    if (holds_mark(c, asked, r->text))
        return refuse_mark(c, &part, r);
    if (frame + len > room)
        keep = frame < room ? text_cut_at(r->text, room - frame) : 0;
    if (keep == 0)
        return len == 0 || leave_out(c, &part, r, NO_ROOM);
    g_autofree char *cut = keep < len ? format_cut(&part, keep, len) : NULL;
    context_put_instruction(c, part.title, r->text, keep, cut);
    note_part(c, &part, r,
              &(Outcome){.shown = keep, .why = cut ? "cut" : NULL, .cut = cut, .system = true});
    return true;
}

/* --- the manifest --- */

GBytes *
context_manifest(Context *c)
{
    size_t bytes = strlen(context_text(c)) + c->system->len;
    char *text = g_strdup_printf("{\"job\":%" G_GINT64_FORMAT
                                 ",\"step\":%d,\"budget\":%zu,\"bytes\":%zu,\"takes\":%u,"
                                 "\"parts\":[%s]}",
                                 c->job, c->step, c->budget, bytes, c->takes, c->parts->str);
    return g_bytes_new_take(text, strlen(text));
}

bool
context_floor(const Context *c, Engine *engine, const char *role, Trust *ret, GError **error)
{
    g_auto(Snapshot) reads = {0};

    *ret = c->floor;
    if (c->unweighed->len > 0)
        snapshot_begin(engine->db, &reads);
    LIST_EACH(const ManifestPart, part, c->unweighed)
        if (!manifest_part_floor(engine, role, part, ret, error))
            return false;
    return true;
}
