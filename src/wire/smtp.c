/*
 * libcurl connects and logs in; from then on curl_easy_send() and curl_easy_recv() are a byte
 * stream that never blocks, and waiting is poll(2) here, in slices of a second at most so that
 * the caller can be asked to stop.
 *
 * What libcurl reads while it logs in passes on_header(): the last reply there is the reason
 * when it fails. libcurl 7.88 goes on without a login when the server offers none, hence
 * logged_in.
 */
#include "wire/smtp.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include "wire/http.h"
#include "wire/smtp_internal.h"
#include <poll.h>

#define GREETING_S 300
#define COMMAND_S 300
#define QUIT_US (500 * USEC_PER_MSEC)
#define SLICE_US USEC_PER_SEC
#define READ_SIZE 4096u
#define LOGIN_LINES 100u

int64_t
smtp_wait_us(const Smtp *smtp, int64_t rfc_seconds)
{
    int64_t rfc_us = clock_patience_us(rfc_seconds * USEC_PER_SEC);

    return smtp->place->wait_us > 0 ? MIN(smtp->place->wait_us, rfc_us) : rfc_us;
}

static bool
is_set(const char *s)
{
    return s && *s;
}

/* Is it time to give up? After the last byte only once the answer had its time: to leave without
 * it makes doubt. */
static bool
asked_to_stop(Smtp *smtp)
{
    const SmtpPlace *place = smtp->place;

    if (!place->stop || (smtp->last_byte_out && place->stop_us <= 0) || !place->stop())
        return false;
    if (!smtp->last_byte_out)
        return true;
    if (smtp->stop_at_us == 0)
        smtp->stop_at_us = clock_mono_us() + place->stop_us;
    return clock_mono_us() >= smtp->stop_at_us;
}

/* --- bytes --- */

static bool
lose(Smtp *smtp, GError **error, ErrCode code, const char *why)
{
    smtp->open = false;
    return err_set(error, code, "%s", why);
}

static bool
lose_by_curl(Smtp *smtp, CURLcode code, GError **error)
{
    g_autofree char *said =
        g_strdup(*smtp->curl_said ? smtp->curl_said : curl_easy_strerror(code));

    smtp->open = false;
    return err_set(error, ERR_LATER, "the connection was lost: %s", g_strstrip(said));
}

static bool
wait_for(Smtp *smtp, short events, int64_t deadline_us, GError **error)
{
    for (;;) {
        struct pollfd p = {.fd = smtp->fd, .events = events};
        int64_t left_us = deadline_us - clock_mono_us();

        if (left_us <= 0)
            return lose(smtp, error, ERR_LATER, "the server did not answer in time");
        if (asked_to_stop(smtp))
            return lose(smtp, error, ERR_CANCELLED, "asked to stop");
        int n = poll(&p, 1, (int)(MIN(left_us, SLICE_US) / USEC_PER_MSEC) + 1);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return lose(smtp, error, ERR_LATER, "can't wait for the server");
    }
}

bool
smtp_write(Smtp *smtp, const void *data, size_t len, int64_t wait_us, GError **error)
{
    int64_t deadline_us = clock_mono_us() + wait_us;
    const char *p = data;

    if (!smtp->open)
        return err_set(error, ERR_LATER, "the connection is closed");
    while (len > 0) {
        size_t n = 0;
        CURLcode code = curl_easy_send(smtp->easy, p, len, &n);
        if (code == CURLE_AGAIN) {
            if (!wait_for(smtp, POLLOUT, deadline_us, error))
                return false;
        } else if (code != CURLE_OK) {
            return lose_by_curl(smtp, code, error);
        }
        p += n;
        len -= n;
    }
    return true;
}

typedef enum Fill { FILL_SOME, FILL_NONE_YET, FILL_GONE } Fill;

/* Takes in what the socket has; TLS may have more than poll(2) knows of. */
static Fill
fill(Smtp *smtp, GError **error)
{
    char buf[READ_SIZE];
    size_t n = 0;
    CURLcode code = curl_easy_recv(smtp->easy, buf, sizeof buf, &n);

    if (code == CURLE_AGAIN)
        return FILL_NONE_YET;
    if (code != CURLE_OK) {
        lose_by_curl(smtp, code, error);
        return FILL_GONE;
    }
    if (n == 0) {
        lose(smtp, error, ERR_LATER, "the server closed the connection");
        return FILL_GONE;
    }
    g_byte_array_append(smtp->in, (const guint8 *)buf, (guint)n);
    return FILL_SOME;
}

bool
smtp_has_input(Smtp *smtp)
{
    if (!smtp->open)
        return true;
    return smtp->in->len > 0 || fill(smtp, NULL) != FILL_NONE_YET;
}

void
smtp_take_in(Smtp *smtp)
{
    while (smtp->in->len <= SMTP_REPLY_MAX && fill(smtp, NULL) == FILL_SOME)
        ;
}

/* --- replies --- */

bool
smtp_read_reply(Smtp *smtp, int64_t wait_us, SmtpReply *ret, GError **error)
{
    int64_t deadline_us = clock_mono_us() + wait_us;

    for (;;) {
        size_t used = 0;
        int found =
            smtp_reply_parse((const char *)smtp->in->data, smtp->in->len, &used, ret, error);
        if (found < 0) {
            smtp->open = false;
            return false;
        }
        if (found > 0) {
            g_byte_array_remove_range(smtp->in, 0, (guint)used);
            smtp->open = smtp->open && ret->code != 421;
            return true;
        }
        if (!smtp->open)
            return err_set(error, ERR_LATER, "the connection is closed");
        Fill got = fill(smtp, error);
        if (got == FILL_GONE ||
            (got == FILL_NONE_YET && !wait_for(smtp, POLLIN, deadline_us, error)))
            return false;
    }
}

bool
smtp_command(
    Smtp *smtp, int64_t rfc_seconds, SmtpReply *ret, GError **error, const char *fmt, ...)
{
    g_autoptr(GString) line = g_string_new(NULL);
    int64_t wait_us = smtp_wait_us(smtp, rfc_seconds);
    va_list ap;

    if (smtp->in->len > 0)
        return lose(smtp, error, ERR_LATER, "the server said more than it was asked");
    va_start(ap, fmt);
    g_string_vprintf(line, fmt, ap);
    va_end(ap);
    g_assert(!strpbrk(line->str, "\r\n")); /* all that goes in was checked */
    g_string_append(line, "\r\n");
    return smtp_write(smtp, line->str, line->len, wait_us, error) &&
           smtp_read_reply(smtp, wait_us, ret, error);
}

/* --- login --- */

/* libcurl reads on behind what is no reply, until its time is over. We don't wait. */
static size_t
break_off(Smtp *smtp, ErrCode code, const char *why)
{
    smtp->nuisance = why;
    smtp->nuisance_code = code;
    return 0;
}

static size_t
on_header(char *data, size_t size, size_t n, void *user)
{
    Smtp *smtp = user;
    size_t len = size * n;
    bool first = smtp->lines == 0, last = len < 4 || data[3] != '-';

    if (len < 3 || !g_ascii_isdigit(data[0]) || !g_ascii_isdigit(data[1]) ||
        !g_ascii_isdigit(data[2]))
        return break_off(smtp, ERR_LATER, "what the server said is no reply of SMTP");
    if (++smtp->lines > LOGIN_LINES)
        return break_off(smtp, ERR_LIMIT, "the server's reply has more than 100 lines");
    if (first)
        g_string_truncate(smtp->login, 0);
    g_string_append_len(smtp->login, data, (gssize)len);
    smtp->logged_in = smtp->logged_in || memcmp(data, "235", 3) == 0;
    if (last)
        smtp->lines = 0;
    return len;
}

static int
on_progress(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    return asked_to_stop(user);
}

/* A name that may stand behind EHLO and in the path of a URL. */
static const char *
helo_name(const SmtpPlace *place)
{
    const char *name = is_set(place->helo) ? place->helo : proc_host();

    for (const char *c = name; *c; c++) {
        if (!g_ascii_isalnum(*c) && !strchr("-._[]:", *c))
            return "localhost";
    }
    return *name ? name : "localhost";
}

static char *
make_url(const SmtpPlace *place)
{
    static const int ports[] = {
        [SMTP_TLS_IMPLICIT] = 465, [SMTP_TLS_STARTTLS] = 587, [SMTP_TLS_NONE] = 25};
    bool v6 = strchr(place->host, ':') && place->host[0] != '[';

    return g_strdup_printf("%s://%s%s%s:%d/%s",
                           place->tls == SMTP_TLS_IMPLICIT ? "smtps" : "smtp", v6 ? "[" : "",
                           place->host, v6 ? "]" : "",
                           place->port > 0 ? place->port : ports[place->tls], helo_name(place));
}

static void
set_login(Smtp *smtp)
{
    const SmtpPlace *place = smtp->place;

    if (!is_set(place->user))
        return;
    curl_easy_setopt(smtp->easy, CURLOPT_USERNAME, place->user);
    curl_easy_setopt(smtp->easy, CURLOPT_SASL_IR, 1L);
    secret_learn(place->token);
    secret_learn(place->password);
    if (is_set(place->token)) {
        curl_easy_setopt(smtp->easy, CURLOPT_XOAUTH2_BEARER, place->token);
        curl_easy_setopt(smtp->easy, CURLOPT_LOGIN_OPTIONS, "AUTH=OAUTHBEARER;AUTH=XOAUTH2");
    } else {
        curl_easy_setopt(smtp->easy, CURLOPT_PASSWORD, place->password ? place->password : "");
        curl_easy_setopt(smtp->easy, CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN");
    }
}

static void
set_connection(Smtp *smtp, const char *url)
{
    CURL *easy = smtp->easy;
    const SmtpPlace *place = smtp->place;
    long wait_ms = (long)(smtp_wait_us(smtp, GREETING_S) / USEC_PER_MSEC);

    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_USE_SSL,
                     place->tls == SMTP_TLS_NONE ? (long)CURLUSESSL_NONE
                                                 : (long)CURLUSESSL_ALL);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (is_set(place->ca_file)) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, place->ca_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL); /* it alone */
    }
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);      /* a name server may hang; we don't */
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, wait_ms); /* for all of it, login included */
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, smtp->curl_said);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, smtp);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, smtp);
}

/* --- why a login failed --- */

/* Google and Microsoft say in JSON, in base64, behind a 334 why a token is no good. */
static char *
token_problem(const SmtpReply *reply)
{
    const char *line = reply->lines->pdata[0];
    gsize len = 0;
    g_autofree guchar *json = g_base64_decode(line, &len);
    g_autofree char *valid = secret_hide(text_make_valid((const char *)json, (gssize)len));
    g_autofree char *safe = text_vis(valid, false);

    return text_shorten(safe, SMTP_REPLY_TEXT);
}

/* What the server said last: its code, 0: nothing; and for people. */
static int
last_words(const Smtp *smtp, char **ret_text)
{
    g_auto(SmtpReply) reply = {0};
    size_t used;

    *ret_text = NULL;
    if (smtp_reply_parse(smtp->login->str, smtp->login->len, &used, &reply, NULL) <= 0)
        return 0;
    *ret_text = reply.code == 334 ? token_problem(&reply) : g_strdup(reply.text);
    return reply.code;
}

static ErrCode
remedy_of(CURLcode code, int reply)
{
    switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
        return ERR_CANCELLED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_URL_MALFORMAT:
        return ERR_CONFIG;
    case CURLE_USE_SSL_FAILED:
    case CURLE_LOGIN_DENIED:
        return reply / 100 == 4 ? ERR_LATER : ERR_CONFIG;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_REMOTE_ACCESS_DENIED:
        return reply / 100 == 5 ? ERR_CONFIG : ERR_LATER;
    default:
        return ERR_LATER;
    }
}

static const char *
what_failed(CURLcode code)
{
    switch (code) {
    case CURLE_USE_SSL_FAILED:
        return "no STARTTLS there, and nothing is sent without: ";
    case CURLE_LOGIN_DENIED:
        return "the login was refused: ";
    default:
        return "";
    }
}

static bool
fail_login(const Smtp *smtp, CURLcode code, GError **error)
{
    g_autofree char *text = NULL;
    int reply = last_words(smtp, &text);
    const char *said = *smtp->curl_said ? smtp->curl_said : curl_easy_strerror(code);
    g_autofree char *safe = text_vis(said, false);

    if (smtp->nuisance)
        return err_set(error, smtp->nuisance_code, "'%s': %s", smtp->place->host,
                       smtp->nuisance);
    /* A reply that was no refusal is not the reason. */
    bool refused = reply == 334 || reply >= 400;
    return err_set(error, remedy_of(code, reply), "'%s': %s%s", smtp->place->host,
                   what_failed(code), refused ? text : g_strstrip(safe));
}

/* --- open and close --- */

/* The server may offer other things to one who is logged in. */
static bool
ask_offer(Smtp *smtp, GError **error)
{
    g_auto(SmtpReply) reply = {0};

    if (!smtp_command(smtp, COMMAND_S, &reply, error, "EHLO %s", helo_name(smtp->place)))
        return err_prefix(error, "'%s'", smtp->place->host);
    if (reply.code == 421)
        return err_set(error, ERR_LATER, "'%s': %s", smtp->place->host, reply.text);
    smtp->offer = smtp_offer_of(&reply);
    return true;
}

static bool
log_in(Smtp *smtp, GError **error)
{
    CURLcode code = curl_easy_perform(smtp->easy);

    if (code != CURLE_OK)
        return fail_login(smtp, code, error);
    if (is_set(smtp->place->user) && !smtp->logged_in)
        return err_set(error, ERR_CONFIG, "'%s' offers no login%s", smtp->place->host,
                       smtp->place->tls == SMTP_TLS_NONE ? " without TLS" : "");
    if (curl_easy_getinfo(smtp->easy, CURLINFO_ACTIVESOCKET, &smtp->fd) != CURLE_OK ||
        smtp->fd == CURL_SOCKET_BAD)
        return err_set(error, ERR_LATER, "'%s': the connection was lost", smtp->place->host);
    smtp->open = true;
    smtp->curl_said[0] = '\0';
    return ask_offer(smtp, error);
}

/* A host that can't be read is none of this machine's; libcurl says what is wrong with it. */
static bool
is_loopback(const char *url)
{
    g_auto(HttpPlace) at = {0};
    g_autofree char *https = g_strconcat("https", strstr(url, "://"), NULL);

    return http_place_parse(https, &at, NULL) && at.loopback;
}

bool
smtp_open(const SmtpPlace *place, Smtp **ret, GError **error)
{
    g_autofree char *url = make_url(place);

    if (place->tls == SMTP_TLS_NONE && is_set(place->user) && !is_loopback(url))
        return err_set(error, ERR_CONFIG,
                       "without TLS the password could be read on the way; set tls=implicit or "
                       "tls=starttls");
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* counts; the first does the work */
    g_autoptr(Smtp) smtp = g_new0(Smtp, 1);
    smtp->place = place;
    smtp->easy = curl_easy_init();
    if (!smtp->easy)
        g_error("libcurl could not start"); /* out of memory, as everywhere */
    smtp->in = g_byte_array_new();
    smtp->login = g_string_new(NULL);
    set_connection(smtp, url);
    set_login(smtp);
    if (!log_in(smtp, error))
        return false;
    *ret = g_steal_pointer(&smtp);
    return true;
}

bool
smtp_is_open(Smtp *smtp)
{
    if (smtp->open && smtp_has_input(smtp))
        smtp->open = false; /* a good-bye, or what nobody asked for */
    return smtp->open;
}

void
smtp_close(Smtp *smtp)
{
    if (!smtp)
        return;
    if (smtp_is_open(smtp)) {
        g_auto(SmtpReply) reply = {0};
        if (smtp_write(smtp, "QUIT\r\n", 6, QUIT_US, NULL))
            (void)smtp_read_reply(smtp, QUIT_US, &reply, NULL);
    }
    curl_easy_cleanup(smtp->easy);
    g_byte_array_unref(smtp->in);
    g_string_free(smtp->login, TRUE);
    g_free(smtp);
}
