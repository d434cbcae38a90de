/* `mail thread`: a conversation as a tree. */
#include "base/json.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/mail_view.h"
#include "show/talk.h"

/* What it answers beside the mail that it hangs below; caller frees. */
static char *
further_parents(Cli *cli, const json_t *mail)
{
    GString *all = g_string_new(NULL);
    const json_t *parents = json_object_get(mail, "parents");
    for (size_t i = 1; i < json_array_size(parents); i++) {
        g_autofree char *id = cli_short_ids(cli, json_string_value(json_array_get(parents, i)));
        g_string_append_printf(all, "%s%s", i == 1 ? ", answers too " : " ", id);
    }
    return g_string_free(all, FALSE);
}

static void
print_mail(Cli *cli, const json_t *mail, const char *prefix)
{
    if (json_is_null(json_object_get(mail, "message_id"))) {
        cli_print(cli, "%20s  %s(a mail that is not here)\n", "", prefix);
        return;
    }
    bool graph = json_object_get(mail, "parents") != NULL;
    g_autofree char *id = graph ? cli_short_ids(cli, cli_member(mail, "message_id")) : NULL;
    g_autofree char *further = further_parents(cli, mail);
    const char *by = cli_member(mail, "resolved_by");
    bool asks = json_object_get(mail, "resolved_by") != NULL;
    cli_print_line(cli, "%-20s  %s%s%s%s: %s [%s]%s%s%s", cli_member(mail, "date"), prefix,
                   id ? id : "", id ? " " : "", cli_member(mail, "from"),
                   cli_member(mail, "subject"), cli_member(mail, "state"), further,
                   !asks ? ""
                   : *by ? ", resolved by "
                         : ", open",
                   by);
}

/* indent is what stands before the mails of this level. */
static void
print_tree(Cli *cli, const json_t *mails, const char *indent, bool root)
{
    size_t i;
    const json_t *mail;
    json_array_foreach(mails, i, mail)
    {
        bool last = i + 1 == json_array_size(mails);
        g_autofree char *prefix = g_strconcat(indent, root ? "" : last ? "└─ " : "├─ ", NULL);
        g_autofree char *below = g_strconcat(indent, root ? "" : last ? "   " : "│  ", NULL);
        print_mail(cli, mail, prefix);
        print_tree(cli, json_object_get(mail, "replies"), below, false);
    }
}

static int
thread_home(Cli *cli, const char *id)
{
    g_auto(MailFound) found = {0};
    g_autoptr(json_t) tree = NULL;
    int status = cli_db(cli, DB_READ);
    if (status || (status = mail_find(cli, cli->db, id, &found)))
        return status;
    g_auto(Engine) engine = cli_reader(cli);
    if (!talk_json(&engine, found.in, g_steal_pointer(&found.out), cli_flag(cli, "graph"),
                   &tree, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json)
        cli_print_json(cli, g_steal_pointer(&tree));
    else
        print_tree(cli, tree, "", true);
    return 0;
}

/* Inside a program agent there is nothing to name: a run has one conversation. */
int
cmd_mail_thread(Cli *cli, int argc, char **argv)
{
    if (!cli_in_agent())
        return argv[1] ? thread_home(cli, argv[1]) : cli_usage(cli, "needs ID");
    return argv[1] || cli_flag(cli, "graph")
               ? cli_usage(cli,
                           "inside a program agent, thread takes no ID: it is that of the job")
               : mail_call_list(cli, json_pack("{s:s}", "verb", "mail.thread"));
}
