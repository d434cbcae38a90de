#pragma once

/*
 * Submission of mail by SMTP, blocking and straight-line. libcurl makes the connection: names,
 * TLS with verified certificates, STARTTLS, login. The mails go over it by our own hand
 * (CURLOPT_CONNECT_ONLY), since two things matter that libcurl's own SMTP does not tell: what
 * became of each recipient, and the moment before the last byte of a mail.
 *
 *   smtp_open -> (smtp_is_open, smtp_send)... -> smtp_close
 *
 * (1) Until last_byte() has returned true the server can't have taken the mail: a result before
 *     that is never in doubt. last_byte() is where the caller commits "sending".
 * (2) After it the result is SENT or refused when the server says so, and DOUBT when it
 *     doesn't.
 * (3) A login goes over TLS, or to a loopback address: SMTP_TLS_NONE with a login to anywhere
 *     else is ERR_CONFIG. A server that offers no STARTTLS, says something behind its "go
 *     ahead", or shows a wrong certificate sees no login.
 * (4) Replies are capped in length and time; their text is one line, safe on a terminal.
 *
 * Nothing here logs. A proxy of the environment is not used. The program ignores SIGPIPE
 * (proc_init()).
 */

typedef enum SmtpTls { SMTP_TLS_IMPLICIT, SMTP_TLS_STARTTLS, SMTP_TLS_NONE } SmtpTls;

/* All of it is borrowed until smtp_close(). */
typedef struct SmtpPlace {
    const char *host;
    int port; /* 0: 465, 587 or 25, as tls says */
    SmtpTls tls;
    const char *ca_file;          /* instead of the system's; NULL or "" */
    const char *user;             /* NULL or "": no login */
    const char *password, *token; /* one of them: AUTH PLAIN or LOGIN; OAUTHBEARER or XOAUTH2 */
    const char *helo;             /* our name; NULL or "": that of this machine */
    int64_t wait_us; /* longest wait for anything but the last reply; 0: as RFC 5321 4.5.3.2 */
    int64_t last_us; /* for the reply to a whole mail; 0: 10 min, and less makes more doubt */
    bool (*stop)(void); /* looked at about once a second: before the last byte it ends all */
    int64_t stop_us;    /* and after it the wait for the reply, so long after; 0: it does not */
} SmtpPlace;

/* What became of a mail for one recipient. */
typedef enum SmtpEnd {
    SMTP_SENT,  /* the server has it */
    SMTP_RETRY, /* it has not; later it may: 4xx, a lost connection, our login */
    SMTP_NEVER, /* it has not, and the same mail to the same address always fails */
    SMTP_DOUBT, /* handed over in full, and no answer came */
} SmtpEnd;

typedef struct SmtpResult {
    SmtpEnd end;
    int code;     /* of the reply; 0: there was none */
    char *status; /* enhanced code, "5.1.1"; NULL: none */
    char *text;   /* "250 2.0.0 Ok: queued as 4F2", or what happened; one line */
} SmtpResult;
/* Clears n of them. */
void smtp_results_clear(SmtpResult *results, size_t n);

typedef struct SmtpMail {
    const char *from;      /* envelope; "": the null path */
    const char *const *to; /* n_to of them */
    size_t n_to;
    GBytes *bytes; /* the frozen mail, with any line ends */
    const char
        *envid; /* asks for reports of failure with this id, where DSN is offered; NULL */
    /* Called at most once, with all but the last bytes sent; NULL: always true. False: nothing
     * more is sent, the connection is closed, and every recipient is to be tried again. */
    bool (*last_byte)(void *user, GError **error);
    void *user;
} SmtpMail;

typedef struct Smtp Smtp;

/* Connects and logs in. ERR_LATER: not reached, 4xx, 421. ERR_CONFIG: the certificate, the
 * login or the server's 5xx; nobody but a person can change that. ERR_LIMIT: it talks too much.
 * ERR_CANCELLED: stop() said so. */
bool smtp_open(const SmtpPlace *place, Smtp **ret, GError **error);
/* False once the connection is gone, also when the server hung up or said good-bye since: then
 * open a new one before the next mail. */
bool smtp_is_open(Smtp *smtp);
/* One mail; several may follow each other. Never fails: ret[i] is what became of to[i], and the
 * caller's to clear. An address that can't be written, a mail that is too large or that needs
 * an extension which is not offered is SMTP_NEVER, before anything is said about it. */
void smtp_send(Smtp *smtp, const SmtpMail *mail, SmtpResult *ret);
/* Says QUIT; does not wait for long. */
void smtp_close(Smtp *smtp);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Smtp, smtp_close)

/*
 * The same by a program with sendmail's arguments (msmtp, Postfix's sendmail): argv is run with
 * "-f", the sender, "--" and the recipients behind it, and reads the mail with LF on stdin. It
 * must not be told to read recipients from the mail (-t): a second try for one of them would go
 * to all.
 *
 * last_byte() comes before the program starts. Its exit status by sysexits.h is the result, for
 * all recipients alike: 0 SENT; bad data, no such user, no such host NEVER; all else, which a
 * person can repair, RETRY. A program that is killed, runs longer than wait_us (0: 5 min), or
 * still runs stop_us after stop() said so, leaves DOUBT. Nothing else of the place counts.
 */
void smtp_program_send(const char *const *argv,
                       const SmtpPlace *place,
                       const SmtpMail *mail,
                       SmtpResult *ret);
