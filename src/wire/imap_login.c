/*
 * The login. A password goes by AUTHENTICATE PLAIN, where that is not offered by LOGIN; a token
 * by OAUTHBEARER (RFC 7628) or XOAUTH2 (Google, Microsoft), whose servers explain a failure in
 * JSON behind a "+", and wait for an answer before they say NO. Every buffer that held a secret
 * is wiped.
 */
#include "base/secret.h"
#include "wire/imap_conn.h"

typedef struct Sasl {
    const char *mechanism;
    const char *give_up; /* what to answer when the server explains */
    char *secret;        /* base64; NULL once it was sent */
    char *why;           /* what the server explained */
} Sasl;

static void
sasl_clear(Sasl *sasl)
{
    secret_free(sasl->secret);
    g_free(sasl->why);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sasl, sasl_clear)

static char *
encode(GString *take_plain)
{
    char *base64 = g_base64_encode((const guchar *)take_plain->str, take_plain->len);

    explicit_bzero(take_plain->str, take_plain->allocated_len);
    g_string_free(take_plain, true);
    return base64;
}

static char *
plain_secret(const ImapOptions *options)
{
    GString *plain =
        g_string_sized_new(2 + strlen(options->user) + strlen(options->password) + 16);

    g_string_append_c(plain, '\0');
    g_string_append(plain, options->user);
    g_string_append_c(plain, '\0');
    g_string_append(plain, options->password);
    return encode(plain);
}

static char *
bearer_secret(const ImapOptions *options, bool xoauth2)
{
    GString *plain = g_string_sized_new(3 * strlen(options->user) + strlen(options->host) +
                                        strlen(options->token) + 128);

    if (xoauth2) {
        g_string_append_printf(plain, "user=%s\1", options->user);
    } else {
        g_string_append(plain, "n,a=");
        for (const char *p = options->user; *p; p++) { /* RFC 5801: "," and "=" are its own */
            if (*p == ',' || *p == '=')
                g_string_append(plain, *p == ',' ? "=2C" : "=3D");
            else
                g_string_append_c(plain, *p);
        }
        g_string_append_printf(plain, ",\1host=%s\1port=%u\1", options->host,
                               options->port ? options->port : 993);
    }
    g_string_append_printf(plain, "auth=Bearer %s\1\1", options->token);
    return encode(plain);
}

/* The first "+" asks for what SASL-IR would have sent along; any other explains a failure. */
static bool
on_continue(void *user, const ImapResponse *r, char **ret_line, GError **error)
{
    Sasl *sasl = user;
    gsize len = 0;

    if (sasl->secret) {
        *ret_line = g_steal_pointer(&sasl->secret);
        return true;
    }
    if (!sasl->give_up || sasl->why)
        return err_set(error, ERR_LATER, "the server asks for more than '%s' has",
                       sasl->mechanism);
    g_autofree char *text = g_strndup(r->text.s, MIN(r->text.len, 4096));
    g_autofree guchar *json = g_base64_decode(text, &len);
    sasl->why = imap_slice_vis((ImapSlice){(const char *)json, len});
    *ret_line = g_strdup(sasl->give_up);
    return true;
}

static bool
authenticate(ImapConn *conn, Sasl *sasl, ImapReply *ret, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("AUTHENTICATE");
    ImapWatch watch = {.on_continue = on_continue, .user = sasl};

    imap_command_secret(command);
    imap_command_words(command, sasl->mechanism);
    if (imap_can(conn, "SASL-IR")) {
        imap_command_words(command, sasl->secret);
        g_clear_pointer(&sasl->secret, secret_free);
    }
    return imap_exchange(conn, command, &watch, ret, error);
}

static bool
login(ImapConn *conn, const ImapOptions *options, ImapReply *ret, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("LOGIN");

    imap_command_secret(command);
    imap_command_string(command, options->user);
    imap_command_string(command, options->password);
    return imap_exchange(conn, command, NULL, ret, error);
}

static bool
is_token(const char *token)
{
    for (const char *p = token; *p; p++)
        if (*p <= 0x20 || *p > 0x7e)
            return false;
    return *token != '\0';
}

static bool
by_token(ImapConn *conn, const ImapOptions *options, Sasl *sasl, ImapReply *ret, GError **error)
{
    bool bearer = imap_can(conn, "AUTH=OAUTHBEARER");

    if (!bearer && !imap_can(conn, "AUTH=XOAUTH2"))
        return err_set(error, ERR_CONFIG, "the server takes no tokens");
    if (!is_token(options->token))
        return err_set(error, ERR_CONFIG, "what should be a token is none");
    sasl->mechanism = bearer ? "OAUTHBEARER" : "XOAUTH2";
    sasl->give_up = bearer ? "AQ==" : "";
    sasl->secret = bearer_secret(options, !bearer);
    return authenticate(conn, sasl, ret, error);
}

static bool
by_password(
    ImapConn *conn, const ImapOptions *options, Sasl *sasl, ImapReply *ret, GError **error)
{
    if (imap_can(conn, "AUTH=PLAIN")) {
        sasl->mechanism = "PLAIN";
        sasl->secret = plain_secret(options);
        return authenticate(conn, sasl, ret, error);
    }
    if (imap_can(conn, "LOGINDISABLED"))
        return err_set(error, ERR_CONFIG, "the server takes no password on this connection");
    return login(conn, options, ret, error);
}

/* Codes tell most; Gmail says only in words that it is our number of connections. */
static ErrCode
remedy(const ImapReply *reply)
{
    g_autofree char *text = g_ascii_strdown(reply->text, -1);
    return strstr(text, "too many") ? ERR_LATER : ERR_CONFIG;
}

bool
imap_login(ImapConn *conn, const ImapOptions *options, GError **error)
{
    g_auto(ImapReply) reply = {0};
    g_auto(Sasl) sasl = {0};
    secret_learn(options->password);
    secret_learn(options->token);
    bool asked = options->token ? by_token(conn, options, &sasl, &reply, error)
                                : by_password(conn, options, &sasl, &reply, error);

    if (!asked)
        return false;
    if (reply.status != IMAP_OK) {
        imap_refused(&reply, remedy(&reply), error);
        return sasl.why ? err_prefix(error, "%s", sasl.why) : false;
    }
    /* What the server could before the login says nothing about what it can now. */
    return imap_reply_has_code(&reply, "CAPABILITY") || imap_ask_capabilities(conn, error);
}
