/*
 * UID FETCH. A body goes from the stream to its descriptor as it comes; the rest of its
 * response may stand before or behind it, so whose body it was is known only at the end.
 * Whatever a server sends that was not asked for, comes twice, or can't be read, is thrown
 * away; the others go on.
 */
#include "base/file.h"
#include "wire/imap_conn.h"
#include "wire/imap_item.h"
#include "wire/imap_scan.h"

#define BATCH_MAILS 500u
#define BATCH_RANGES 200u
#define KEPT_BYTES (64u << 10) /* of a literal that is no body */

typedef struct Fetch {
    const ImapFetch *asked;
    const ImapTaker *taker;
    uint64_t max_body;
    ImapSet left; /* asked for and not yet seen */
    bool begun;   /* taker gave a descriptor for the response under way */
} Fetch;

/* --- whose is it --- */

/* The rare body that comes as a quoted string. */
static bool
write_quoted(Fetch *f, ImapItem *item, GError **error)
{
    int fd = f->taker->begin(f->taker->user, item->mail.body_bytes, error);

    if (fd < 0 || !file_write_all(fd, item->quoted, (size_t)item->mail.body_bytes, error))
        return false;
    item->mail.body = IMAP_BODY_WRITTEN;
    return true;
}

/* Unasked news about flags look like an answer that lacks what we asked for. */
static bool
is_answer(const Fetch *f, const ImapItem *item)
{
    if (f->asked->part == IMAP_NO_BODY ? !item->has_size : !item->has_body)
        return false;
    return imap_set_has(&f->left, item->mail.uid);
}

static bool
on_fetch(void *user, const ImapResponse *r, GError **error)
{
    Fetch *f = user;
    g_auto(ImapItem) item = {0};

    if (!r->has_number || !imap_slice_is(r->word, "FETCH"))
        return true;
    bool begun = f->begun, answer = imap_item_parse(r, &item) && is_answer(f, &item);
    f->begun = false;
    if (!answer)
        return !begun || f->taker->done(f->taker->user, NULL, error);
    imap_set_remove(&f->left, item.mail.uid);
    if (f->asked->part != IMAP_NO_BODY && item.quoted && !write_quoted(f, &item, error))
        return false;
    return f->taker->done(f->taker->user, &item.mail, error);
}

/* --- where literals go --- */

static bool
ends_in_body(const ImapResponse *so_far, size_t end)
{
    const char *bytes = (const char *)so_far->bytes->data;

    while (end > 0 && bytes[end - 1] == ' ')
        end--;
    static const char *const names[] = {"BODY[]", "BODY[HEADER]"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        size_t len = strlen(names[i]);
        if (end >= len && g_ascii_strncasecmp(bytes + end - len, names[i], len) == 0)
            return true;
    }
    return false;
}

/* Where the server says first whose body it is, one that nobody wants needs no descriptor. */
static bool
is_unasked(const Fetch *f, const ImapResponse *so_far)
{
    ImapScan scan = imap_scan_rest(so_far);
    ImapSlice name;
    uint64_t uid;

    imap_scan_blanks(&scan);
    if (!imap_scan_char(&scan, '(') || !imap_scan_item(&scan, &name) ||
        !imap_slice_is(name, "UID") || !imap_scan_char(&scan, ' ') ||
        !imap_scan_number(&scan, UINT32_MAX, &uid))
        return false;
    return !imap_set_has(&f->left, (uint32_t)uid);
}

static ImapUse
use_literal(void *user, const ImapResponse *so_far, uint64_t size, int *ret_fd, GError **error)
{
    Fetch *f = user;
    ImapSlice all = {(const char *)so_far->bytes->data, so_far->bytes->len};
    size_t head = all.len - 1;

    while (head > 0 && all.s[head] != '{')
        head--;
    if (!imap_slice_is(so_far->word, "FETCH") || !ends_in_body(so_far, head))
        return size <= KEPT_BYTES ? IMAP_KEEP : IMAP_DROP;
    if (f->begun || f->asked->part == IMAP_NO_BODY || is_unasked(f, so_far) ||
        size > f->max_body)
        return IMAP_DROP;
    *ret_fd = f->taker->begin(f->taker->user, size, error);
    if (*ret_fd < 0)
        return IMAP_REFUSE;
    f->begun = true;
    return IMAP_WRITE;
}

/* --- asking --- */

static ImapCommand *
fetch_command(const ImapConn *conn, const ImapFetch *asked, const ImapSet *uids)
{
    static const char *const parts[] = {[IMAP_NO_BODY] = "",
                                        [IMAP_HEADER] = " BODY.PEEK[HEADER]",
                                        [IMAP_BODY] = " BODY.PEEK[]"};
    g_autofree char *items =
        g_strdup_printf("(UID FLAGS INTERNALDATE RFC822.SIZE%s%s)",
                        conn->mailbox.highestmodseq ? " MODSEQ" : "", parts[asked->part]);
    ImapCommand *command = imap_command_new("UID FETCH");

    imap_command_set(command, uids);
    imap_command_words(command, items);
    if (asked->changed_since) {
        g_autofree char *since =
            g_strdup_printf("(CHANGEDSINCE %" G_GUINT64_FORMAT ")", asked->changed_since);
        imap_command_words(command, since);
    }
    return command;
}

static bool
fetch_batch(ImapConn *conn, Fetch *f, GError **error)
{
    g_autoptr(ImapCommand) command = fetch_command(conn, f->asked, &f->left);
    ImapWatch watch = {.on_data = on_fetch, .user = f};

    imap_reader_set_use(conn->reader, use_literal, f);
    bool ok = imap_run(conn, command, &watch, error);
    imap_reader_set_use(conn->reader, NULL, NULL);
    return ok;
}

bool
imap_fetch(ImapConn *conn, const ImapFetch *asked, const ImapTaker *taker, GError **error)
{
    g_auto(ImapSet) rest = {0};

    for (unsigned i = 0; asked->uids->ranges && i < asked->uids->ranges->len; i++) {
        const ImapRange *range = &g_array_index(asked->uids->ranges, ImapRange, i);
        imap_set_add(&rest, range->first, range->last);
    }
    while (!imap_set_is_empty(&rest)) {
        Fetch f = {.asked = asked, .taker = taker, .max_body = conn->max_body};
        f.left = imap_set_take(&rest, BATCH_MAILS, BATCH_RANGES);
        bool ok = fetch_batch(conn, &f, error);
        imap_set_clear(&f.left);
        if (!ok)
            return err_prefix(error, "fetching mail");
    }
    return true;
}
