#pragma once

/*
 * One HTTP request inside the caller's poll loop, by libcurl. Everything that comes back is
 * hostile: it is capped, and a failure is a reply too, sorted by what it says about the peer.
 *
 *   http_start -> (http_poll, poll(2), http_work)... until work says true -> http_reply
 *
 * TLS is verified. Redirects are never followed, so a secret in a header can't reach another
 * host. A proxy of the environment is used for https alone, where it sees no header. Nothing
 * here blocks, logs, or starts a thread of ours; libcurl looks names up in a short one of its
 * own.
 */
#include <poll.h>

/* All of it is borrowed until http_start() returns. */
typedef struct HttpRequest {
    const char *url;
    const char *const *headers; /* "name: value", NULL-terminated; may hold secrets */
    GBytes *body;               /* sent by POST; NULL: GET */
    int64_t time_us;            /* for all of it; 0: no limit */
    int64_t stall_us;           /* longest silence of the peer; 0: no limit */
    size_t max_bytes;           /* of the reply's body, unpacked; 0: LIMIT_HTTP_REPLY */
} HttpRequest;

typedef enum HttpEnd {
    HTTP_DONE,      /* a whole reply, with any status */
    HTTP_UNREACHED, /* no name, no connection: the peer has not seen the request */
    HTTP_UNTRUSTED, /* its certificate does not hold */
    HTTP_CUT,       /* the connection broke, or what came was no HTTP */
    HTTP_SLOW,      /* time_us or stall_us is over */
    HTTP_LARGE,     /* more than max_bytes */
} HttpEnd;

typedef struct HttpReply {
    HttpEnd end;
    char *why; /* one line; NULL when done */
    int status;
    GBytes *body;           /* what came of it, also when cut */
    GHashTable *headers;    /* lower-case name -> value; see http_header() */
    int64_t retry_after_us; /* as a span from now; 0: not said */
} HttpReply;

typedef struct HttpCall HttpCall;
#define HTTP_POLL_MAX 4

/* ERR_CONFIG: no URL that we could ask. */
bool http_start(const HttpRequest *request, HttpCall **ret, GError **error);
/* Fills entries for poll(2), returns how many. *ret_wait_us: when to come back anyway, as a
 * span; USEC_NEVER: no need. */
unsigned http_poll(HttpCall *call, struct pollfd fds[HTTP_POLL_MAX], int64_t *ret_wait_us);
/* True once it has finished; harmless to call again. */
bool http_work(HttpCall *call);
/* Valid once http_work() returned true; borrowed. */
const HttpReply *http_reply(const HttpCall *call);
void http_free(HttpCall *call); /* breaks off what still runs; wipes the headers */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HttpCall, http_free)

/* A header by its lower-case name, valid UTF-8; NULL: absent. Of several the last. */
const char *http_header(const HttpReply *reply, const char *name);
/* True when the content type is this one, whatever its parameters. */
bool http_is_type(const HttpReply *reply, const char *media_type);

/* Where a URL leads. */
typedef struct HttpPlace {
    bool tls;
    bool loopback; /* this machine: 127.0.0.0/8, ::1, localhost */
    char *host;
} HttpPlace;
void http_place_clear(HttpPlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(HttpPlace, http_place_clear)
/* ERR_CONFIG for anything but http://HOST… and https://HOST… without user, password, query and
 * fragment. */
bool http_place_parse(const char *url, HttpPlace *ret, GError **error);
