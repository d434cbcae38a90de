#include "wire/imap_response.h"
#include "base/file.h"
#include "base/secret.h"

#define BUFFER_BYTES (64u << 10)
#define MAX_RESPONSE (4u << 20)
#define MAX_LITERALS 1000u
#define MAX_LITERAL (UINT64_C(2) << 30) /* no mail system has longer mails */
#define VIS_CHARS 200u

struct ImapReader {
    ImapReadFn read;
    void *read_user;
    ImapUseFn use;
    void *use_user;
    size_t max_response;
    char *buf;
    size_t pos, len;
    ImapResponse response;
};

ImapReader *
imap_reader_new(ImapReadFn read, void *user, size_t max_response)
{
    ImapReader *r = g_new0(ImapReader, 1);

    r->read = read;
    r->read_user = user;
    r->max_response = max_response ? max_response : MAX_RESPONSE;
    r->buf = g_malloc(BUFFER_BYTES);
    r->response.bytes = g_byte_array_new();
    r->response.literals = g_array_new(false, false, sizeof(ImapLiteral));
    return r;
}

void
imap_reader_free(ImapReader *r)
{
    if (!r)
        return;
    g_byte_array_unref(r->response.bytes);
    g_array_unref(r->response.literals);
    free_all(r->buf, r);
}

void
imap_reader_set_use(ImapReader *r, ImapUseFn use, void *user)
{
    r->use = use;
    r->use_user = user;
}

bool
imap_reader_has_more(const ImapReader *r)
{
    return r->pos < r->len;
}

char *
imap_reader_room(ImapReader *r, size_t *ret_size)
{
    *ret_size = BUFFER_BYTES;
    return r->buf;
}

void
imap_reader_filled(ImapReader *r, size_t len)
{
    r->pos = 0;
    r->len = len;
}

/* --- slices --- */

bool
imap_slice_is(ImapSlice slice, const char *word)
{
    return slice.len == strlen(word) && g_ascii_strncasecmp(slice.s, word, slice.len) == 0;
}

bool
imap_slice_begins(ImapSlice slice, const char *word)
{
    const char *blank = slice.len ? memchr(slice.s, ' ', slice.len) : NULL;

    if (blank)
        slice.len = (size_t)(blank - slice.s);
    return imap_slice_is(slice, word);
}

char *
imap_slice_vis(ImapSlice slice)
{
    g_autofree char *valid =
        secret_hide(text_make_valid(slice.s ? slice.s : "", (gssize)slice.len));
    g_autofree char *brief = text_shorten(g_strstrip(valid), VIS_CHARS);

    return text_vis(brief, false);
}

/* --- lines --- */

static bool
no_imap(const ImapResponse *response, GError **error)
{
    ImapSlice all = {(const char *)response->bytes->data, response->bytes->len};
    g_autofree char *line = imap_slice_vis(all);

    return err_set(error, ERR_LATER, "the server does not speak IMAP: '%s'", line);
}

static bool
too_long(const ImapReader *r, GError **error)
{
    g_autofree char *size = text_format_size(r->max_response);
    return err_set(error, ERR_LIMIT, "the server's response is longer than %s", size);
}

static bool
fill(ImapReader *r, GError **error)
{
    gssize n = r->read(r->read_user, r->buf, BUFFER_BYTES, error);

    if (n <= 0)
        return false;
    imap_reader_filled(r, (size_t)n);
    return true;
}

/* Appends up to and without the line end. A bare LF ends a line too: some servers write one. */
static bool
read_line(ImapReader *r, size_t start, GError **error)
{
    GByteArray *bytes = r->response.bytes;
    const char *end = NULL;

    while (!end) {
        if (!imap_reader_has_more(r) && !fill(r, error))
            return false;
        size_t n = r->len - r->pos;
        end = memchr(r->buf + r->pos, '\n', n);
        if (end)
            n = (size_t)(end - (r->buf + r->pos));
        if (n > r->max_response - bytes->len)
            return too_long(r, error);
        g_byte_array_append(bytes, (const guint8 *)r->buf + r->pos, (guint)n);
        r->pos += n + (end != NULL);
    }
    if (bytes->len > start && bytes->data[bytes->len - 1] == '\r')
        g_byte_array_set_size(bytes, bytes->len - 1);
    return true;
}

/* --- literals --- */

/* 1: the bytes from start on end in a literal's head, 0: they don't, -1: in a broken one. */
static int
literal_head(const GByteArray *bytes, size_t start, size_t *ret_at, uint64_t *ret_size)
{
    size_t end = bytes->len, at = end;
    uint64_t size = 0;

    if (end == start || bytes->data[end - 1] != '}')
        return 0;
    while (at > start && bytes->data[at - 1] != '{')
        at--;
    if (at == start)
        return 0;
    size_t digits = end - 1 - at;
    /* "{5+}": only clients may say so, but what it means is clear. */
    if (digits > 0 && bytes->data[end - 2] == '+')
        digits--;
    if (digits == 0 || digits > 18)
        return -1;
    for (size_t i = at; i < at + digits; i++) {
        if (!g_ascii_isdigit(bytes->data[i]))
            return -1;
        size = size * 10 + (uint64_t)(bytes->data[i] - '0');
    }
    *ret_at = at - 1;
    *ret_size = size;
    return 1;
}

/* Moves size bytes from the stream: into the response (kept), a descriptor, or nowhere (-1). */
static bool
move_bytes(ImapReader *r, uint64_t size, bool kept, int fd, GError **error)
{
    while (size > 0) {
        if (!imap_reader_has_more(r) && !fill(r, error))
            return false;
        size_t n = (size_t)MIN(size, r->len - r->pos);
        if (kept)
            g_byte_array_append(r->response.bytes, (const guint8 *)r->buf + r->pos, (guint)n);
        else if (fd >= 0 && !file_write_all(fd, r->buf + r->pos, n, error))
            return false;
        r->pos += n;
        size -= n;
    }
    return true;
}

static bool
take_literal(ImapReader *r, size_t at, uint64_t size, GError **error)
{
    ImapResponse *response = &r->response;
    int fd = -1;

    if (size >= MAX_LITERAL || response->literals->len >= MAX_LITERALS)
        return err_set(error, ERR_LIMIT,
                       "the server sends %" G_GUINT64_FORMAT
                       " bytes at once, or more than %u pieces",
                       size, MAX_LITERALS);
    ImapUse use = r->use ? r->use(r->use_user, response, size, &fd, error) : IMAP_KEEP;
    if (use == IMAP_REFUSE)
        return false;
    if (use == IMAP_KEEP && size > r->max_response - response->bytes->len)
        return too_long(r, error);
    ImapLiteral literal = {
        .at = at, .len = (size_t)size, .kept = use == IMAP_KEEP, .written = use == IMAP_WRITE};
    g_array_append_val(response->literals, literal);
    return move_bytes(r, size, literal.kept, literal.written ? fd : -1, error);
}

/* --- the head of a response --- */

static ImapSlice
slice_of(const ImapResponse *response, size_t from, size_t to)
{
    return (ImapSlice){(const char *)response->bytes->data + from, to - from};
}

/* The word at *at, which is moved behind it and one blank. */
static ImapSlice
next_word(const ImapResponse *response, size_t *at)
{
    const GByteArray *bytes = response->bytes;
    size_t from = *at;

    while (*at < bytes->len && bytes->data[*at] != ' ')
        (*at)++;
    ImapSlice word = slice_of(response, from, *at);
    if (*at < bytes->len)
        (*at)++;
    return word;
}

static ImapStatus
status_of(ImapSlice word)
{
    static const char *const names[] = {[IMAP_OK] = "OK",
                                        [IMAP_NO] = "NO",
                                        [IMAP_BAD] = "BAD",
                                        [IMAP_BYE] = "BYE",
                                        [IMAP_PREAUTH] = "PREAUTH"};

    for (unsigned i = IMAP_OK; i < G_N_ELEMENTS(names); i++)
        if (imap_slice_is(word, names[i]))
            return (ImapStatus)i;
    return IMAP_DATA;
}

/* "[CODE…] text" */
static void
split_text(ImapResponse *response, size_t at)
{
    const GByteArray *bytes = response->bytes;

    response->text = slice_of(response, at, bytes->len);
    if (at == bytes->len || bytes->data[at] != '[')
        return;
    const guint8 *close = memchr(bytes->data + at, ']', bytes->len - at);
    if (!close)
        return;
    size_t end = (size_t)(close - bytes->data);
    response->code = slice_of(response, at + 1, end);
    response->text = slice_of(response, MIN(end + 1, bytes->len), bytes->len);
}

/* A number in front of the word; more than 32 bits is none. */
static bool
number_of(ImapSlice word, uint32_t *ret)
{
    uint64_t n = 0;

    if (word.len == 0 || word.len > 10)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (!g_ascii_isdigit(word.s[i]))
            return false;
        n = n * 10 + (uint64_t)(word.s[i] - '0');
    }
    *ret = (uint32_t)n;
    return n <= UINT32_MAX;
}

static bool
is_tag(ImapSlice word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!g_ascii_isalnum(word.s[i]))
            return false;
    return word.len > 0 && word.len <= 32;
}

/* What can be told from the beginning; false: this is no response at all. */
static bool
parse_head(ImapResponse *response)
{
    size_t at = 0;
    ImapSlice first = next_word(response, &at);

    response->tag = response->code = response->text = response->word = (ImapSlice){0};
    response->has_number = false;
    response->number = 0;
    response->status = IMAP_DATA;
    response->rest = response->bytes->len;
    if (imap_slice_is(first, "+")) {
        response->kind = IMAP_CONTINUE;
        response->text = slice_of(response, at, response->bytes->len);
        return true;
    }
    response->kind = imap_slice_is(first, "*") ? IMAP_UNTAGGED : IMAP_TAGGED;
    if (response->kind == IMAP_TAGGED)
        response->tag = first;
    ImapSlice word = next_word(response, &at);
    response->status = status_of(word);
    if (response->status != IMAP_DATA) {
        split_text(response, at);
        return response->kind == IMAP_UNTAGGED || is_tag(first);
    }
    response->has_number = number_of(word, &response->number);
    response->word = response->has_number ? next_word(response, &at) : word;
    response->rest = at;
    return response->kind == IMAP_UNTAGGED && response->word.len > 0;
}

const ImapResponse *
imap_reader_next(ImapReader *r, GError **error)
{
    ImapResponse *response = &r->response;
    size_t start = 0, at;
    uint64_t size;
    int literal = 1;

    g_byte_array_set_size(response->bytes, 0);
    g_array_set_size(response->literals, 0);
    for (; literal == 1; start = response->bytes->len) {
        if (!read_line(r, start, error))
            return NULL;
        if (!parse_head(response)) {
            no_imap(response, error);
            return NULL;
        }
        if (response->status != IMAP_DATA || response->kind == IMAP_CONTINUE)
            return response;
        literal = literal_head(response->bytes, start, &at, &size);
        if (literal == 1 && !take_literal(r, at, size, error))
            return NULL;
    }
    if (literal < 0) {
        no_imap(response, error);
        return NULL;
    }
    parse_head(response); /* again: the bytes may have moved */
    return response;
}
