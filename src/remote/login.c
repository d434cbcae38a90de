#include "remote/login.h"
#include "base/proc.h"
#include "base/secret.h"
#include "base/secretfile.h"

#define SECRET_BYTES_MAX 16384u /* access tokens are long */
#define COMMAND_US (60 * USEC_PER_SEC)

static void
secret_clear(Secret *secret)
{
    secret_free(secret->password);
    secret_free(secret->token);
    *secret = (Secret){0};
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Secret, secret_clear)

/* The first line; a password may hold anything but its end. False: there is none. */
static bool
first_line(GBytes *bytes, char **ret)
{
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;
    const char *text = data ? data : "";
    const char *end = memchr(text, '\n', len);
    size_t n = end ? (size_t)(end - text) : len;

    while (n > 0 && text[n - 1] == '\r')
        n--;
    if (n == 0 || memchr(text, '\0', n))
        return false;
    *ret = g_strndup(text, n);
    explicit_bzero((void *)text, len);
    return true;
}

static bool
from_file(const Home *home, const char *setting, char **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!secretfile_read("password file", setting, home->path, SECRET_BYTES_MAX, &bytes, error))
        return false;
    return first_line(bytes, ret) ||
           err_set(error, ERR_CONFIG, "the password file '%s' holds no password", setting);
}

static bool
from_command(const Home *home, const char *const *argv, char **ret, GError **error)
{
    g_auto(GStrv) env = secret_environ();
    ProcSpec spec = {.argv = argv,
                     .env = (const char *const *)env,
                     .cwd = home->path,
                     .limits = {.time_us = COMMAND_US, .out_max = SECRET_BYTES_MAX}};
    g_autoptr(Proc) ended = NULL;

    if (!proc_run(&spec, &ended, error))
        return err_prefix(error, "the command '%s'", argv[0]);
    const ProcEnd *end = proc_result(ended);
    if (end->why)
        return err_set(error, ERR_CONFIG, "the command '%s' gives no password: %s", argv[0],
                       end->why);
    return first_line(end->out, ret) ||
           err_set(error, ERR_CONFIG, "the command '%s' gives no password", argv[0]);
}

static bool
read_secret(const Home *home, const ConfServer *server, Secret *ret, GError **error)
{
    *ret = (Secret){0};
    if (server->token_command && server->token_command[0])
        return from_command(home, server->token_command, &ret->token, error);
    if (server->password_command && server->password_command[0])
        return from_command(home, server->password_command, &ret->password, error);
    return !*server->password_file ||
           from_file(home, server->password_file, &ret->password, error);
}

/* The certificates to trust; the setting is relative to the home. NULL: the system's. */
static char *
find_ca_file(const Home *home, const ConfServer *server)
{
    return *server->ca_file ? g_canonicalize_filename(server->ca_file, home->path) : NULL;
}

bool
login_imap(const Home *home,
           const ConfServer *server,
           ImapOptions more,
           ImapConn **ret,
           GError **error)
{
    g_auto(Secret) secret = {0};
    g_autofree char *ca = find_ca_file(home, server);

    if (!read_secret(home, server, &secret, error))
        return false;
    more.host = server->host;
    more.port = (unsigned)server->port;
    more.tls = server->tls == CONF_TLS_NONE       ? IMAP_TLS_NONE
               : server->tls == CONF_TLS_STARTTLS ? IMAP_TLS_STARTTLS
                                                      : IMAP_TLS_IMPLICIT;
    more.ca_file = ca;
    more.user = server->user;
    more.password = secret.password;
    more.token = secret.token;
    return imap_open(&more, ret, error);
}

void
submission_clear(Submission *s)
{
    g_clear_pointer(&s->smtp, smtp_close);
    secret_clear(&s->secret);
    g_clear_pointer(&s->ca_file, g_free);
}

bool
login_smtp(const Home *home, const ConfServer *server, Submission *ret, GError **error)
{
    SmtpPlace *place = &ret->place;

    if (!read_secret(home, server, &ret->secret, error))
        return false;
    ret->ca_file = find_ca_file(home, server);
    place->host = server->host;
    place->port = server->port;
    place->tls = server->tls == CONF_TLS_NONE       ? SMTP_TLS_NONE
                 : server->tls == CONF_TLS_STARTTLS ? SMTP_TLS_STARTTLS
                                                        : SMTP_TLS_IMPLICIT;
    place->ca_file = ret->ca_file;
    place->user = server->user;
    place->password = ret->secret.password;
    place->token = ret->secret.token;
    return smtp_open(place, &ret->smtp, error);
}
