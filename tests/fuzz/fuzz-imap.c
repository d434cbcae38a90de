/* Any stream of a server: however the network cuts it, it says the same; memory stays within
 * its limits; and all that reads a response gets along with each. */
#include "base/err.h"
#include "wire/imap_conn.h"
#include "wire/imap_date.h"
#include "wire/imap_item.h"
#include "wire/imap_name.h"
#include "wire/imap_scan.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_RESPONSE 8192u

typedef struct Stream {
    const uint8_t *data;
    size_t size, at, piece;
} Stream;

static gssize
read_stream(void *user, char *buf, size_t size, GError **error)
{
    Stream *s = user;
    size_t n = MIN(MIN(size, s->piece), s->size - s->at);

    if (n == 0)
        return err_set(error, ERR_LATER, "closed") - 1;
    memcpy(buf, s->data + s->at, n);
    s->at += n;
    return (gssize)n;
}

static ImapUse
use_literal(void *user, const ImapResponse *so_far, uint64_t size, int *ret_fd, GError **error)
{
    return size % 2 ? IMAP_KEEP : IMAP_DROP;
}

/* A value, and what it might be. */
static void
look_at_text(const ImapText *text)
{
    int64_t when;

    if (!text->bytes)
        return;
    g_autofree char *name = imap_name_decode(text->bytes);
    if (name) {
        g_autofree char *wire = imap_name_encode(name, NULL);
        g_assert_cmpstr(wire, ==, text->bytes);
    }
    g_auto(ImapSet) set = {0}, again = {0};
    if (text->size && imap_set_parse(text->bytes, (size_t)text->size, &set)) {
        g_autofree char *first = imap_set_format(&set);
        g_assert_true(imap_set_parse(first, strlen(first), &again));
        g_assert_cmpuint(imap_set_count(&set), ==, imap_set_count(&again));
    }
    (void)imap_date_parse(text->bytes, &when);
}

static void
look_at(const ImapResponse *r)
{
    g_auto(ImapItem) item = {0};
    g_autofree char *vis = imap_slice_vis(r->text);
    ImapScan scan = imap_scan_rest(r);

    imap_folder_free(imap_folder_parse(r));
    g_assert_true(g_utf8_validate(vis, -1, NULL));
    (void)imap_item_parse(r, &item);
    while (!imap_scan_end(&scan)) {
        g_auto(ImapText) text = {0};
        size_t before = scan.at;
        imap_scan_blanks(&scan);
        if (imap_scan_text(&scan, &text))
            look_at_text(&text);
        else if (!imap_scan_char(&scan, '(') && !imap_scan_skip(&scan))
            break;
        g_assert_cmpuint(scan.at, >, before);
        g_assert_cmpuint(scan.at, <=, r->bytes->len);
    }
}

/* How it reads in pieces of this size, as a checksum. */
static char *
read_all(const uint8_t *data, size_t size, size_t piece)
{
    Stream stream = {data, size, 0, piece};
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autoptr(ImapReader) reader = imap_reader_new(read_stream, &stream, MAX_RESPONSE);
    g_autoptr(GError) error = NULL;
    const ImapResponse *r;

    imap_reader_set_use(reader, use_literal, NULL);
    while ((r = imap_reader_next(reader, &error))) {
        g_assert_cmpuint(r->bytes->len, <=, MAX_RESPONSE);
        g_checksum_update(sum, r->bytes->data, r->bytes->len);
        g_checksum_update(sum, (const guchar *)(r->has_number ? "\n1" : "\n0"), 2);
        look_at(r);
    }
    g_checksum_update(sum, (const guchar *)error->message, -1);
    return g_strdup(g_checksum_get_string(sum));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *whole = read_all(data, size, SIZE_MAX);
    g_autofree char *pieces = read_all(data, size, 3);

    g_assert_cmpstr(whole, ==, pieces);
    return 0;
}
