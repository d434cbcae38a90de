/* `mail list`. It reads no mail, only the store, so it is in both programs: the front answers
 * it without loading a MIME library. */
#include "cli/cmds.h"
#include "cli/mail/mail_view.h"
#include "store/index/index.h"

json_t *
mail_hits_json(const IndexHits *hits)
{
    json_t *array = json_array();
    LIST_EACH(const IndexHit, hit, hits)
        json_array_append_new(array, mail_json(hit->in, hit->out));
    return array;
}

/* --- for people --- */

/* Mail that was written has no number. */
static char *
mail_cell(Cli *cli, const json_t *mail, const char *member)
{
    return g_str_equal(member, "id") && json_is_null(json_object_get(mail, "id"))
               ? cli_short_ids(cli, cli_member(mail, "message_id"))
               : NULL;
}

void
mail_print_list(Cli *cli, json_t *take_mails)
{
    static const CliColumn columns[] = {{"ID", "id"},
                                        {"DATE", "date"},
                                        {"ROLE", "role"},
                                        {"FOLDER", "folder"},
                                        {"STATE", "state"},
                                        {"FROM", "from", 40},
                                        {"SUBJECT", "subject", 60},
                                        {NULL}};
    cli_print_list(cli, take_mails, columns, "no mail", mail_cell);
}

/* --- the verb --- */

int
mail_check_state(const Cli *cli, const char *name, bool written)
{
    const Words *others = written ? &out_state_all : NULL;
    return !name || words_find(&msg_state_all, name) >= 0 ||
                   (others && words_find(others, name) >= 0)
               ? 0
               : cli_no_state(cli, name, &msg_state_all, others);
}

static int
list_home(Cli *cli, int limit, int64_t job)
{
    const char *role = cli_text(cli, "role"), *folder = cli_text(cli, "folder");
    const char *state = cli_text(cli, "state");
    g_autoptr(MsgRows) rows = NULL;
    g_autoptr(IndexHits) hits = NULL;
    bool written = g_strcmp0(folder, "Sent") == 0;
    int status = mail_check_state(cli, state, written);
    if (status || (status = cli_db(cli, DB_READ)))
        return status;
    if (role && !config_role_get(cli->home->config, role, &cli->error))
        return cli_failed(cli, EX_NOINPUT);
    bool inbox = folder && g_ascii_strcasecmp(folder, "INBOX") == 0;
    MsgQuery q = {.role = role,
                  .folder = inbox ? "" : folder,
                  .state = state,
                  .job = {job},
                  .taken_in = !written,
                  .limit = (unsigned)limit};
    bool ok = written ? index_list(cli->db, &VIEWER_OPERATOR, &q, &hits, &cli->error)
                      : messages_list(cli->db, &VIEWER_OPERATOR, &q, &rows, &cli->error);
    if (!ok)
        return cli_failed(cli, 0);
    mail_print_list(cli,
                    written ? mail_hits_json(hits) : shape_list_json(&msg_row_shape, rows));
    return 0;
}

int
mail_call_list(Cli *cli, json_t *request)
{
    json_t *mails;
    int status = cli_call(cli, request, "mails", &mails);
    if (status == 0)
        mail_print_list(cli, mails);
    return status;
}

int
cmd_mail_list(Cli *cli, int argc, char **argv)
{
    int limit = cli_number(cli, "limit", MAIL_LIST_LIMIT), job = cli_number(cli, "job", 0);
    if (limit < 1)
        return cli_usage(cli, "--limit must be 1 or more");
    if (job < 0)
        return cli_usage(cli, "--job is a number, see: postrider job list");
    if (!cli_in_agent())
        return list_home(cli, limit, job);
    if (cli_text(cli, "role") || cli_text(cli, "folder") || cli_text(cli, "state") || job)
        return cli_usage(cli, "inside a program agent, list takes --limit only");
    return mail_call_list(cli, json_pack("{s:s, s:i}", "verb", "mail.list", "limit", limit));
}
