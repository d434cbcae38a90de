#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/mail/outgoing.h"
#include "mail/compose.h"
#include "mail/maildir.h"
#include <errno.h>
#include <fcntl.h>

typedef struct InjectOptions {
    const char *role, *from, *subject;
    char **files;
    bool again, run;
    int max_iterations;
    const char *file; /* operand; NULL: standard input */
} InjectOptions;

static int
read_input(const InjectOptions *o, GBytes **ret)
{
    GError *error = NULL;
    if (!o->file) {
        /* With a subject the body may be empty: a terminal is not asked for one. */
        if (o->subject && isatty(STDIN_FILENO)) {
            *ret = g_bytes_new_static("", 0);
            return 0;
        }
        return outgoing_read_stdin(LIMIT_MESSAGE_BYTES, "the message", ret);
    }
    auto_fd fd = open(o->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cli_fail(EX_NOINPUT, "'%s': %s", o->file, g_strerror(errno));
    if (!file_read_fd(fd, LIMIT_MESSAGE_BYTES, ret, &error)) {
        (void)err_prefix(&error, "'%s'", o->file);
        return cli_error(0, error);
    }
    return 0;
}

/* A message of its own has a From line among its headers. */
static bool
is_whole_message(GBytes *input)
{
    g_autoptr(Message) m = message_parse_bytes(input, MESSAGE_HEADERS);
    return !m->problem && m->from && message_header(m, "From");
}

static int
from_parts(Cli *cli,
           Engine *engine,
           const InjectOptions *o,
           const ConfRole *role,
           GBytes *body,
           GBytes **ret,
           char **ret_id)
{
    int status = 0;
    g_autofree char *text = text_valid_bytes(body);
    if (!o->subject && !o->files && !*g_strchug(text))
        return cli_usage(cli, "a mail needs a body or a --subject");
    g_autofree char *from =
        outgoing_address(cli, o->from ? o->from : cli->home->config->owner, &status);
    if (!from)
        return status;
    char *to[] = {(char *)role->address, NULL};
    Outgoing mail = {
        .from = from, .to = to, .subject = o->subject, .body = text, .files = o->files};
    return outgoing_format(cli, engine, &mail, ret, ret_id);
}

/* A whole message keeps its bytes; --again gives it a new id. */
static int
from_message(Cli *cli, const InjectOptions *o, GBytes *input, GBytes **ret, char **ret_id)
{
    GError *error = NULL;
    g_autoptr(GBytes) rest = NULL;
    g_autoptr(Addresses) bcc = NULL;
    gsize len;
    const char *data = g_bytes_get_data(input, &len);
    if (!compose_raw(data, len, NULL, NULL, &rest, ret_id, &bcc, &error))
        return cli_error(EX_DATAERR, error);
    if (o->again || !*ret_id) {
        g_free(*ret_id);
        *ret_id = outgoing_random_msgid(cli->home, "inject");
    }
    *ret = outgoing_with_msgid(rest, *ret_id);
    return 0;
}

static int
file_mail(Cli *cli,
          Engine *engine,
          const InjectOptions *o,
          const ConfRole *role,
          GBytes *bytes,
          const char *id)
{
    GError *error = NULL;
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    MsgKnown known;
    bool was_there;
    if (!messages_known(engine->db, role->name, m, &known, &error))
        return cli_error(0, error);
    if (known.id.v && !o->again)
        return cli_fail(EX_DATAERR,
                        "role '%s' has the mail '<%s>' already; --again gives it a new id",
                        role->name, id);
    g_autoptr(Maildir) md = NULL;
    g_autofree char *base = maildir_name(home_now(cli->home));
    g_autofree char *head =
        origin_line(&cli->home->key, data, len, TRUST_OPERATOR, TRUST_OPERATOR, role->name);
    if (!maildir_open(cli->home->mail_fd, role->name, true, &md, &error) ||
        !maildir_deliver(md, "", base, NULL, head, data, len, &was_there, &error))
        return cli_error(0, error);
    return 0;
}

static int
inject(Cli *cli, const InjectOptions *o)
{
    GError *error = NULL;
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GBytes) input = NULL, bytes = NULL;
    g_autofree char *id = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    const Config *config = cli->home->config;
    const ConfRole *role = config_role_pick(config, o->role, &error);
    if (!role)
        return cli_error(o->role ? EX_NOINPUT : 0, error);
    if ((status = read_input(o, &input)))
        return status;
    bool whole = !o->subject && !o->from && !o->files && is_whole_message(input);
    status = whole ? from_message(cli, o, input, &bytes, &id)
                   : from_parts(cli, engine, o, role, input, &bytes, &id);
    if (status || (status = file_mail(cli, engine, o, role, bytes, id)))
        return status;
    cli_print(cli, "<%s>\n", id);
    if (!o->run)
        return 0;
    PassStats stats;
    if (!pass_run(engine, 0, o->max_iterations, &stats, &error)) {
        if (!err_is(error, ERR_LATER))
            return cli_error(0, error);
        g_error_free(error); /* serve holds the account: it takes the mail in */
    }
    return 0;
}

int
cmd_inject(Cli *cli, int argc, char **argv)
{
    InjectOptions o = {.role = cli_text(cli, "role"),
                       .from = cli_text(cli, "from"),
                       .subject = cli_text(cli, "subject"),
                       .files = cli_texts(cli, "attach"),
                       .again = cli_flag(cli, "again"),
                       .run = cli_flag(cli, "run"),
                       .file = argc == 2 && !g_str_equal(argv[1], "-") ? argv[1] : NULL};
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "inject: speaks for the operator, so an agent may not");
    int status = cli_iterations(cli, o.run, &o.max_iterations);
    if (status)
        return status;
    return argc > 2 ? cli_usage(cli, "takes one FILE") : inject(cli, &o);
}
