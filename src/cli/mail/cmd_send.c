#include "base/json.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "mail/msgid.h"
#include "port/port_client.h"

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
send_home(Cli *cli, const char *body)
{
    const char *sender = cli_text(cli, "from");
    g_autoptr(Engine) engine = NULL;
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    g_auto(GStrv) to = resolve(cli, cli_texts(cli, "to"), &status);
    g_auto(GStrv) cc = to ? resolve(cli, cli_texts(cli, "cc"), &status) : NULL;
    g_autofree char *from =
        cc ? outgoing_address(cli, sender ? sender : cli->home->config->owner, &status) : NULL;
    if (!from)
        return status;
    const ConfRole *role = config_role_at(cli->home->config, from);
    g_autoptr(GPtrArray) parents = NULL;
    if ((status = outgoing_parents(cli, engine->db, false, &parents)))
        return status;
    Outgoing mail = {.from = from,
                     .from_name = role ? role->display : NULL,
                     .to = to,
                     .cc = cc,
                     .subject = cli_text(cli, "subject"),
                     .parents = parents,
                     .body = body,
                     .files = cli_texts(cli, "attach")};
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

/* What is attached, as the port takes it. */
static int
files_json(Cli *cli, json_t *ret)
{
    for (char **f = cli_texts(cli, "attach"); f && *f; f++) {
        g_autoptr(GBytes) content = NULL;
        int status = cli_read_file(cli, "attaching ", *f, LIMIT_ATTACHMENT_BYTES, &content);
        if (status)
            return status;
        gsize len;
        const guchar *data = g_bytes_get_data(content, &len);
        g_autofree char *base64 = g_base64_encode(data, len);
        g_autofree char *name = g_path_get_basename(*f);
        json_array_append_new(
            ret, json_pack("{s:s, s:s}", "filename", name, "content_base64", base64));
    }
    return 0;
}

/* Inside a program agent: a proposal to the run that started us. */
static int
send_port(Cli *cli, const char *body)
{
    const char *subject = cli_text(cli, "subject");
    g_autoptr(json_t) files = json_array(), answer = NULL;
    g_autoptr(GPtrArray) parents = NULL;
    int status = files_json(cli, files);
    if (status || (status = outgoing_parents(cli, NULL, false, &parents)))
        return status;
    json_t *request =
        json_pack("{s:s, s:o, s:o, s:s, s:s, s:O}", "verb", "send", "to",
                  json_strings(cli_texts(cli, "to")), "cc", json_strings(cli_texts(cli, "cc")),
                  "subject", subject ? subject : "", "body", body, "attachments", files);
    outgoing_put_parents(request, parents);
    if (!port_call(port_client_path(), request, &answer, &status, &cli->error))
        return cli_failed(cli, status);
    const char *id = json_string_value(json_object_get(answer, "message_id"));
    const char *why = json_string_value(json_object_get(answer, "why"));
    g_autofree char *plain = id ? msgid_parse(id) : NULL;
    cli_print(cli, "<%s>\n", plain ? plain : "");
    if (why)
        (void)cli_fail(0, "held: %s", why);
    return 0;
}

int
cmd_send(Cli *cli, int argc, char **argv)
{
    g_autofree char *body = NULL;
    if (!cli_texts(cli, "to"))
        return cli_usage(cli, "needs --to");
    int status = outgoing_read_text(LIMIT_MESSAGE_BYTES, "the body", &body);
    if (status)
        return status;
    if (!cli_text(cli, "subject") && !cli_texts(cli, "attach") &&
        body[strspn(body, " \t\r\n")] == '\0')
        return cli_usage(cli, "a mail needs a body or a --subject");
    return cli_in_agent() ? send_port(cli, body) : send_home(cli, body);
}
