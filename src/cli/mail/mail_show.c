#include "base/banned.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/mail_view.h"
#include "engine/in/mail_in.h"
#include "mail/address.h"
#include "mail/mime/part_json.h"
#include "port/port_client.h"
#include "steps/source.h"

static Message *
parse(GBytes *raw, MessageWhat what)
{
    gsize len;
    const void *data = g_bytes_get_data(raw, &len);
    return message_parse(data, len, what, NULL);
}

/* What a checkpoint mail says, without its MAC, and whether that holds. Of one that is forged
 * nothing is read; NULL: the mail is none. */
static json_t *
continuation_json(const Home *home, GBytes *raw, const Message *head)
{
    static const char *const names[] = {[CONT_FORGED] = "forged",
                                        [CONT_AMBIGUOUS] = "ambiguous",
                                        [CONT_UNSIGNED] = "unsigned",
                                        [CONT_SIGNED] = "signed"};
    g_autoptr(Continuation) c = NULL;
    json_t *document = NULL;
    if (!continuation_possible(head))
        return NULL;
    g_autoptr(Message) m = parse(raw, MESSAGE_CONTENT);
    ContinuationSeen seen = continuation_read(&home->key, m, &c);
    if (seen == CONT_NOT_ONE)
        return NULL;
    gsize len = 0;
    GBytes *part = continuation_part(m);
    const char *data = part ? g_bytes_get_data(part, &len) : NULL;
    if (data && (seen == CONT_SIGNED || seen == CONT_UNSIGNED))
        (void)json_parse(data, len, 0, &document, NULL);
    json_t *o = json_is_object(document) ? json_incref(document) : json_object();
    g_clear_pointer(&document, json_decref);
    json_object_del(o, "mac");
    json_object_set_new(o, "seen", json_string(names[seen]));
    json_object_set_new(o, "mac_holds", json_boolean(seen == CONT_SIGNED));
    return o;
}

/* Adds what only the message itself says; raw may be NULL. takes: what the brain that has the
 * mail can see. */
static void
add_content(json_t *mail, const Home *home, GBytes *raw, unsigned takes)
{
    json_t *attachments = json_array();
    json_object_set_new(mail, "text", json_null());
    json_object_set_new(mail, "available_attachments", attachments);
    json_object_set_new(mail, "continuation", json_null());
    if (!raw)
        return;
    g_autoptr(Message) m = parse(raw, MESSAGE_TEXT);
    g_autofree char *to = address_show_list(m->to);
    g_autofree char *cc = address_show_list(m->cc);
    json_object_set_new(mail, "to", json_string(to));
    json_object_set_new(mail, "cc", json_string(cc));
    if (!message_header(m, MAIL_LARGE_HEADER))
        json_object_set_new(mail, "text", json_string(m->text));
    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->files, i);
        json_array_append_new(attachments,
                              part_format_json(part, source_readable(part, takes)));
    }
    json_t *continuation = continuation_json(home, raw, m);
    if (continuation)
        json_object_set_new(mail, "continuation", continuation);
}

static void
print_bytes(Cli *cli, GBytes *bytes)
{
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    g_string_append_len(cli->out, data ? data : "", (gssize)len);
}

static int
print_attachment(Cli *cli, GBytes *raw, const char *name)
{
    g_autoptr(Message) m = parse(raw, MESSAGE_CONTENT);
    g_autoptr(GString) names = g_string_new(NULL);
    const MsgPart *found = message_file(m, name);
    if (found) {
        print_bytes(cli, found->content);
        return 0;
    }
    for (guint i = 0; i < m->files->len; i++) {
        const MsgPart *part = g_ptr_array_index(m->files, i);
        g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", part->filename);
    }
    if (!names->len)
        return cli_fail(EX_NOINPUT, "the mail has no attachments");
    return cli_fail(EX_NOINPUT, "no attachment '%s'; there is %s", name, names->str);
}

static int
show_home(Cli *cli, const char *id, bool raw, const char *attachment)
{
    GError *error = NULL;
    g_auto(MailFound) found = {0};
    g_autoptr(GBytes) bytes = NULL;
    int status = cli_db(cli, DB_READ);
    if (status || (status = mail_find(cli, cli->db, id, &found)))
        return status;
    if (!mail_read(cli, &found, &bytes, &error))
        return cli_error(0, error);
    if (!bytes && (raw || attachment))
        return cli_fail(EX_NOINPUT, "the file of this mail is gone");
    if (raw)
        print_bytes(cli, bytes);
    else if (attachment)
        status = print_attachment(cli, bytes, attachment);
    else {
        json_t *mail = found.in ? mail_json(found.in) : mail_out_json(found.out);
        const char *role = found.in ? found.in->role : "";
        g_auto(Engine) engine = cli_reader(cli);
        add_content(mail, cli->home, bytes, context_role_takes(&engine, role));
        mail_print(cli, mail);
    }
    return status;
}

/* Inside a program agent: what its role may see, through the run that started it. */
static int
show_port(Cli *cli, const char *id)
{
    GError *error = NULL;
    g_autoptr(json_t) answer = NULL;
    int status = 0;
    g_autofree char *valid = text_make_valid(id, -1);
    json_t *request = json_pack("{s:s, s:s}", "verb", "mail.show", "id", valid);
    if (!port_call(port_client_path(), request, &answer, &status, &error))
        return cli_error(status, error);
    mail_print(cli, json_incref(json_object_get(answer, "mail")));
    return 0;
}

int
mail_show(Cli *cli, const char *id, bool raw, const char *attachment)
{
    if (!cli_in_agent())
        return show_home(cli, id, raw, attachment);
    if (raw || attachment)
        return cli_fail(EX_NOPERM, "inside a program agent attachments lie in the folder 'in'");
    return show_port(cli, id);
}

int
cmd_mail_show(Cli *cli, int argc, char **argv)
{
    bool raw = cli_flag(cli, "raw");
    const char *attachment = cli_text(cli, "attachment");
    if (argc != 2)
        return cli_usage(cli, "show needs one ID");
    if (raw && attachment)
        return cli_usage(cli, "--raw is the whole mail, --attachment a part of it: say one");
    return mail_show(cli, argv[1], raw, attachment);
}
