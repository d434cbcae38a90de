#include "engine/context.h"
#include "base/banned.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"

#define CONTEXT_BUDGET (256u << 10)
#define NONCE_CHARS 16
#define TITLE_CHARS 160
#define CUT_NOTE "\n[… cut: this is the beginning, the rest did not fit]"
#define LEFT_OUT "LEFT OUT"

struct Context {
    int64_t job;
    int step;
    char *nonce;
    size_t budget, reserved;
    GString *text;
    GString *left_out; /* one line for each part that is not in text */
    char *whole;       /* text with left_out behind it; NULL: not put together yet */
    json_t *parts;
};

Context *
context_new(const Home *home, const Job *job, size_t budget)
{
    Context *c = g_new0(Context, 1);
    Digest mac;

    c->job = job->id.v;
    c->step = job->steps + 1;
    c->budget = budget ? budget : CONTEXT_BUDGET;
    g_autofree char *what = g_strdup_printf("%" G_GINT64_FORMAT " %d", c->job, c->step);
    key_mac(&home->key, "fence 1", what, strlen(what), &mac);
    c->nonce = digest_token(&mac, NONCE_CHARS);
    c->text = g_string_new(NULL);
    c->left_out = g_string_new(NULL);
    c->parts = json_array();
    return c;
}

void
context_free(Context *c)
{
    if (!c)
        return;
    g_free(c->nonce);
    g_string_free(c->text, TRUE);
    g_string_free(c->left_out, TRUE);
    g_free(c->whole);
    json_decref(c->parts);
    g_free(c);
}

const char *
context_nonce(const Context *c)
{
    return c->nonce;
}

size_t
context_room(const Context *c)
{
    size_t used = c->text->len + c->left_out->len + c->reserved;
    return used < c->budget ? c->budget - used : 0;
}

void
context_reserve(Context *c, size_t bytes)
{
    c->reserved = bytes;
}

static void
end_line(GString *s)
{
    if (s->len > 0 && s->str[s->len - 1] != '\n')
        g_string_append_c(s, '\n');
}

static void
append_fence(Context *c, GString *s, const char *title)
{
    end_line(s);
    g_string_append_printf(s, "=== %s [%s] ===\n", title, c->nonce);
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

static void
note_part(Context *c,
          const char *title,
          const char *id,
          const char *text,
          size_t shown,
          const char *why)
{
    size_t len = strlen(text);
    Digest digest;

    digest_of(text, len, &digest);
    g_autofree char *hex = digest_hex(&digest);
    json_t *part = json_pack("{s:s, s:s, s:I, s:s, s:I}", "title", title, "id", id, "bytes",
                             (json_int_t)len, "digest", hex, "shown", (json_int_t)shown);
    if (why)
        json_object_set_new(part, "why", json_string(why));
    json_array_append_new(c->parts, part);
}

static bool
leave_out(Context *c, const char *title, const char *id, const char *text, const char *why)
{
    g_autofree char *size = text_format_size(strlen(text));

    note_part(c, title, id, text, 0, why);
    g_string_append_printf(c->left_out, "- %s (%s): %s\n", title, size, why);
    return false;
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
show_part(Context *c, const char *asked_title, const char *id, const char *asked, bool may_cut)
{
    g_autofree char *title = safe_title(c, asked_title);
    g_autofree char *text = text_make_valid(asked, -1);
    size_t len = strlen(text), keep = len;
    size_t room = context_room(c), frame = fenced_size(c, title, 0);

    g_clear_pointer(&c->whole, g_free);
    if (strstr(text, c->nonce) || strstr(id, c->nonce))
        return leave_out(c, title, "", text, "it holds a mark that only we may write");
    if (frame + len > room) {
        size_t cut_frame = frame + strlen(CUT_NOTE);
        if (!may_cut || cut_frame >= room)
            return leave_out(c, title, id, text, "no room");
        keep = cut_at(text, room - cut_frame);
    }
    append_fence(c, c->text, title);
    g_string_append_len(c->text, text, (gssize)keep);
    if (keep < len)
        g_string_append(c->text, CUT_NOTE);
    append_fence(c, c->text, "END");
    note_part(c, title, id, text, keep, keep < len ? "cut" : NULL);
    return true;
}

void
context_say(Context *c, const char *text)
{
    g_clear_pointer(&c->whole, g_free);
    end_line(c->text);
    g_string_append(c->text, text);
    end_line(c->text);
}

bool
context_show(Context *c, const char *title, const char *id, const char *text)
{
    return show_part(c, title, id, text, false);
}

bool
context_show_cut(Context *c, const char *title, const char *id, const char *text)
{
    return show_part(c, title, id, text, true);
}

const char *
context_text(Context *c)
{
    if (c->whole)
        return c->whole;
    GString *whole = g_string_new_len(c->text->str, (gssize)c->text->len);
    if (c->left_out->len > 0) {
        append_fence(c, whole, LEFT_OUT);
        g_string_append_len(whole, c->left_out->str, (gssize)c->left_out->len);
        append_fence(c, whole, "END");
    }
    c->whole = g_string_free(whole, FALSE);
    return c->whole;
}

GBytes *
context_manifest(Context *c)
{
    json_int_t bytes = (json_int_t)strlen(context_text(c));
    g_autoptr(json_t) manifest = json_pack("{s:I, s:i, s:I, s:O}", "job", (json_int_t)c->job,
                                           "step", c->step, "bytes", bytes, "parts", c->parts);
    char *text = json_format(manifest);
    return g_bytes_new_take(text, strlen(text));
}

void
context_digest(Context *c, Digest *ret)
{
    const char *text = context_text(c);
    digest_of(text, strlen(text), ret);
}
