#pragma once

/*
 * The inside of ImapConn: the stream under the responses, and one command from its first byte
 * to its tagged reply. Internal to src/wire/imap*.
 */
#include "wire/imap.h"
#include "wire/imap_command.h"
#include "wire/imap_response.h"
#include <curl/curl.h>

struct ImapConn {
    CURL *easy;
    ImapReader *reader;
    GHashTable *capabilities; /* upper case */
    GError *broken;           /* what every call fails with from then on */
    char *alert;
    int64_t time_us, idle_us;
    uint64_t max_body;
    int64_t began_us;    /* the command under way, on the monotonic clock */
    uint64_t carried;    /* bytes in both directions since */
    char *prefix;        /* of our folders; see placed */
    ImapMailbox mailbox; /* kept up to date by what the server tells between */
    int fd;
    int stop_fd; /* -1: none */
    unsigned tag;
    unsigned n_responses; /* since the command began */
    bool leaving;         /* LOGOUT was said: BYE is no news */
    bool news;            /* the server told something that imap_idle() has not yet reported */
    bool idling;          /* flags that change are news only then */
    bool placed;          /* prefix and separator are known */
    char separator;
    char curl_said[CURL_ERROR_SIZE];
};

/* The tagged reply to a command. */
typedef struct ImapReply {
    ImapStatus status;
    char *code, *text; /* escaped; never NULL */
} ImapReply;
void imap_reply_clear(ImapReply *reply);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapReply, imap_reply_clear)

/* What happens between a command and its tagged reply. Both calls may be NULL; a call that returns
 * false breaks the connection. */
typedef struct ImapWatch {
    bool (*on_data)(void *user, const ImapResponse *response, GError **error);
    /* The server asks for more ("+"): *ret_line is sent, without a line end of its own; wiped
     * and freed by the caller of this. */
    bool (*on_continue)(void *user,
                        const ImapResponse *response,
                        char **ret_line,
                        GError **error);
    void *user;
} ImapWatch;

/* True when a tagged reply came, whatever it says. */
bool imap_exchange(ImapConn *conn,
                   const ImapCommand *command,
                   const ImapWatch *watch,
                   ImapReply *ret,
                   GError **error);
/* True when a tagged reply came and was OK. */
bool
imap_run(ImapConn *conn, const ImapCommand *command, const ImapWatch *watch, GError **error);
/* The error for a reply that is not OK: by its response code (RFC 5530), else by_default. */
bool imap_refused(const ImapReply *reply, ErrCode by_default, GError **error);
bool imap_reply_has_code(const ImapReply *reply, const char *word);

/* Of a LIST response; NULL for what is no folder that we could name. Caller frees. */
ImapFolder *imap_folder_parse(const ImapResponse *response);
/* True when LIST knows a folder of this name. */
bool imap_is_there(ImapConn *conn, const char *name);

/* --- for imap_idle(), which is no command like the others --- */

void imap_begin(ImapConn *conn); /* time and counters start anew */
bool imap_say(ImapConn *conn, const char *line, size_t len, GError **error);
/* Without waiting: 1 when there are bytes for imap_hear(), 0 when not, -1 with error. */
int imap_try_read(ImapConn *conn, GError **error);
/* The next response, already taken account of. */
const ImapResponse *imap_hear(ImapConn *conn, GError **error);
/* False with error when the connection is broken. */
bool imap_check(const ImapConn *conn, GError **error);
/* Takes the error as the end of the connection; false. */
bool imap_break(ImapConn *conn, GError *take_error, GError **error);

/* --- parts of imap_open() --- */

void imap_attach_reader(ImapConn *conn);
bool imap_ask_capabilities(ImapConn *conn, GError **error);
bool imap_login(ImapConn *conn, const ImapOptions *options, GError **error);
