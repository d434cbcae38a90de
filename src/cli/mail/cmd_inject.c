#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/home/pass.h"
#include "cli/mail/outgoing.h"
#include "mail/compose.h"
#include "mail/maildir.h"

/* file NULL: standard input. */
static int
read_input(Cli *cli, const char *file, GBytes **ret)
{
    if (file)
        return cli_read_file(cli, "", file, LIMIT_MESSAGE_BYTES, ret);
    /* With a subject the body may be empty: a terminal is not asked for one. */
    if (!cli_text(cli, "subject") || !isatty(STDIN_FILENO))
        return outgoing_read_stdin(LIMIT_MESSAGE_BYTES, "the message", ret);
    *ret = g_bytes_new_static("", 0);
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
from_parts(
    Cli *cli, Engine *engine, const ConfRole *role, GBytes *body, GBytes **ret, char **ret_id)
{
    const char *subject = cli_text(cli, "subject"), *sender = cli_text(cli, "from");
    char **files = cli_texts(cli, "attach");
    int status = 0;
    g_autofree char *text = text_valid_bytes(body);
    if (!subject && !files && !*g_strchug(text))
        return cli_usage(cli, "a mail needs a body or a --subject");
    g_autofree char *from =
        outgoing_address(cli, sender ? sender : cli->home->config->owner, &status);
    if (!from)
        return status;
    char *to[] = {(char *)role->address, NULL};
    Outgoing mail = {.from = from, .to = to, .subject = subject, .body = text, .files = files};
    return outgoing_format(cli, engine, &mail, ret, ret_id);
}

/* A whole message keeps its bytes; --again gives it a new id. */
static int
from_message(Cli *cli, GBytes *input, GBytes **ret, char **ret_id)
{
    g_autoptr(GBytes) rest = NULL;
    g_autoptr(Addresses) bcc = NULL;
    gsize len;
    const char *data = g_bytes_get_data(input, &len);
    if (!compose_raw(data, len, NULL, NULL, &rest, ret_id, &bcc, &cli->error))
        return cli_failed(cli, EX_DATAERR);
    if (cli_flag(cli, "again") || !*ret_id) {
        g_free(*ret_id);
        *ret_id = outgoing_random_msgid(cli->home, "inject");
    }
    *ret = outgoing_with_msgid(rest, *ret_id);
    return 0;
}

static int
file_mail(Cli *cli, Engine *engine, const ConfRole *role, GBytes *bytes, const char *id)
{
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse_bytes(bytes, MESSAGE_TEXT);
    MsgKnown known;
    bool was_there;
    if (!messages_known(engine->db, role->name, m, &known, &cli->error))
        return cli_failed(cli, 0);
    if (known.id.v && !cli_flag(cli, "again"))
        return cli_fail(EX_DATAERR,
                        "role '%s' has the mail '<%s>' already; --again gives it a new id",
                        role->name, id);
    g_autoptr(Maildir) md = NULL;
    g_autofree char *base = maildir_name(home_now(cli->home));
    g_autofree char *head =
        origin_line(&cli->home->key, data, len, &(OriginClaim){TRUST_OPERATOR, TRUST_OPERATOR, NULL}, role->name);
    if (!maildir_open(cli->home->mail_fd, role->name, true, &md, &cli->error) ||
        !maildir_deliver(md, "", base, NULL, head, data, len, &was_there, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

static int
inject(Cli *cli, const char *file, int max_iterations)
{
    const char *name = cli_text(cli, "role");
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GBytes) input = NULL, bytes = NULL;
    g_autofree char *id = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    const ConfRole *role = config_role_pick(cli->home->config, name, &cli->error);
    if (!role)
        return cli_failed(cli, name ? EX_NOINPUT : 0);
    if ((status = read_input(cli, file, &input)))
        return status;
    bool whole = !cli_text(cli, "subject") && !cli_text(cli, "from") &&
                 !cli_texts(cli, "attach") && is_whole_message(input);
    status = whole ? from_message(cli, input, &bytes, &id)
                   : from_parts(cli, engine, role, input, &bytes, &id);
    if (status || (status = file_mail(cli, engine, role, bytes, id)))
        return status;
    cli_print(cli, "<%s>\n", id);
    if (cli_flag(cli, "run") && !pass_unless_served(engine, max_iterations, &cli->error))
        return cli_failed(cli, 0);
    return 0;
}

int
cmd_inject(Cli *cli, int argc, char **argv)
{
    int max_iterations;
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "inject: speaks for the operator, so an agent may not");
    int status = cli_iterations(cli, cli_flag(cli, "run"), &max_iterations);
    return status ? status
                  : inject(cli, g_strcmp0(argv[1], "-") == 0 ? NULL : argv[1], max_iterations);
}
