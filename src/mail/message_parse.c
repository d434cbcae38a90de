/*
 * GMime finds the parts of a multipart; everything else is done here and beside, from the
 * original bytes. Three things keep that fast and safe:
 *
 *   - GMime never sees the message's own header block, which header_split() has read already:
 *     it gets the body beneath one Content-Type line.
 *   - A pass over the lines makes GMime's copy of the body, and refuses what GMime would turn
 *     into gigabytes: it makes objects of every part and every header line, and knows no limit
 *     but its depth. In the copy the header of a part ends in an empty line, where the sender
 *     forgot it, and has one Content-Type, since GMime takes the last of two and we the first.
 *   - Messages inside the message stay closed to GMime. It has no switch for that, so their
 *     type is written differently in its copy. They are read here as messages of their own, two
 *     deep.
 *
 * Leaves are ranges of that copy, hence of the body; they are decoded by our own decoders.
 */
#include "base/limits.h"
#include "mail/message.h"
#include "mail/message_head.h"
#include "mail/mime/gmime_late.h"
#include "mail/mime/header.h"
#include "mail/mime/param.h"
#include "mail/mime/part.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeStream, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeParser, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GMimeObject, g_object_unref)

/* Lines that begin with "--" are boundaries or look like it (diffs, SQL); header lines are
 * those between such a line and the next blank one. What real mail has is far below. */
#define DASH_LINES_PER_PART 20u
#define PART_HEADER_LINES 50000u
#define PART_HEADER_BYTES (2u << 20)

#define MAILS_DEEP 2u /* forwarded mails inside forwarded mails that are read */

typedef struct Body {
    const char *data;
    size_t len;
} Body;

typedef struct Frame {
    GMimeMultipart *node;
    int next;
    unsigned group;
} Frame;

/* From this place on the copy has so many bytes more (or less) than before. */
typedef struct Shift {
    size_t at;
    int by;
} Shift;

/* GMime's copy of the body, beneath a Content-Type line of ours. */
typedef struct Copy {
    GByteArray *bytes;
    GArray *shifts; /* of Shift */
    size_t offset;  /* of the body in it */
} Copy;

/* A message, and how deep it lies in others. */
typedef struct Reading {
    MessageWhat what;
    const MessageLimits *limits;
    unsigned depth;
    unsigned *n_inside; /* leaves of all the messages inside */
} Reading;

typedef struct Walk {
    Message *m;
    const Reading *how;
    Body body;
    Copy copy;
    PartList *parts;
    GPtrArray *kept; /* char *: data of leaves that is not in the body */
    unsigned n_leaves, n_groups;
} Walk;

/* ---- before GMime ---- */

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

static void
begin_copy(Copy *copy, const char *type, const char *boundary, size_t len)
{
    g_autoptr(GString) head = g_string_new(NULL);
    g_autofree char *quoted = text_escape(boundary);

    g_string_printf(head, "Content-Type: %s; boundary=\"%s\"\n\n", type, quoted);
    copy->offset = head->len;
    copy->shifts = g_array_new(FALSE, FALSE, sizeof(Shift));
    copy->bytes = g_byte_array_sized_new((guint)(head->len + len));
    g_byte_array_append(copy->bytes, (const guint8 *)head->str, (guint)head->len);
}

static void
copy_clear(Copy *copy)
{
    g_clear_pointer(&copy->bytes, g_byte_array_unref);
    g_clear_pointer(&copy->shifts, g_array_unref);
}

/* The lines of the body on their way into the copy. */
typedef struct Lines {
    Copy *copy;
    const char *from;           /* not yet copied from here on */
    size_t dashes, lines, size; /* of what may be headers of parts */
    bool header;                /* the line in hand may stand in one */
    bool typed;                 /* which has a Content-Type already */
    const char *field;          /* of header_part_body() */
} Lines;

static void
copy_up_to(Lines *l, const char *p)
{
    g_byte_array_append(l->copy->bytes, (const guint8 *)l->from, (guint)(p - l->from));
    l->from = p;
}

/* The header ends before the line p, and the body begins at body: behind a line of blanks, or
 * at p itself. */
static void
end_header(Lines *l, const char *p, const char *body)
{
    Shift shift = {.by = 1 - (int)(body - p)};

    copy_up_to(l, p);
    g_byte_array_append(l->copy->bytes, (const guint8 *)"\n", 1);
    shift.at = l->copy->bytes->len;
    g_array_append_val(l->copy->shifts, shift);
    l->from = body;
    l->header = false;
}

/* A line that may belong to the header of a part. */
static void
copy_header_line(Lines *l, const char *p, size_t len, const char *end)
{
    static const char type[] = "Content-Type";
    bool is_type = len > sizeof type && !g_ascii_strncasecmp(p, type, sizeof type - 1) &&
                   strchr(": \t", p[sizeof type - 1]);
    const char *body = is_type ? NULL : header_part_body(p, end, &l->field);

    l->lines++;
    l->size += len;
    if (body) {
        end_header(l, p, body);
    } else if (is_type && l->typed) {
        copy_up_to(l, p);
        g_byte_array_append(l->copy->bytes, (const guint8 *)"X", 1);
        l->from = p + 1;
    }
    l->typed |= is_type;
}

/* Fills the copy. False when the lines alone say that this is no honest multipart. */
static bool
copy_body(Copy *copy, Body body, const MessageLimits *limits)
{
    Lines l = {.copy = copy, .from = body.data};
    const char *end = body.data + body.len;

    for (const char *p = body.data, *next; p < end; p = next) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        next = lf ? lf + 1 : end;
        size_t len = (size_t)(next - p);
        /* NOLINTNEXTLINE(clang-analyzer-core.*): clean_copy() has filled body.len bytes */
        if (len > 2 && p[0] == '-' && p[1] == '-') {
            l.dashes++;
            l.header = true;
            l.typed = false;
            l.field = NULL;
        } else if (l.header && (*p == '\n' || (*p == '\r' && len == 2))) {
            l.header = false;
        } else if (l.header && p >= l.from) {
            copy_header_line(&l, p, len, end);
        }
    }
    copy_up_to(&l, end);
    close_messages((char *)copy->bytes->data, copy->bytes->len);
    return l.dashes <= (size_t)limits->max_parts * DASH_LINES_PER_PART &&
           l.lines <= PART_HEADER_LINES && l.size <= PART_HEADER_BYTES;
}

/* Where a place in the copy is in the body. */
static size_t
place_in_body(const Copy *copy, size_t at)
{
    size_t place = at - copy->offset;

    for (guint i = 0; i < copy->shifts->len; i++) {
        const Shift *shift = &g_array_index(copy->shifts, Shift, i);
        if (shift->at <= at)
            place -= (size_t)shift->by;
    }
    return place;
}

/* Was the header of the part that begins here ended by us? */
static bool
is_mended(const Copy *copy, size_t at)
{
    for (guint i = 0; i < copy->shifts->len; i++)
        if (g_array_index(copy->shifts, Shift, i).at == at)
            return true;
    return false;
}

void
message_prepare(void)
{
    static bool ready;

    if (!ready)
        g_mime_init();
    ready = true;
}

static GMimeObject *
parse_copy(GByteArray *copy)
{
    message_prepare();
    g_autoptr(GMimeStream) stream = g_mime_stream_mem_new_with_byte_array(copy);
    g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
    g_autoptr(GMimeParser) parser = g_mime_parser_new_with_stream(stream);
    return g_mime_parser_construct_part(parser, NULL);
}

/* ---- the leaves ---- */

/* copy_header_line() has written a second Content-Type like this. */
#define SECOND_TYPE "Xontent-Type"

/* The first field of that name as it stands, unfolded; NULL. Two of them are ambiguous. */
static char *
part_field(Walk *w, GMimeHeaderList *list, const char *name)
{
    char *value = NULL;
    int n = g_mime_header_list_get_count(list);

    for (int i = 0; i < n; i++) {
        GMimeHeader *h = g_mime_header_list_get_header_at(list, i);
        const char *field = g_mime_header_get_name(h);
        bool again = g_ascii_strcasecmp(field, SECOND_TYPE) == 0;
        if (g_ascii_strcasecmp(again ? field + 1 : field, again ? name + 1 : name) != 0)
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
        size_t start = place_in_body(&w->copy, (size_t)stream->bound_start);
        leaf.data += start;
        leaf.len = place_in_body(&w->copy, (size_t)stream->bound_end) - start;
        if (is_mended(&w->copy, (size_t)stream->bound_start))
            w->m->flags |= MSG_DAMAGED;
    }
    partlist_add(w->parts, &leaf);
}

/* A multipart inside in which no part can be found: all of it is a text. */
static void
add_broken(Walk *w, GMimeMultipart *node)
{
    const char *text = g_mime_multipart_get_prologue(node);

    if (!text || *text == '\0')
        return;
    g_ptr_array_add(w->kept, g_strdup(text));
    text = g_ptr_array_index(w->kept, w->kept->len - 1);
    w->n_leaves++;
    w->m->flags |= MSG_DAMAGED;
    partlist_add(w->parts, &(Leaf){.type = "text/plain", .data = text, .len = strlen(text)});
}

static void
push(Walk *w, GArray *stack, GMimeMultipart *node, unsigned group)
{
    GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(node));
    GMimeHeaderList *list = g_mime_object_get_header_list(GMIME_OBJECT(node));

    g_free(part_field(w, list, "Content-Type")); /* flags two of them */
    if (g_mime_content_type_is_type(type, "multipart", "alternative"))
        group = ++w->n_groups;
    if (!node->write_end_boundary)
        w->m->flags |= MSG_DAMAGED;
    if (stack->len > 0 && g_mime_multipart_get_count(node) == 0)
        add_broken(w, node);
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
            if (stack->len >= w->how->limits->max_depth)
                return false;
            push(w, stack, GMIME_MULTIPART(child), top->group);
        } else if (GMIME_IS_PART(child)) {
            if (++w->n_leaves > w->how->limits->max_parts)
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
    if (strlen(boundary) > LIMIT_BOUNDARY) {
        w->m->problem = "too_complex";
        return;
    }
    begin_copy(&w->copy, type->value, boundary, w->body.len);
    if (!copy_body(&w->copy, w->body, w->how->limits)) {
        w->m->problem = "too_complex";
        return;
    }
    g_autoptr(GMimeObject) root = parse_copy(w->copy.bytes);
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

static Message *read_message(const void *raw, size_t len, const Reading *how);

/* PartOpen: a mail inside, unless it lies too deep, is none, or there are too many parts. */
static Message *
open_mail(void *user, const char *data, size_t len)
{
    const Reading *outer = user;
    Reading how = *outer;

    if (how.depth++ >= MAILS_DEEP || *how.n_inside > how.limits->max_parts)
        return NULL;
    g_autoptr(Message) m = read_message(data, len, &how);
    *how.n_inside += m->parts->len;
    return m->problem || *how.n_inside > how.limits->max_parts ? NULL : g_steal_pointer(&m);
}

static void
read_body(Message *m, Body body, bool bare_cr, const Reading *how)
{
    g_autoptr(PartList) parts = partlist_new(how->what == MESSAGE_CONTENT,
                                             how->limits->max_text, open_mail, (void *)how);
    g_autoptr(Params) type = params_parse(header_find(m->headers, "Content-Type"));
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *copy = NULL;

    if (m->flags & MSG_NULS || bare_cr)
        /* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): body points into it */
        copy = clean_copy(&body, m->flags & MSG_NULS, bare_cr);
    Walk w = {.m = m, .how = how, .body = body, .parts = parts, .kept = kept};
    if (g_str_has_prefix(type->value, "multipart/"))
        read_multipart(&w, type);
    else
        read_single(&w);
    copy_clear(&w.copy);
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

static Message *
read_message(const void *raw, size_t len, const Reading *how)
{
    Message *m = g_new0(Message, 1);
    const char *bytes = len > 0 ? raw : "";
    HeaderBlock block;

    m->size = len;
    header_split(bytes, len, how->limits, &block);
    m->headers = block.headers;
    header_body_digest(bytes + block.body, len - block.body, &m->body);
    message_head_read(m, bytes, len);
    m->problem = block.problem;
    if (block.damaged)
        m->flags |= MSG_DAMAGED;
    if (!m->problem && len > LIMIT_MESSAGE_BYTES)
        m->problem = "too_complex";
    if (!m->problem || strcmp(m->problem, "no_headers") == 0)
        look_for_nuls(m, bytes, bytes + len);
    bool readable = !m->problem || strcmp(m->problem, "no_headers") == 0;
    if (block.received > LIMIT_RECEIVED)
        m->problem = "hops";
    if (readable && how->what != MESSAGE_HEADERS) {
        Body body = {bytes + block.body, len - block.body};
        read_body(m, body, block.bare_cr, how);
    }
    if (!m->parts)
        m->parts = msg_parts_new();
    if (!m->files)
        m->files = msg_parts_new();
    if (!m->text)
        m->text = g_strdup("");
    return m;
}

Message *
message_parse(const void *raw, size_t len, MessageWhat what, const MessageLimits *limits)
{
    MessageLimits l = header_limits(limits);
    unsigned n_inside = 0;
    const Reading how = {.what = what, .limits = &l, .n_inside = &n_inside};

    return read_message(raw, len, &how);
}

Message *
message_parse_bytes(GBytes *raw, MessageWhat what)
{
    gsize len = 0;
    const void *data = raw ? g_bytes_get_data(raw, &len) : NULL;

    return message_parse(data, len, what, NULL);
}
