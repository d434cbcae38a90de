#pragma once

/* The inside of an SMTP connection (wire/smtp.h), shared by smtp.c (bytes, replies) and
 * smtp_send.c (one mail). */
#include "wire/smtp.h"
#include "wire/smtp_reply.h"
#include <curl/curl.h>

struct Smtp {
    const SmtpPlace *place;
    CURL *easy;
    curl_socket_t fd;
    GByteArray *in; /* received, not yet read as a reply */
    SmtpOffer offer;
    GString *login;       /* the newest reply that libcurl saw while it logged in */
    unsigned lines;       /* of it */
    bool logged_in;       /* one of them was 235 */
    const char *nuisance; /* why we broke the login off; NULL */
    ErrCode nuisance_code;
    bool open;
    bool last_byte_out; /* stop() ends nothing any more but, after stop_us, the wait */
    int64_t stop_at_us; /* that moment, by clock_mono_us(); 0: nobody asked yet */
    char curl_said[CURL_ERROR_SIZE];
};

/* How long to wait, in microseconds: as long as RFC 5321 4.5.3.2 says, or less where SmtpPlace
 * says less. */
int64_t smtp_wait_us(const Smtp *smtp, int64_t rfc_seconds);

/* All of these leave the connection closed when they fail, with why in error. The wait is for
 * the whole call, so that a peer which drips bytes gains nothing. */
bool smtp_write(Smtp *smtp, const void *data, size_t len, int64_t wait_us, GError **error);
bool smtp_read_reply(Smtp *smtp, int64_t wait_us, SmtpReply *ret, GError **error);
/* Writes the line and reads its reply. A reply that came unasked before it is an error. A 421
 * closes the connection, and is returned. */
bool smtp_command(
    Smtp *smtp, int64_t rfc_seconds, SmtpReply *ret, GError **error, const char *fmt, ...)
    G_GNUC_PRINTF(5, 6);
/* Takes in what is there without waiting; true when anything is, or the connection is gone. */
bool smtp_has_input(Smtp *smtp);
/* As smtp_has_input(), for a connection that failed: takes in what the server said before it hung
 * up. */
void smtp_take_in(Smtp *smtp);
