#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/mail_view.h"
#include "engine/mail_content.h"
#include "steps/source.h"

static int
print_attachment(Cli *cli, GBytes *raw, const char *name)
{
    g_autoptr(Message) m = message_parse_bytes(raw, MESSAGE_CONTENT);
    g_autoptr(GString) names = g_string_new(NULL);
    const MsgPart *found = message_file(m, name);
    if (found) {
        cli_print_bytes(cli, found->content);
        return 0;
    }
    LIST_EACH(const MsgPart, part, m->files)
        g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", part->filename);
    if (!names->len)
        return cli_fail(EX_NOINPUT, "the mail has no attachments");
    return cli_fail(EX_NOINPUT, "no attachment '%s'; there is %s", name, names->str);
}

static int
show_home(Cli *cli, const char *id, bool raw, const char *attachment)
{
    g_auto(MailFound) found = {0};
    g_autoptr(GBytes) bytes = NULL;
    int status = cli_db(cli, DB_READ);
    if (status || (status = mail_find(cli, cli->db, id, &found)))
        return status;
    if (!mail_read(cli, &found, &bytes, &cli->error))
        return cli_failed(cli, 0);
    if (!bytes && (raw || attachment))
        return cli_fail(EX_NOINPUT, "the file of this mail is gone");
    if (raw)
        cli_print_bytes(cli, bytes);
    else if (attachment)
        status = print_attachment(cli, bytes, attachment);
    else {
        json_t *mail = mail_json(found.in, found.out);
        const char *role = found.in ? found.in->role : "";
        g_auto(Engine) engine = cli_reader(cli);
        mail_add_content(mail, cli->home, bytes, source_readable,
                         context_role_takes(&engine, role));
        mail_print(cli, mail);
    }
    return status;
}

int
mail_show(Cli *cli, const char *id, bool raw, const char *attachment)
{
    json_t *mail;
    if (!cli_in_agent())
        return show_home(cli, id, raw, attachment);
    if (raw || attachment)
        return cli_fail(EX_NOPERM, "inside a program agent attachments lie in the folder 'in'");
    g_autofree char *valid = text_make_valid(id, -1);
    json_t *request = json_pack("{s:s, s:s}", "verb", "mail.show", "id", valid);
    int status = cli_call(cli, request, "mail", &mail);
    if (status == 0)
        mail_print(cli, mail);
    return status;
}

int
cmd_mail_show(Cli *cli, int argc, char **argv)
{
    bool raw = cli_flag(cli, "raw");
    const char *attachment = cli_text(cli, "attachment");
    if (raw && attachment)
        return cli_usage(cli, "--raw is the whole mail, --attachment a part of it: say one");
    return mail_show(cli, argv[1], raw, attachment);
}
