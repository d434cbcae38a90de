/*
 * The connection until it is logged in. libcurl speaks IMAP up to the login only: greeting,
 * CAPABILITY, STARTTLS, which it refuses when something stands behind the server's go-ahead or
 * when it is not offered. It gets no user, so it logs in nowhere: our own login can tell why it
 * failed, and knows exactly which stream it writes to. What the server claimed before TLS is
 * forgotten with libcurl's part.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "wire/http.h"
#include "wire/imap_conn.h"
#include <poll.h>

#define TIME_US (60 * USEC_PER_SEC)
#define IDLE_US (25 * 60 * USEC_PER_SEC) /* servers may hang up after 29 minutes */
#define LOGOUT_US (2 * USEC_PER_SEC)
#define KEEPALIVE_S 120L
#define KEEPALIVE_PROBE_S 30L
#define MAX_TOLD 8192u /* bytes of what libcurl was told that we look at */

/* --- libcurl's part --- */

static int
on_progress(void *user, curl_off_t dt, curl_off_t dn, curl_off_t ut, curl_off_t un)
{
    const ImapConn *conn = user;
    struct pollfd stop = {.fd = conn->stop_fd, .events = POLLIN};

    return poll(&stop, 1, 0) > 0; /* breaks it off */
}

/* The server's lines before the login: only to say why it went wrong. */
static size_t
on_line(char *data, size_t size, size_t n, void *user)
{
    GString *told = user;

    if (told->len + size * n <= MAX_TOLD)
        g_string_append_len(told, data, (gssize)(size * n));
    return size * n;
}

/* An IPv6 address needs its brackets. */
static char *
host_of(const ImapOptions *options)
{
    bool v6 = strchr(options->host, ':') && options->host[0] != '[';
    return g_strdup_printf("%s%s%s", v6 ? "[" : "", options->host, v6 ? "]" : "");
}

static char *
authority(const ImapOptions *options)
{
    unsigned usual = options->tls == IMAP_TLS_IMPLICIT ? 993 : 143;
    g_autofree char *host = host_of(options);

    return g_strdup_printf("%s:%u", host, options->port ? options->port : usual);
}

/* ERR_CONFIG for what is no host, and for a password in the clear. */
static bool
check_options(const ImapOptions *options, const char *where, GError **error)
{
    g_auto(HttpPlace) place = {0};
    g_autofree char *url = g_strdup_printf("https://%s/", where), *host = host_of(options);

    if (!http_place_parse(url, &place, NULL) || g_ascii_strcasecmp(place.host, host) != 0)
        return err_set(error, ERR_CONFIG, "'%s' is no host", options->host);
    if (options->tls == IMAP_TLS_NONE && !place.loopback)
        return err_set(error, ERR_CONFIG,
                       "without TLS the password could be read on the way; set tls=implicit or "
                       "tls=starttls");
    if (!options->password && !options->token)
        return err_set(error, ERR_CONFIG, "there is no password and no token");
    return true;
}

static void
set_up(ImapConn *conn, const ImapOptions *options, const char *where, GString *told)
{
    CURL *easy = conn->easy;
    bool implicit = options->tls == IMAP_TLS_IMPLICIT;
    g_autofree char *url = g_strdup_printf("%s://%s/", implicit ? "imaps" : "imap", where);

    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "imap,imaps");
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_USE_SSL,
                     (long)(options->tls == IMAP_TLS_NONE ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (options->ca_file && *options->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a name server may hang; we don't */
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(conn->time_us / USEC_PER_MSEC));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(conn->time_us / USEC_PER_MSEC));
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_PROBE_S);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, conn->curl_said);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_line);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, told);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, conn->stop_fd < 0 ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, conn);
}

/* A person must act where TLS can't be trusted, or was taken away; all else may pass. */
static bool
not_reached(const ImapConn *conn, CURLcode rc, const GString *told, GError **error)
{
    g_autofree char *said =
        text_vis(*conn->curl_said ? conn->curl_said : curl_easy_strerror(rc), false);
    g_autofree char *line = imap_slice_vis((ImapSlice){told->str, strcspn(told->str, "\r\n")});

    switch (rc) {
    case CURLE_ABORTED_BY_CALLBACK:
        return err_set(error, ERR_CANCELLED, "we were asked to stop");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return err_set(error, ERR_CONFIG, "the certificate can't be trusted: %s", said);
    case CURLE_USE_SSL_FAILED:
        return err_set(error, ERR_CONFIG, "the server offers no TLS by STARTTLS");
    case CURLE_URL_MALFORMAT:
        return err_set(error, ERR_CONFIG, "no such host: %s", said);
    case CURLE_SSL_CONNECT_ERROR:
        return err_set(error, ERR_LATER, "no TLS (does the port go with the tls setting?): %s",
                       said);
    case CURLE_WEIRD_SERVER_REPLY:
        return err_set(error, ERR_LATER, "the server does not speak IMAP as it should: '%s'",
                       line);
    default:
        return err_set(error, ERR_LATER, "%s%s%s", said, *line ? "; the server said: " : "",
                       line);
    }
}

static bool
reach(ImapConn *conn, const ImapOptions *options, const char *where, GError **error)
{
    g_autoptr(GString) told = g_string_new(NULL);
    curl_socket_t fd = CURL_SOCKET_BAD;

    set_up(conn, options, where, told);
    CURLcode rc = curl_easy_perform(conn->easy);
    curl_easy_setopt(conn->easy, CURLOPT_HEADERFUNCTION, NULL);
    curl_easy_setopt(conn->easy, CURLOPT_HEADERDATA, NULL);
    if (rc == CURLE_OK)
        rc = curl_easy_getinfo(conn->easy, CURLINFO_ACTIVESOCKET, &fd);
    if (rc != CURLE_OK || fd == CURL_SOCKET_BAD)
        return not_reached(conn, rc, told, error);
    conn->fd = fd;
    /* Nobody has logged in: a server that says somebody has is not talking to us. */
    if (g_ascii_strncasecmp(told->str, "* PREAUTH", 9) == 0)
        return err_set(error, ERR_CONFIG, "the server takes us for somebody without a login");
    return true;
}

/* --- open and close --- */

bool
imap_ask_capabilities(ImapConn *conn, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("CAPABILITY");
    return imap_run(conn, command, NULL, error);
}

static ImapConn *
conn_new(const ImapOptions *options)
{
    ImapConn *conn = g_new0(ImapConn, 1);

    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* counts; the first does the work */
    conn->easy = curl_easy_init();
    if (!conn->easy)
        g_error("libcurl could not start"); /* out of memory, as everywhere */
    conn->fd = -1;
    conn->stop_fd = options->has_stop ? options->stop_fd : -1;
    conn->time_us = clock_patience_us(options->time_us ? options->time_us : TIME_US);
    conn->idle_us = options->idle_us ? options->idle_us : IDLE_US;
    conn->capabilities = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    conn->max_body = options->max_body ? options->max_body : LIMIT_MESSAGE_BYTES;
    imap_attach_reader(conn);
    return conn;
}

bool
imap_open(const ImapOptions *options, ImapConn **ret, GError **error)
{
    g_autofree char *where = authority(options);

    if (!check_options(options, where, error))
        return false;
    g_autoptr(ImapConn) conn = conn_new(options);
    if (!reach(conn, options, where, error))
        return err_prefix(error, "connecting to '%s'", where);
    if (!imap_ask_capabilities(conn, error) || !imap_login(conn, options, error))
        return err_prefix(error, "login at '%s' as '%s'", where, options->user);
    *ret = g_steal_pointer(&conn);
    return true;
}

static void
say_good_bye(ImapConn *conn)
{
    g_autoptr(ImapCommand) command = imap_command_new("LOGOUT");
    g_auto(ImapReply) reply = {0};

    conn->leaving = true;
    conn->stop_fd = -1;
    conn->time_us = MIN(conn->time_us, LOGOUT_US);
    (void)imap_exchange(conn, command, NULL, &reply, NULL);
}

void
imap_close(ImapConn *conn)
{
    if (!conn)
        return;
    if (conn->fd >= 0 && !conn->broken)
        say_good_bye(conn);
    curl_easy_cleanup(conn->easy);
    imap_reader_free(conn->reader);
    g_hash_table_unref(conn->capabilities);
    g_clear_error(&conn->broken);
    free_all(conn->alert, conn->prefix, conn);
}

bool
imap_noop(ImapConn *conn, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("NOOP");
    return imap_run(conn, command, NULL, error);
}
