/*
 * The bytes of a context: how much room is left, where each piece goes, and the page that they
 * make. What is recorded about them is context.c's affair.
 */
#include "base/digest.h"
#include "engine/context/context_internal.h"

#define NOT_SHOWN "NOT SHOWN"
/* The list of what is not shown has its own part of the budget, so that it can't push anything
 * out, nor grow over it. */
#define LIST_SHARE 8
#define LIST_MIN 200u
#define LIST_MAX 4096u
#define MORE_LINE "- and %u more\n"
#define MORE_ROOM 32u

static void
forget_whole(Context *c)
{
    g_clear_pointer(&c->page, g_free);
    g_clear_pointer(&c->whole, g_free);
}

/* --- room --- */

static size_t
list_room(const Context *c)
{
    return CLAMP(c->budget / LIST_SHARE, LIST_MIN, LIST_MAX);
}

size_t
context_whole_room(const Context *c)
{
    size_t used =
        c->system->len + c->text->len + list_room(c) + (c->end ? strlen(c->end) + 1 : 0);
    return used < c->budget ? c->budget - used : 0;
}

size_t
context_room(const Context *c)
{
    size_t room = context_whole_room(c);
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
append_cut(GString *s, const char *text, size_t keep, const char *cut)
{
    g_string_append_len(s, text, (gssize)keep);
    g_string_append(s, cut ? cut : "");
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
context_put_part(Context *c, const char *title, const char *text, size_t keep, const char *cut)
{
    forget_whole(c);
    append_fence(c, c->text, title);
    append_cut(c->text, text, keep, cut);
    append_fence(c, c->text, "END");
}

void
context_put_instruction(
    Context *c, const char *title, const char *text, size_t keep, const char *cut)
{
    forget_whole(c);
    end_line(c->system);
    g_string_append_printf(c->system, "\n%s:\n\n", title);
    append_cut(c->system, text, keep, cut);
    end_line(c->system);
}

char *
context_file_line(const Context *c, const char *content_type, GBytes *data)
{
    g_autofree char *size = text_format_size(g_bytes_get_size(data));
    return g_strdup_printf("(%s, %s: file %u of those that come with this page)", content_type,
                           size, c->files->len + 1);
}

void
context_put_file(
    Context *c, const char *title, const char *content_type, const char *filename, GBytes *data)
{
    g_autofree char *text = context_file_line(c, content_type, data);
    ContextFile *file = g_new0(ContextFile, 1);

    context_put_part(c, title, text, strlen(text), NULL);
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
    if (c->end) {
        end_line(page);
        g_string_append_printf(page, "%s\n", c->end);
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
    g_autofree char *hex = digest_hex_of(file->data);
    g_autofree char *name = text_vis(file->filename, false);
    g_string_append_printf(whole, "--- file %u: %s, %zu bytes, sha256 %s, %s\n", number,
                           file->content_type, g_bytes_get_size(file->data), hex, name);
}

const char *
context_whole(Context *c)
{
    if (c->system->len == 0 && c->files->len == 0)
        return context_text(c);
    if (c->whole)
        return c->whole;
    GString *whole = g_string_new(CONTEXT_SYSTEM_HEAD);
    g_string_append_len(whole, c->system->str, (gssize)c->system->len);
    g_string_append(whole, CONTEXT_PAGE_HEAD);
    g_string_append(whole, context_text(c));
    for (guint i = 0; i < c->files->len; i++)
        append_file_line(whole, i + 1, g_ptr_array_index(c->files, i));
    c->whole = g_string_free(whole, FALSE);
    return c->whole;
}

void
context_digest(Context *c, Digest *ret)
{
    const char *page = context_text(c);
    bool alone = c->system->len == 0 && c->files->len == 0;
    DigestCtx *sum = alone ? digest_new() : context_digest_begin(c);
    g_autoptr(GString) lines = g_string_new(NULL);

    for (guint i = 0; i < c->files->len; i++)
        append_file_line(lines, i + 1, g_ptr_array_index(c->files, i));
    digest_update(sum, page, strlen(page));
    digest_update(sum, lines->str, lines->len);
    digest_final(sum, ret);
}
