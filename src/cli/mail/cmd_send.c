#include "base/cleanup.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "mail/msgid.h"
#include "port/port_client.h"
#include <errno.h>
#include <fcntl.h>

typedef struct SendOptions {
    char **to, **cc, **files;
    const char *subject, *in_reply_to, *from;
} SendOptions;

/* Names become addresses; NULL after a message. */
static char **
resolve(Cli *cli, char **names, int *status)
{
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    for (char **n = names; n && *n; n++) {
        char *address = outgoing_address(cli, *n, status);
        if (!address)
            return NULL;
        g_ptr_array_add(out, address);
    }
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&out), FALSE);
}

static int
send_home(Cli *cli, const SendOptions *o, const char *body)
{
    g_autoptr(Engine) engine = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    g_auto(GStrv) to = resolve(cli, o->to, &status);
    g_auto(GStrv) cc = to ? resolve(cli, o->cc, &status) : NULL;
    g_autofree char *from =
        cc ? outgoing_address(cli, o->from ? o->from : cli->home->config->owner, &status)
           : NULL;
    if (!from)
        return status;
    const ConfRole *role = config_role_at(cli->home->config, from);
    g_autofree char *parent = NULL;
    if (o->in_reply_to && (status = cli_msgid(engine->db, o->in_reply_to, &parent)))
        return status;
    Outgoing mail = {.from = from,
                     .from_name = role ? role->display : NULL,
                     .to = to,
                     .cc = cc,
                     .subject = o->subject,
                     .in_reply_to = parent ? parent : o->in_reply_to,
                     .body = body,
                     .files = o->files};
    g_autofree char *msgid = NULL;
    status = outgoing_send(cli, engine, &mail, &msgid);
    if (status == 0)
        cli_print(cli, "<%s>\n", msgid);
    return status;
}

static json_t *
json_strings(char **list)
{
    json_t *a = json_array();
    for (char **s = list; s && *s; s++)
        json_array_append_new(a, json_string(*s));
    return a;
}

/* Inside a program agent: a proposal to the run that started us. */
static int
send_port(Cli *cli, const SendOptions *o, const char *body)
{
    json_t *files = json_array();
    for (char **f = o->files; f && *f; f++) {
        GError *error = NULL;
        g_autoptr(GBytes) content = NULL;
        auto_fd fd = open(*f, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return cli_fail(EX_NOINPUT, "attaching '%s': %s", *f, g_strerror(errno));
        if (!file_read_fd(fd, LIMIT_ATTACHMENT_BYTES, &content, &error))
            return cli_error(0, error);
        gsize len;
        const guchar *data = g_bytes_get_data(content, &len);
        g_autofree char *base64 = g_base64_encode(data, len);
        g_autofree char *name = g_path_get_basename(*f);
        json_array_append_new(
            files, json_pack("{s:s, s:s}", "filename", name, "content_base64", base64));
    }
    json_t *request =
        json_pack("{s:s, s:o, s:o, s:s, s:s, s:o}", "verb", "send", "to", json_strings(o->to),
                  "cc", json_strings(o->cc), "subject", o->subject ? o->subject : "", "body",
                  body, "attachments", files);
    if (o->in_reply_to)
        json_object_set_new(request, "in_reply_to", json_string(o->in_reply_to));
    GError *error = NULL;
    json_t *answer = NULL;
    int status = 0;
    if (!port_call(port_client_path(), request, &answer, &status, &error))
        return cli_error(status, error);
    const char *id = json_string_value(json_object_get(answer, "message_id"));
    const char *why = json_string_value(json_object_get(answer, "why"));
    g_autofree char *plain = id ? msgid_parse(id) : NULL;
    cli_print(cli, "<%s>\n", plain ? plain : "");
    if (why)
        (void)cli_fail(0, "held: %s", why);
    json_decref(answer);
    return 0;
}

int
cmd_send(Cli *cli, int argc, char **argv)
{
    const SendOptions o = {.to = cli_texts(cli, "to"),
                           .cc = cli_texts(cli, "cc"),
                           .files = cli_texts(cli, "attach"),
                           .subject = cli_text(cli, "subject"),
                           .in_reply_to = cli_text(cli, "in-reply-to"),
                           .from = cli_text(cli, "from")};
    g_autofree char *body = NULL;
    if (argc > 1)
        return cli_usage(cli, "what is '%s'?", argv[1]);
    if (!o.to)
        return cli_usage(cli, "needs --to");
    int status = outgoing_read_text(LIMIT_MESSAGE_BYTES, "the body", &body);
    if (status)
        return status;
    if (!o.subject && !o.files && body[strspn(body, " \t\r\n")] == '\0')
        return cli_usage(cli, "a mail needs a body or a --subject");
    return cli_in_agent() ? send_port(cli, &o, body) : send_home(cli, &o, body);
}
