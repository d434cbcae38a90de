#include "wire/imap_scan.h"

ImapScan
imap_scan_rest(const ImapResponse *response)
{
    return (ImapScan){.response = response, .at = response->rest, .end = response->bytes->len};
}

ImapScan
imap_scan_slice(const ImapResponse *response, ImapSlice slice)
{
    size_t at = slice.len ? (size_t)(slice.s - (const char *)response->bytes->data) : 0;

    return (ImapScan){.response = response,
                      .at = at,
                      .end = at + slice.len,
                      .next_literal = response->literals->len};
}

static char
peek(const ImapScan *scan)
{
    return (char)scan->response->bytes->data[scan->at];
}

bool
imap_scan_end(const ImapScan *scan)
{
    return scan->at >= scan->end;
}

bool
imap_scan_char(ImapScan *scan, char c)
{
    if (imap_scan_end(scan) || peek(scan) != c)
        return false;
    scan->at++;
    return true;
}

void
imap_scan_blanks(ImapScan *scan)
{
    while (imap_scan_char(scan, ' '))
        ;
}

static ImapSlice
slice_from(const ImapScan *scan, size_t from)
{
    return (ImapSlice){(const char *)scan->response->bytes->data + from, scan->at - from};
}

static bool
in_atom(char c)
{
    return c != ' ' && c != '(' && c != ')' && c != '"';
}

/* The literal that begins where the cursor is; NULL: none does. */
static const ImapLiteral *
literal_here(const ImapScan *scan)
{
    const GArray *literals = scan->response->literals;

    if (scan->next_literal >= literals->len)
        return NULL;
    const ImapLiteral *literal = &g_array_index(literals, ImapLiteral, scan->next_literal);
    return literal->at == scan->at ? literal : NULL;
}

bool
imap_scan_atom(ImapScan *scan, ImapSlice *ret)
{
    size_t from = scan->at;

    while (!imap_scan_end(scan) && in_atom(peek(scan)) && !literal_here(scan))
        scan->at++;
    if (scan->at == from)
        return false;
    *ret = slice_from(scan, from);
    return true;
}

bool
imap_scan_item(ImapScan *scan, ImapSlice *ret)
{
    size_t from = scan->at;
    bool bracket = false;

    for (; !imap_scan_end(scan) && !literal_here(scan); scan->at++) {
        char c = peek(scan);
        if (!bracket && !in_atom(c))
            break;
        if (c == '[')
            bracket = true;
        else if (c == ']')
            bracket = false;
    }
    if (scan->at == from)
        return false;
    *ret = slice_from(scan, from);
    return true;
}

bool
imap_scan_number(ImapScan *scan, uint64_t max, uint64_t *ret)
{
    size_t from = scan->at;
    uint64_t n = 0;

    while (!imap_scan_end(scan) && g_ascii_isdigit(peek(scan))) {
        uint64_t digit = (uint64_t)(peek(scan) - '0');
        if (n > (max - digit) / 10) {
            scan->at = from;
            return false;
        }
        n = n * 10 + digit;
        scan->at++;
    }
    if (scan->at == from)
        return false;
    *ret = n;
    return true;
}

void
imap_text_clear(ImapText *text)
{
    g_clear_pointer(&text->bytes, g_free);
}

static char *
copy_bytes(const ImapScan *scan, size_t at, size_t len)
{
    char *copy = g_malloc(len + 1);

    if (len)
        memcpy(copy, scan->response->bytes->data + at, len);
    copy[len] = '\0';
    return copy;
}

/* Moves behind the literal; *ret_at is where its bytes are. */
static const ImapLiteral *
pass_literal(ImapScan *scan, size_t *ret_at)
{
    const ImapLiteral *literal = literal_here(scan);

    if (!literal)
        return NULL;
    while (peek(scan) != '}')
        scan->at++;
    *ret_at = ++scan->at;
    if (literal->kept)
        scan->at += literal->len;
    scan->next_literal++;
    return literal;
}

static bool
scan_literal(ImapScan *scan, ImapText *ret)
{
    size_t at;

    if (!imap_scan_end(scan) && peek(scan) == '~') { /* literal8 */
        scan->at++;
        if (!literal_here(scan))
            scan->at--;
    }
    const ImapLiteral *literal = pass_literal(scan, &at);
    if (!literal)
        return false;
    *ret = (ImapText){.is_literal = true,
                      .is_written = literal->written,
                      .size = literal->len,
                      .bytes = literal->kept ? copy_bytes(scan, at, literal->len) : NULL};
    return true;
}

static bool
scan_quoted(ImapScan *scan, ImapText *ret)
{
    size_t from = scan->at;

    if (!imap_scan_char(scan, '"'))
        return false;
    GString *text = g_string_new(NULL);
    while (!imap_scan_end(scan) && peek(scan) != '"') {
        if (peek(scan) == '\\' && scan->at + 1 < scan->end)
            scan->at++;
        g_string_append_c(text, peek(scan));
        scan->at++;
    }
    if (!imap_scan_char(scan, '"')) {
        scan->at = from;
        g_string_free(text, true);
        return false;
    }
    *ret = (ImapText){.size = text->len};
    ret->bytes = g_string_free(text, false);
    return true;
}

bool
imap_scan_text(ImapScan *scan, ImapText *ret)
{
    ImapSlice atom;

    if (scan_literal(scan, ret) || scan_quoted(scan, ret))
        return true;
    if (!imap_scan_atom(scan, &atom))
        return false;
    *ret = (ImapText){.is_nil = imap_slice_is(atom, "NIL"), .size = atom.len};
    if (!ret->is_nil)
        ret->bytes = copy_bytes(scan, scan->at - atom.len, atom.len);
    return true;
}

static bool
skip_one(ImapScan *scan)
{
    g_auto(ImapText) text = {0};
    ImapSlice item;

    return scan_literal(scan, &text) || scan_quoted(scan, &text) || imap_scan_item(scan, &item);
}

bool
imap_scan_skip(ImapScan *scan)
{
    ImapScan try = *scan;
    size_t depth = 0;

    do {
        imap_scan_blanks(&try);
        if (imap_scan_char(&try, '('))
            depth++;
        else if (depth > 0 && imap_scan_char(&try, ')'))
            depth--;
        else if (!skip_one(&try))
            return false;
    } while (depth > 0);
    *scan = try;
    return true;
}
