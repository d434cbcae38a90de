#pragma once

/*
 * An SMTP server for one connection, in a thread, that does what its script says and nothing
 * else. A script is a NULL-terminated list of steps:
 *
 *   "S text"  send the text         "P text"  the same, one byte at a time
 *   "C text"  read a line; it must begin with the text
 *   "D"       read up to and with "\r\n.\r\n"
 *   "N n"     read n bytes          "T"       go over to TLS
 *   "X"       close                 "R"       reset the connection
 *   "W"       say nothing until the client has gone
 *   "Z"       the same, and read nothing, until peer_end()
 *   "M n"     send n lines "250-…"  "F"       flood: send one line without end
 *
 * What was read is the outside witness: peer_end() gives it back. A line that was not expected
 * is in it behind "!! ", and the connection is closed.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "wire/smtp.h"
#include <arpa/inet.h>
#include <glib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

typedef struct Peer {
    int listener, port;
    const char *const *script;
    const char *pem; /* certificate and key for "T" */
    GString *log;
    GThread *thread;
    int fd;
    SSL *ssl;
} Peer;

static inline bool
peer_put(Peer *p, const char *data, size_t len)
{
    if (p->ssl)
        return SSL_write(p->ssl, data, (int)len) > 0;
    return send(p->fd, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static inline bool
peer_get(Peer *p)
{
    char c;
    bool ok = p->ssl ? SSL_read(p->ssl, &c, 1) == 1 : recv(p->fd, &c, 1, 0) == 1;

    if (ok)
        g_string_append_c(p->log, c);
    return ok;
}

static inline bool
peer_expect(Peer *p, const char *text)
{
    gsize start = p->log->len;

    while (peer_get(p)) {
        if (p->log->str[p->log->len - 1] != '\n')
            continue;
        if (g_str_has_prefix(p->log->str + start, text))
            return true;
        break;
    }
    g_string_insert(p->log, (gssize)start, "!! ");
    return false;
}

static inline bool
peer_read_data(Peer *p)
{
    while (peer_get(p)) {
        if (p->log->len > 5 && memcmp(p->log->str + p->log->len - 5, "\r\n.\r\n", 5) == 0)
            return true;
    }
    return false;
}

static inline bool
peer_read(Peer *p, long n)
{
    while (n > 0 && peer_get(p))
        n--;
    return n == 0;
}

static inline bool
peer_tls(Peer *p)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    g_assert_cmpint(SSL_CTX_use_certificate_file(ctx, p->pem, SSL_FILETYPE_PEM), ==, 1);
    g_assert_cmpint(SSL_CTX_use_PrivateKey_file(ctx, p->pem, SSL_FILETYPE_PEM), ==, 1);
    p->ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    SSL_set_fd(p->ssl, p->fd);
    if (SSL_accept(p->ssl) == 1)
        return true;
    g_string_append(p->log, "!! no TLS\n");
    return false;
}

static inline void
peer_reset(Peer *p)
{
    struct linger now = {.l_onoff = 1};

    (void)setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static inline bool
peer_flood(Peer *p)
{
    char junk[4096];

    memset(junk, '2', sizeof junk);
    while (peer_put(p, junk, sizeof junk))
        ;
    return false;
}

static inline bool
peer_lines(Peer *p, long n)
{
    while (n-- > 0) {
        if (!peer_put(p, "250-more\r\n", 10))
            return false;
    }
    return true;
}

static inline bool
peer_step(Peer *p, const char *step)
{
    const char *text = step[1] ? step + 2 : "";

    switch (step[0]) {
    case 'S':
        return peer_put(p, text, strlen(text));
    case 'P':
        for (; *text; text++) {
            if (!peer_put(p, text, 1))
                return false;
        }
        return true;
    case 'C':
        return peer_expect(p, text);
    case 'D':
        return peer_read_data(p);
    case 'N':
        return peer_read(p, strtol(text, NULL, 10));
    case 'T':
        return peer_tls(p);
    case 'R':
        peer_reset(p);
        return false;
    case 'W':
        while (peer_get(p))
            ;
        return false;
    case 'Z': /* with unread bytes before it the client's FIN never comes */
        (void)poll(&(struct pollfd){.fd = p->listener}, 1, -1);
        return false;
    case 'M':
        return peer_lines(p, strtol(text, NULL, 10));
    case 'F':
        return peer_flood(p);
    default:
        return false;
    }
}

static inline gpointer
peer_main(gpointer data)
{
    Peer *p = data;
    int on = 1;

    p->fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    if (p->fd < 0)
        return NULL; /* nobody came */
    (void)setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (const char *const *step = p->script; *step && peer_step(p, *step); step++)
        ;
    if (p->ssl)
        SSL_free(p->ssl);
    (void)close(p->fd);
    return NULL;
}

static inline Peer *
peer_start(const char *const *script, const char *pem)
{
    Peer *p = g_new0(Peer, 1);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    p->script = script;
    p->pem = pem;
    p->log = g_string_new(NULL);
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(p->listener, (struct sockaddr *)&at, len), ==, 0);
    g_assert_cmpint(listen(p->listener, 1), ==, 0);
    g_assert_cmpint(getsockname(p->listener, (struct sockaddr *)&at, &len), ==, 0);
    p->port = ntohs(at.sin_port);
    p->thread = g_thread_new("peer", peer_main, p);
    return p;
}

/* Waits for its end; what it read, caller frees. */
static inline char *
peer_end(Peer *p)
{
    (void)shutdown(p->listener, SHUT_RDWR); /* wakes one to whom nobody came */
    g_thread_join(p->thread);
    (void)close(p->listener);
    char *log = g_string_free(p->log, FALSE);
    g_free(p);
    return log;
}

/* libcurl says EHLO to log in, we once more to see what is offered then. */
#define OPEN(offers) "S 220 peer\r\n", "C EHLO me.example", offers, "C EHLO me.example", offers
#define NO_OFFER "S 250 peer\r\n"
#define QUIT "C QUIT", "S 221 bye\r\n", "W"

static inline SmtpPlace
place_at(const Peer *peer)
{
    return (SmtpPlace){.host = "127.0.0.1",
                       .port = peer->port,
                       .tls = SMTP_TLS_NONE,
                       .helo = "me.example",
                       .wait_us = 20 * USEC_PER_SEC};
}
