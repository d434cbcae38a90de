#include "wire/imap_conn.h"
#include "base/clock.h"
#include "base/secret.h"
#include "wire/imap_scan.h"
#include <poll.h>

#define HARD_US (30 * 60 * USEC_PER_SEC) /* whatever a command carries */
#define SLOWEST 1024u                    /* bytes per second */
#define MAX_RESPONSES 500000u            /* per command */
#define MAX_CAPABILITIES 500u
#define LITERAL_MINUS 4096u /* RFC 7888: longer ones must wait for the server */

/* --- the stream --- */

void
imap_begin(ImapConn *conn)
{
    conn->began_us = clock_mono_us();
    conn->carried = 0;
    conn->n_responses = 0;
}

/* A server that sends a byte per second is late, one that brings 50 MB over a slow line is not.
 */
static int64_t
deadline_us(const ImapConn *conn)
{
    int64_t earned = (int64_t)(conn->carried / SLOWEST) * USEC_PER_SEC;

    return conn->began_us + MIN(conn->time_us + earned, MAX(HARD_US, conn->time_us));
}

static bool
late(const ImapConn *conn, GError **error)
{
    g_autofree char *span = clock_format_span(clock_mono_us() - conn->began_us);
    return err_set(error, ERR_LATER, "the server has not answered within %s", span);
}

static bool
wait_for(ImapConn *conn, short events, GError **error)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = conn->fd, .events = events},
                               {.fd = conn->stop_fd, .events = POLLIN}};
        int64_t left = deadline_us(conn) - clock_mono_us();
        if (left <= 0)
            return late(conn, error);
        int n = poll(fds, G_N_ELEMENTS(fds), (int)MIN(left / USEC_PER_MSEC + 1, 60000));
        if (n < 0 && errno != EINTR)
            return err_set_errno(error, errno, "waiting for the server");
        if (n > 0 && fds[1].revents)
            return err_set(error, ERR_CANCELLED, "we were asked to stop");
        if (n > 0)
            return true;
    }
}

static bool
lost(ImapConn *conn, CURLcode rc, GError **error)
{
    return err_set(error, ERR_LATER, "the connection broke: %s",
                   *conn->curl_said ? conn->curl_said : curl_easy_strerror(rc));
}

/* How many bytes are there now; 0: none, -1: error. */
static gssize
receive(ImapConn *conn, char *buf, size_t size, GError **error)
{
    size_t n = 0;
    CURLcode rc = curl_easy_recv(conn->easy, buf, size, &n);

    if (rc == CURLE_AGAIN)
        return 0;
    if (rc != CURLE_OK)
        return lost(conn, rc, error) - 1;
    if (n == 0)
        return err_set(error, ERR_LATER, "the server closed the connection") - 1;
    conn->carried += n;
    return (gssize)n;
}

static gssize
read_some(void *user, char *buf, size_t size, GError **error)
{
    ImapConn *conn = user;
    gssize n;

    while ((n = receive(conn, buf, size, error)) == 0)
        if (!wait_for(conn, POLLIN, error))
            return -1;
    return n;
}

int
imap_try_read(ImapConn *conn, GError **error)
{
    size_t size;

    if (imap_reader_has_more(conn->reader))
        return 1;
    char *room = imap_reader_room(conn->reader, &size);
    gssize n = receive(conn, room, size, error);
    if (n > 0)
        imap_reader_filled(conn->reader, (size_t)n);
    return n < 0 ? -1 : n > 0;
}

bool
imap_say(ImapConn *conn, const char *line, size_t len, GError **error)
{
    while (len > 0) {
        size_t n = 0;
        CURLcode rc = curl_easy_send(conn->easy, line, len, &n);
        if (rc == CURLE_AGAIN) {
            if (!wait_for(conn, POLLOUT, error))
                return false;
            continue;
        }
        if (rc != CURLE_OK)
            return lost(conn, rc, error);
        conn->carried += n;
        line += n;
        len -= n;
    }
    return true;
}

bool
imap_check(const ImapConn *conn, GError **error)
{
    if (!conn->broken)
        return true;
    return err_pass(error, g_error_copy(conn->broken));
}

bool
imap_break(ImapConn *conn, GError *take_error, GError **error)
{
    if (!conn->broken)
        conn->broken = g_error_copy(take_error);
    return err_pass(error, take_error);
}

bool
imap_is_broken(const ImapConn *conn)
{
    return conn->broken != NULL;
}

void
imap_attach_reader(ImapConn *conn)
{
    conn->reader = imap_reader_new(read_some, conn, 0);
}

/* --- what the server tells unasked --- */

static void
take_capabilities(ImapConn *conn, const ImapResponse *response, ImapSlice words)
{
    ImapScan scan = imap_scan_slice(response, words);
    ImapSlice word;

    g_hash_table_remove_all(conn->capabilities);
    imap_scan_blanks(&scan);
    while (g_hash_table_size(conn->capabilities) < MAX_CAPABILITIES &&
           imap_scan_atom(&scan, &word)) {
        g_hash_table_add(conn->capabilities, g_ascii_strup(word.s, (gssize)word.len));
        imap_scan_blanks(&scan);
    }
}

/* What stands behind the first word of a code: "UIDNEXT 7". */
static ImapSlice
code_rest(ImapSlice code)
{
    const char *blank = memchr(code.s, ' ', code.len);

    if (!blank)
        return (ImapSlice){code.s + code.len, 0};
    return (ImapSlice){blank + 1, code.len - (size_t)(blank + 1 - code.s)};
}

static uint64_t
code_number(const ImapResponse *response, ImapSlice rest, uint64_t max)
{
    ImapScan scan = imap_scan_slice(response, rest);
    uint64_t n = 0;

    return imap_scan_number(&scan, max, &n) && imap_scan_end(&scan) ? n : 0;
}

static void
take_code(ImapConn *conn, const ImapResponse *r)
{
    ImapMailbox *box = &conn->mailbox;

    if (!r->code.len)
        return;
    ImapSlice rest = code_rest(r->code);
    if (imap_slice_begins(r->code, "ALERT")) {
        g_free(conn->alert);
        conn->alert = imap_slice_vis(r->text);
    } else if (imap_slice_begins(r->code, "CAPABILITY")) {
        take_capabilities(conn, r, rest);
    } else if (imap_slice_begins(r->code, "UIDVALIDITY")) {
        box->uidvalidity = (uint32_t)code_number(r, rest, UINT32_MAX);
    } else if (imap_slice_begins(r->code, "UIDNEXT")) {
        box->uidnext = (uint32_t)code_number(r, rest, UINT32_MAX);
    } else if (imap_slice_begins(r->code, "HIGHESTMODSEQ")) {
        box->highestmodseq = code_number(r, rest, INT64_MAX);
    } else if (imap_slice_begins(r->code, "PERMANENTFLAGS")) {
        box->takes_keywords = rest.len > 0 && memmem(rest.s, rest.len, "\\*", 2);
    } else if (imap_slice_begins(r->code, "READ-ONLY")) {
        box->read_only = true;
    }
}

static void
take_data(ImapConn *conn, const ImapResponse *r)
{
    ImapMailbox *box = &conn->mailbox;

    if (r->has_number && imap_slice_is(r->word, "EXISTS")) {
        conn->news |= r->number != box->exists;
        box->exists = r->number;
    } else if (r->has_number && imap_slice_is(r->word, "EXPUNGE")) {
        conn->news = true;
        box->exists -= box->exists > 0;
    } else if (imap_slice_is(r->word, "VANISHED")) {
        conn->news = true;
    } else if (imap_slice_is(r->word, "FETCH")) {
        conn->news |= conn->idling;
    } else if (!r->has_number && imap_slice_is(r->word, "CAPABILITY")) {
        ImapSlice words = {(const char *)r->bytes->data + r->rest, r->bytes->len - r->rest};
        take_capabilities(conn, r, words);
    }
}

const ImapResponse *
imap_hear(ImapConn *conn, GError **error)
{
    const ImapResponse *r = imap_reader_next(conn->reader, error);

    if (!r)
        return NULL;
    if (++conn->n_responses > MAX_RESPONSES) {
        err_set(error, ERR_LIMIT, "the server sends more than %u responses", MAX_RESPONSES);
        return NULL;
    }
    if (r->status == IMAP_DATA && r->kind == IMAP_UNTAGGED)
        take_data(conn, r);
    else if (r->kind != IMAP_CONTINUE)
        take_code(conn, r);
    if (r->kind == IMAP_UNTAGGED && r->status == IMAP_BYE && !conn->leaving) {
        g_autofree char *text = imap_slice_vis(r->text);
        err_set(error, ERR_LATER, "the server says good-bye: %s", text);
        return NULL;
    }
    return r;
}

/* --- one command --- */

void
imap_reply_clear(ImapReply *reply)
{
    g_clear_pointer(&reply->code, g_free);
    g_clear_pointer(&reply->text, g_free);
}

bool
imap_reply_has_code(const ImapReply *reply, const char *word)
{
    return imap_slice_begins((ImapSlice){reply->code, strlen(reply->code)}, word);
}

static bool
is_ours(const ImapConn *conn, ImapSlice tag)
{
    g_autofree char *ours = g_strdup_printf("P%u", conn->tag);
    return imap_slice_is(tag, ours);
}

/* Reads on until the tagged reply (1) or a "+" (0). */
static int
hear_out(ImapConn *conn, const ImapWatch *watch, const ImapResponse **ret, GError **error)
{
    for (;;) {
        const ImapResponse *r = imap_hear(conn, error);
        if (!r)
            return -1;
        *ret = r;
        if (r->kind == IMAP_CONTINUE)
            return 0;
        if (r->kind == IMAP_TAGGED) {
            if (is_ours(conn, r->tag))
                return 1;
            g_autofree char *tag = imap_slice_vis(r->tag);
            return err_set(error, ERR_LATER,
                           "the server answers '%s', which was never asked or is answered",
                           tag) -
                   1;
        }
        if (watch && watch->on_data && !watch->on_data(watch->user, r, error))
            return -1;
    }
}

static bool
say_text(ImapConn *conn, GString *text, GError **error)
{
    bool ok = imap_say(conn, text->str, text->len, error);

    explicit_bzero(text->str, text->len); /* may be a password */
    g_string_truncate(text, 0);
    return ok;
}

static bool
may_not_wait(const ImapConn *conn, size_t len)
{
    return imap_can(conn, "LITERAL+") || (imap_can(conn, "LITERAL-") && len <= LITERAL_MINUS);
}

/* 0: all was sent, 1: the server replied before that (*ret), -1: error. */
static int
say_command(ImapConn *conn,
            const ImapCommand *command,
            const ImapWatch *watch,
            const ImapResponse **ret,
            GError **error)
{
    g_autoptr(GString) text = g_string_sized_new(16u << 10); /* one place for a secret */
    unsigned n = imap_command_n_pieces(command);

    g_string_printf(text, "P%u ", ++conn->tag);
    for (unsigned i = 0; i < n; i++) {
        GBytes *literal = imap_command_literal(command, i);
        size_t len = literal ? g_bytes_get_size(literal) : 0;
        bool at_once = may_not_wait(conn, len);

        g_string_append(text, imap_command_text(command, i));
        if (literal)
            g_string_append_printf(text, "{%zu%s}", len, at_once ? "+" : "");
        g_string_append(text, "\r\n");
        if (!say_text(conn, text, error))
            return -1;
        if (!literal)
            continue;
        int heard = at_once ? 0 : hear_out(conn, watch, ret, error);
        if (heard != 0)
            return heard;
        if (!imap_say(conn, g_bytes_get_data(literal, NULL), len, error))
            return -1;
    }
    return 0;
}

static bool
say_more(ImapConn *conn, const ImapWatch *watch, const ImapResponse *r, GError **error)
{
    char *line = NULL;

    if (!watch || !watch->on_continue)
        return err_set(error, ERR_LATER, "the server asks for more where there is no more");
    if (!watch->on_continue(watch->user, r, &line, error))
        return false;
    bool ok = imap_say(conn, line, strlen(line), error) && imap_say(conn, "\r\n", 2, error);
    secret_free(line);
    return ok;
}

static bool
exchange(ImapConn *conn,
         const ImapCommand *command,
         const ImapWatch *watch,
         ImapReply *ret,
         GError **error)
{
    const ImapResponse *r = NULL;
    int heard = say_command(conn, command, watch, &r, error);

    while (heard == 0) {
        heard = hear_out(conn, watch, &r, error);
        if (heard == 0 && !say_more(conn, watch, r, error))
            return false;
    }
    if (heard < 0)
        return false;
    ret->status = r->status;
    ret->code = imap_slice_vis(r->code);
    ret->text = imap_slice_vis(r->text);
    return true;
}

bool
imap_exchange(ImapConn *conn,
              const ImapCommand *command,
              const ImapWatch *watch,
              ImapReply *ret,
              GError **error)
{
    GError *why = NULL;

    if (!imap_check(conn, error) || !imap_command_check(command, error))
        return false;
    imap_begin(conn);
    return exchange(conn, command, watch, ret, &why) || imap_break(conn, why, error);
}

bool
imap_run(ImapConn *conn, const ImapCommand *command, const ImapWatch *watch, GError **error)
{
    g_auto(ImapReply) reply = {0};

    if (!imap_exchange(conn, command, watch, &reply, error))
        return false;
    return reply.status == IMAP_OK || imap_refused(&reply, ERR_LATER, error);
}

static ErrCode
code_of(const ImapReply *reply, ErrCode by_default)
{
    static const struct {
        const char *word;
        ErrCode code;
    } codes[] = {
        {"UNAVAILABLE", ERR_LATER},
        {"INUSE", ERR_LATER},
        {"LIMIT", ERR_LATER},
        {"OVERQUOTA", ERR_LATER},
        {"SERVERBUG", ERR_LATER},
        {"THROTTLED", ERR_LATER},
        {"AUTHENTICATIONFAILED", ERR_CONFIG},
        {"AUTHORIZATIONFAILED", ERR_CONFIG},
        {"EXPIRED", ERR_CONFIG},
        {"PRIVACYREQUIRED", ERR_CONFIG},
        {"CONTACTADMIN", ERR_CONFIG},
        {"NOPERM", ERR_CONFIG},
        {"CANNOT", ERR_NEVER},
        {"TOOBIG", ERR_NEVER},
        {"CLIENTBUG", ERR_NEVER},
        {"BADCHARSET", ERR_NEVER},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(codes); i++)
        if (imap_reply_has_code(reply, codes[i].word))
            return codes[i].code;
    return reply->status != IMAP_NO && by_default == ERR_LATER ? ERR_NEVER : by_default;
}

bool
imap_refused(const ImapReply *reply, ErrCode by_default, GError **error)
{
    return err_set(error, code_of(reply, by_default), "the server says %s%s%s%s %s",
                   reply->status == IMAP_NO ? "NO" : "BAD", *reply->code ? " [" : "",
                   reply->code, *reply->code ? "]" : "", reply->text);
}

char *
imap_steal_alert(ImapConn *conn)
{
    return g_steal_pointer(&conn->alert);
}

bool
imap_can(const ImapConn *conn, const char *capability)
{
    return g_hash_table_contains(conn->capabilities, capability);
}
