/*
 * GMime finds the parts of a multipart; everything else is done here and beside, from the
 * original bytes. Three things keep that fast and safe:
 *
 *   - GMime never sees the message's own header block, which header_split() has read already:
 *     it gets the body beneath one Content-Type line.
 *   - A pass over the lines comes first and refuses what GMime would turn into gigabytes: it
 *     makes objects of every part and every header line, and knows no limit but its depth.
 *   - Messages inside the message stay closed. GMime has no switch for that, so their type is
 *     written differently in its copy.
 *
 * Leaves are ranges of that copy, hence of the body; they are decoded by our own decoders.
 */
#include "base/banned.h"
#include "base/limits.h"
#include "mail/header.h"
#include "mail/message.h"
#include "mail/message_head.h"
#include "mail/param.h"
#include "mail/part.h"
#include <gmime/gmime.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeStream, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeParser, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeObject, g_object_unref)

/* Lines that begin with "--" are boundaries or look like it (diffs, SQL); header lines are
 * those between such a line and the next blank one. What real mail has is far below. */
#define DASH_LINES_PER_PART 20u
#define PART_HEADER_LINES 50000u
#define PART_HEADER_BYTES (2u << 20)

typedef struct Body {
    const char *data;
    size_t len;
} Body;

typedef struct Frame {
    GMimeMultipart *node;
    int next;
    unsigned group;
} Frame;

typedef struct Walk {
    Message *m;
    const MessageLimits *limits;
    Body body;
    size_t offset; /* of the body in GMime's copy */
    PartList *parts;
    unsigned n_leaves, n_groups;
} Walk;

/* ---- before GMime ---- */

/* True when the lines alone say that this is no honest multipart. */
static bool
is_bomb(Body body, const MessageLimits *limits)
{
    size_t dashes = 0, lines = 0, bytes = 0;
    bool header = false;

    for (const char *p = body.data, *end = p + body.len, *next; p < end; p = next) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        next = lf ? lf + 1 : end;
        size_t len = (size_t)(next - p);
        /* NOLINTNEXTLINE(clang-analyzer-core.*): clean_copy() has filled body.len bytes */
        if (len > 2 && p[0] == '-' && p[1] == '-') {
            dashes++;
            header = true;
        } else if (header && (*p == '\n' || (*p == '\r' && len == 2))) {
            header = false;
        } else if (header) {
            lines++;
            bytes += len;
        }
    }
    return dashes > (size_t)limits->max_parts * DASH_LINES_PER_PART ||
           lines > PART_HEADER_LINES || bytes > PART_HEADER_BYTES;
}

/* "message/…" becomes "xessage/…", "multipart/digest" (whose parts are messages by default)
 * "multipart/xigest". Nothing is decoded from this copy. */
static void
close_messages(char *p, size_t len)
{
    char *end = p + len;

    for (char *slash = memchr(p, '/', len); slash;
         slash = memchr(slash + 1, '/', (size_t)(end - slash - 1))) {
        if (slash - p >= 7 && g_ascii_strncasecmp(slash - 7, "message", 7) == 0)
            slash[-7] = 'x';
        else if (slash - p >= 9 && end - slash > 6 && (slash[1] | 0x20) == 'd' &&
                 g_ascii_strncasecmp(slash - 9, "multipart/digest", 16) == 0)
            slash[1] = 'x';
    }
}

/* The body beneath a Content-Type line of ours; *ret_offset: where the body begins. */
static GByteArray *
make_copy(const char *type, const char *boundary, Body body, size_t *ret_offset)
{
    g_autoptr(GString) head = g_string_new("Content-Type: ");

    g_string_append_printf(head, "%s; boundary=\"", type);
    for (const char *c = boundary; *c; c++) {
        if (*c == '"' || *c == '\\')
            g_string_append_c(head, '\\');
        g_string_append_c(head, *c);
    }
    g_string_append(head, "\"\n\n");
    *ret_offset = head->len;
    GByteArray *copy = g_byte_array_sized_new((guint)(head->len + body.len));
    g_byte_array_append(copy, (const guint8 *)head->str, (guint)head->len);
    g_byte_array_append(copy, (const guint8 *)body.data, (guint)body.len);
    close_messages((char *)copy->data, copy->len);
    return copy;
}

static GMimeObject *
parse_copy(GByteArray *copy)
{
    static bool ready;

    if (!ready)
        g_mime_init();
    ready = true;
    g_autoptr(GMimeStream) stream = g_mime_stream_mem_new_with_byte_array(copy);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
    g_autoptr(GMimeParser) parser = g_mime_parser_new_with_stream(stream);
    return g_mime_parser_construct_part(parser, NULL);
}

/* ---- the leaves ---- */

/* The first field of that name as it stands, unfolded; NULL. Two of them are ambiguous. */
static char *
part_field(Walk *w, GMimeHeaderList *list, const char *name)
{
    char *value = NULL;
    int n = g_mime_header_list_get_count(list);

    for (int i = 0; i < n; i++) {
        GMimeHeader *h = g_mime_header_list_get_header_at(list, i);
        if (g_ascii_strcasecmp(g_mime_header_get_name(h), name) != 0)
            continue;
        if (value) {
            w->m->flags |= MSG_AMBIGUOUS;
            break;
        }
        const char *raw = g_mime_header_get_raw_value(h);
        value = header_unfold(raw, strlen(raw));
    }
    return value;
}

/* Takes back what close_messages() did. */
static char *
open_type(char *type, bool in_digest)
{
    if (type && g_ascii_strncasecmp(type, "xessage/", 8) == 0)
        type[0] = 'm';
    return !type && in_digest ? g_strdup("message/rfc822") : type;
}

static bool
is_digest(GMimeMultipart *node)
{
    GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(node));

    return g_mime_content_type_is_type(type, "multipart", "xigest");
}

static void
add_leaf(Walk *w, GMimePart *part, const Frame *parent)
{
    GMimeHeaderList *list = g_mime_object_get_header_list(GMIME_OBJECT(part));
    GMimeDataWrapper *content = g_mime_part_get_content(part);
    GMimeStream *stream = content ? g_mime_data_wrapper_get_stream(content) : NULL;
    g_autofree char *type = part_field(w, list, "Content-Type");
    g_autofree char *disposition = part_field(w, list, "Content-Disposition");
    g_autofree char *encoding = part_field(w, list, "Content-Transfer-Encoding");
    Leaf leaf = {.disposition = disposition, .encoding = encoding, .group = parent->group};

    type = open_type(type, is_digest(parent->node));
    leaf.type = type;
    leaf.data = w->body.data;
    if (stream && stream->bound_end > stream->bound_start) {
        leaf.data += (size_t)stream->bound_start - w->offset;
        leaf.len = (size_t)(stream->bound_end - stream->bound_start);
    }
    partlist_add(w->parts, &leaf);
}

static void
push(Walk *w, GArray *stack, GMimeMultipart *node, unsigned group)
{
    GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(node));

    if (g_mime_content_type_is_type(type, "multipart", "alternative"))
        group = ++w->n_groups;
    if (!node->write_end_boundary)
        w->m->flags |= MSG_DAMAGED;
    g_array_append_val(stack, ((Frame){.node = node, .group = group}));
}

/* All leaves below the root, in order; false beyond a limit. */
static bool
walk(Walk *w, GMimeMultipart *root)
{
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Frame));

    push(w, stack, root, 0);
    while (stack->len > 0) {
        Frame *top = &g_array_index(stack, Frame, stack->len - 1);
        if (top->next == g_mime_multipart_get_count(top->node)) {
            g_array_set_size(stack, stack->len - 1);
            continue;
        }
        GMimeObject *child = g_mime_multipart_get_part(top->node, top->next++);
        if (GMIME_IS_MULTIPART(child)) {
            if (stack->len >= w->limits->max_depth)
                return false;
            push(w, stack, GMIME_MULTIPART(child), top->group);
        } else if (GMIME_IS_PART(child)) {
            if (++w->n_leaves > w->limits->max_parts)
                return false;
            add_leaf(w, GMIME_PART(child), top);
        }
    }
    return true;
}

/* ---- the body ---- */

/* The whole body as one leaf. */
static void
read_single(Walk *w)
{
    partlist_add(w->parts,
                 &(Leaf){.type = header_find(w->m->headers, "Content-Type"),
                         .disposition = header_find(w->m->headers, "Content-Disposition"),
                         .encoding = header_find(w->m->headers, "Content-Transfer-Encoding"),
                         .data = w->body.data,
                         .len = w->body.len});
}

/* A multipart in which no part can be found: shown as it is. */
static void
read_broken(Walk *w)
{
    w->m->flags |= MSG_DAMAGED;
    partlist_add(w->parts,
                 &(Leaf){.type = "text/plain", .data = w->body.data, .len = w->body.len});
}

static void
read_multipart(Walk *w, const Params *type)
{
    const char *boundary = params_find(type, "boundary");
    const char *encoding = header_find(w->m->headers, "Content-Transfer-Encoding");

    if (type->repeated || type->too_many)
        w->m->flags |= MSG_AMBIGUOUS;
    if (encoding && !g_ascii_strncasecmp(encoding, "base64", 6)) /* RFC 2045 6.4 forbids it */
        w->m->flags |= MSG_DAMAGED;
    if (!boundary || boundary[0] == '\0') {
        read_broken(w);
        return;
    }
    if (strlen(boundary) > LIMIT_BOUNDARY || is_bomb(w->body, w->limits)) {
        w->m->problem = "too_complex";
        return;
    }
    g_autoptr(GByteArray) copy = make_copy(type->value, boundary, w->body, &w->offset);
    g_autoptr(GMimeObject) root = parse_copy(copy);
    if (!root || !GMIME_IS_MULTIPART(root))
        read_broken(w);
    else if (!walk(w, GMIME_MULTIPART(root)))
        w->m->problem = "too_complex";
    else if (w->n_leaves == 0)
        read_broken(w);
}

/* Without NULs, and with CR as a line end where the header block has it so. */
static char *
clean_copy(Body *body, bool nuls, bool bare_cr)
{
    char *copy = g_malloc(body->len + 1);
    size_t n = 0;

    for (size_t i = 0; i < body->len; i++) {
        char c = body->data[i];
        bool bare = bare_cr && c == '\r' && (i + 1 == body->len || body->data[i + 1] != '\n');
        if (!nuls || c != '\0')
            copy[n++] = bare ? '\n' : c;
    }
    *body = (Body){copy, n};
    return copy;
}

static void
read_body(Message *m, Body body, bool bare_cr, MessageWhat what, const MessageLimits *limits)
{
    g_autoptr(PartList) parts = partlist_new(what == MESSAGE_CONTENT, limits->max_text);
    g_autoptr(Params) type = params_parse(header_find(m->headers, "Content-Type"));
    g_autofree char *copy = NULL;

    if (m->flags & MSG_NULS || bare_cr)
        /* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): body points into it */
        copy = clean_copy(&body, m->flags & MSG_NULS, bare_cr);
    Walk w = {.m = m, .limits = limits, .body = body, .parts = parts};
    if (g_str_has_prefix(type->value, "multipart/"))
        read_multipart(&w, type);
    else
        read_single(&w);
    partlist_finish(parts, m);
}

/* Counts at most LIMIT_NULS + 1. */
static void
look_for_nuls(Message *m, const char *p, const char *end)
{
    unsigned n = 0;

    while (n <= LIMIT_NULS && p < end && (p = memchr(p, '\0', (size_t)(end - p)))) {
        n++;
        p++;
    }
    if (n > 0)
        m->flags |= MSG_NULS;
    if (n > LIMIT_NULS)
        m->problem = "nuls";
}

Message *
message_parse(const void *raw, size_t len, MessageWhat what, const MessageLimits *limits)
{
    MessageLimits l = header_limits(limits);
    Message *m = g_new0(Message, 1);
    const char *bytes = len > 0 ? raw : "";
    HeaderBlock block;

    m->size = len;
    header_split(bytes, len, &l, &block);
    m->headers = block.headers;
    header_body_digest(bytes + block.body, len - block.body, &m->body);
    message_head_read(m, bytes, len);
    m->problem = block.problem;
    if (!m->problem && len > LIMIT_MESSAGE_BYTES)
        m->problem = "too_complex";
    if (!m->problem || strcmp(m->problem, "no_headers") == 0)
        look_for_nuls(m, bytes, bytes + len);
    bool readable = !m->problem || strcmp(m->problem, "no_headers") == 0;
    if (block.received > LIMIT_RECEIVED)
        m->problem = "hops";
    if (readable && what != MESSAGE_HEADERS) {
        Body body = {bytes + block.body, len - block.body};
        read_body(m, body, block.bare_cr, what, &l);
    }
    if (!m->parts)
        m->parts = g_ptr_array_new();
    if (!m->text)
        m->text = g_strdup("");
    return m;
}
