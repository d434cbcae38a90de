/*
 * libcurl's multi interface with one transfer. libcurl tells us its sockets and its timer by
 * callbacks; the caller polls them and calls http_work(), which lets libcurl look at each.
 * The limits on time are kept here: libcurl's own count whole seconds.
 */
#include "wire/http.h"
#include "base/clock.h"
#include "base/limits.h"
#include <curl/curl.h>

#define CONNECT_MS 30000L
#define KEEPALIVE_S 60L
#define MAX_HEADERS 200u
#define MAX_HEADER_LINE 8192u
#define CROWDED_US (20 * USEC_PER_MSEC) /* more sockets than we can show to poll(2) */

struct HttpCall {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    GBytes *body;
    GByteArray *received;
    size_t max_bytes;
    char curl_said[CURL_ERROR_SIZE];

    struct pollfd sockets[HTTP_POLL_MAX];
    unsigned n_sockets;
    bool crowded;
    int64_t timer_us; /* these four on the monotonic clock; USEC_NEVER: none */
    int64_t deadline_us;
    int64_t silent_us; /* when the peer was last heard, or asked */
    int64_t time_us, stall_us;

    bool too_large, finished;
    HttpReply reply;
};

/* --- what libcurl calls --- */

static size_t
on_body(char *data, size_t size, size_t n, void *user)
{
    HttpCall *call = user;
    size_t len = size * n;

    call->silent_us = clock_mono_us();
    if (len > call->max_bytes - call->received->len) {
        call->too_large = true;
        return 0; /* breaks the transfer off */
    }
    g_byte_array_append(call->received, (const guint8 *)data, (guint)len);
    return len;
}

static void
keep_header(HttpReply *reply, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);

    if (!colon || colon == line || g_hash_table_size(reply->headers) >= MAX_HEADERS)
        return;
    g_autofree char *raw_name = g_ascii_strdown(line, colon - line);
    g_autofree char *raw_value =
        text_make_valid(colon + 1, (gssize)(len - (size_t)(colon + 1 - line)));
    g_hash_table_replace(reply->headers, text_make_valid(raw_name, -1),
                         g_strdup(g_strstrip(raw_value)));
}

static size_t
on_header(char *data, size_t size, size_t n, void *user)
{
    HttpCall *call = user;
    size_t len = size * n;

    call->silent_us = clock_mono_us();
    if (len > 5 && memcmp(data, "HTTP/", 5) == 0) /* what came before was an interim reply */
        g_hash_table_remove_all(call->reply.headers);
    else if (len <= MAX_HEADER_LINE && call->received->len == 0) /* no trailers */
        keep_header(&call->reply, data, len);
    return len;
}

static int
on_timer(CURLM *multi, long wait_ms, void *user)
{
    HttpCall *call = user;

    call->timer_us = wait_ms < 0 ? USEC_NEVER : clock_mono_us() + wait_ms * USEC_PER_MSEC;
    return 0;
}

static void
forget_socket(HttpCall *call, int fd)
{
    for (unsigned i = 0; i < call->n_sockets; i++) {
        if (call->sockets[i].fd == fd) {
            call->sockets[i] = call->sockets[--call->n_sockets];
            return;
        }
    }
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *socket_data)
{
    HttpCall *call = user;
    short events =
        (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));

    forget_socket(call, fd);
    if (what == CURL_POLL_REMOVE)
        return 0;
    call->crowded = call->n_sockets == HTTP_POLL_MAX;
    if (!call->crowded)
        call->sockets[call->n_sockets++] = (struct pollfd){.fd = fd, .events = events};
    return 0;
}

/* --- the end of it --- */

/* A proxy did not let us through: the server was never spoken to. */
static bool
proxy_refused(const HttpCall *call)
{
    long status = 0;

    (void)curl_easy_getinfo(call->easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status >= 300;
}

static HttpEnd
end_of(const HttpCall *call, CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return HTTP_DONE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_OPERATION_TIMEDOUT: /* only connecting has a limit of libcurl's */
        return HTTP_UNREACHED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return HTTP_UNTRUSTED;
    default:
        return call->too_large ? HTTP_LARGE : proxy_refused(call) ? HTTP_UNREACHED : HTTP_CUT;
    }
}

static void
finish(HttpCall *call, HttpEnd end, char *take_why)
{
    HttpReply *reply = &call->reply;
    long status = 0;
    curl_off_t wait_s = 0;

    (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &wait_s);
    reply->end = end;
    reply->why = take_why;
    reply->status = (int)status;
    reply->retry_after_us = CLAMP(wait_s, 0, INT64_C(366) * 86400) * USEC_PER_SEC;
    reply->body = g_byte_array_free_to_bytes(g_steal_pointer(&call->received));
    call->finished = true;
}

static void
finish_by_curl(HttpCall *call, CURLcode code)
{
    HttpEnd end = end_of(call, code);
    char *why = NULL;

    if (end == HTTP_LARGE) {
        g_autofree char *size = text_format_size(call->max_bytes);
        why = g_strdup_printf("the reply is larger than %s", size);
    } else if (end != HTTP_DONE) {
        g_autofree char *said =
            text_make_valid(*call->curl_said ? call->curl_said : curl_easy_strerror(code), -1);
        why = text_vis(g_strstrip(said), false);
    }
    finish(call, end, why);
}

static void
finish_late(HttpCall *call, const char *what, int64_t span_us)
{
    g_autofree char *span = clock_format_span(span_us);
    finish(call, HTTP_SLOW, g_strdup_printf("%s %s", what, span));
}

static int64_t
stall_ends_us(const HttpCall *call)
{
    return call->stall_us ? call->silent_us + call->stall_us : USEC_NEVER;
}

/* --- start --- */

static void
set_limits(HttpCall *call, const HttpRequest *request)
{
    call->max_bytes = request->max_bytes ? request->max_bytes : LIMIT_HTTP_REPLY;
    call->time_us = request->time_us;
    call->stall_us = clock_patience_us(request->stall_us);
    call->silent_us = clock_mono_us();
    call->deadline_us = call->time_us ? call->silent_us + call->time_us : USEC_NEVER;
    call->timer_us = USEC_NEVER;
}

static void
set_request(HttpCall *call, const HttpRequest *request, bool tls)
{
    CURL *easy = call->easy;

    for (const char *const *h = request->headers; h && *h; h++)
        call->headers = curl_slist_append(call->headers, *h);
    /* Else libcurl waits a second for servers that don't know "100 Continue". */
    call->headers = curl_slist_append(call->headers, "Expect:");
    curl_easy_setopt(easy, CURLOPT_URL, request->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "postrider/" POSTRIDER_VERSION);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    if (!tls)
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (!request->body)
        return;
    call->body = g_bytes_ref(request->body);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)g_bytes_get_size(call->body));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, g_bytes_get_data(call->body, NULL));
}

static void
set_behaviour(HttpCall *call)
{
    CURL *easy = call->easy;

    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a name server may hang; we don't */
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->curl_said);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_multi_setopt(call->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(call->multi, CURLMOPT_SOCKETDATA, call);
    curl_multi_setopt(call->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(call->multi, CURLMOPT_TIMERDATA, call);
}

bool
http_start(const HttpRequest *request, HttpCall **ret, GError **error)
{
    g_auto(HttpPlace) place = {0};

    if (!http_place_parse(request->url, &place, error))
        return false;
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* counts; the first does the work */
    HttpCall *call = g_new0(HttpCall, 1);
    call->multi = curl_multi_init();
    call->easy = curl_easy_init();
    if (!call->multi || !call->easy)
        g_error("libcurl could not start"); /* out of memory, as everywhere */
    call->received = g_byte_array_new();
    call->reply.headers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    set_limits(call, request);
    set_request(call, request, place.tls);
    set_behaviour(call);
    curl_multi_add_handle(call->multi, call->easy);
    *ret = call;
    return true;
}

/* --- in the loop --- */

unsigned
http_poll(HttpCall *call, struct pollfd fds[HTTP_POLL_MAX], int64_t *ret_wait_us)
{
    int64_t next_us = MIN(MIN(call->timer_us, call->deadline_us), stall_ends_us(call));

    *ret_wait_us = 0;
    if (call->finished)
        return 0;
    *ret_wait_us = next_us == USEC_NEVER ? USEC_NEVER : MAX(0, next_us - clock_mono_us());
    if (call->crowded)
        *ret_wait_us = MIN(*ret_wait_us, CROWDED_US);
    memcpy(fds, call->sockets, sizeof *fds * call->n_sockets);
    return call->n_sockets;
}

/* Which of its sockets are ready libcurl finds out by itself; ours may change while it works.
 */
static void
turn(HttpCall *call)
{
    struct pollfd sockets[HTTP_POLL_MAX];
    unsigned n = call->n_sockets;
    int running;

    memcpy(sockets, call->sockets, sizeof sockets);
    for (unsigned i = 0; i < n; i++)
        curl_multi_socket_action(call->multi, sockets[i].fd, 0, &running);
    if (call->timer_us <= clock_mono_us() || call->crowded) {
        call->timer_us = USEC_NEVER;
        curl_multi_socket_action(call->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

bool
http_work(HttpCall *call)
{
    CURLMsg *message;
    int left;

    if (call->finished)
        return true;
    turn(call);
    while ((message = curl_multi_info_read(call->multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            finish_by_curl(call, message->data.result);
            return true;
        }
    }
    if (call->deadline_us <= clock_mono_us())
        finish_late(call, "no answer within", call->time_us);
    else if (stall_ends_us(call) <= clock_mono_us())
        finish_late(call, "nothing was heard for", call->stall_us);
    return call->finished;
}

const HttpReply *
http_reply(const HttpCall *call)
{
    g_assert(call->finished);
    return &call->reply;
}

static void
wipe_headers(struct curl_slist *headers)
{
    for (struct curl_slist *h = headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data));
    curl_slist_free_all(headers);
}

void
http_free(HttpCall *call)
{
    if (!call)
        return;
    curl_multi_remove_handle(call->multi, call->easy);
    curl_easy_cleanup(call->easy);
    curl_multi_cleanup(call->multi);
    wipe_headers(call->headers);
    g_clear_pointer(&call->body, g_bytes_unref);
    g_clear_pointer(&call->received, g_byte_array_unref);
    g_clear_pointer(&call->reply.body, g_bytes_unref);
    g_hash_table_unref(call->reply.headers);
    free_all(call->reply.why, call);
}

const char *
http_header(const HttpReply *reply, const char *name)
{
    return g_hash_table_lookup(reply->headers, name);
}

bool
http_is_type(const HttpReply *reply, const char *media_type)
{
    const char *type = http_header(reply, "content-type");
    size_t len = strlen(media_type);

    return type && g_ascii_strncasecmp(type, media_type, len) == 0 &&
           (type[len] == '\0' || type[len] == ';' || g_ascii_isspace(type[len]));
}
