/* `mail list`. It reads no mail, only the store, so it is in both programs: the front answers
 * it without loading a MIME library. */
#include "base/json.h"
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/mail/mail_view.h"
#include "port/port_client.h"
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
               ? cli_short_ids(cli, json_string_value(json_object_get(mail, "message_id")))
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

typedef struct ListOptions {
    const char *role, *folder, *state;
    int limit;
    int64_t job;
} ListOptions;

int
mail_check_state(const Cli *cli, const char *name, bool written)
{
    const char *names[MSG_N_STATES + OUT_N_STATES + 1] = {NULL};
    MsgState state;
    OutState out;
    if (!name || msg_state_parse(name, &state) || (written && out_state_parse(name, &out)))
        return 0;
    for (int i = 0; i < MSG_N_STATES; i++)
        names[i] = msg_state_name((MsgState)i);
    for (int i = 0; written && i < OUT_N_STATES; i++)
        names[MSG_N_STATES + i] = out_state_name((OutState)i);
    return cli_no_state(cli, name, names);
}

static int
list_home(Cli *cli, const ListOptions *o)
{
    GError *error = NULL;
    g_autoptr(MsgRows) rows = NULL;
    g_autoptr(IndexHits) hits = NULL;
    bool written = g_strcmp0(o->folder, "Sent") == 0;
    int status = mail_check_state(cli, o->state, written);
    if (status || (status = cli_db(cli, DB_READ)))
        return status;
    if (o->role && !config_role_get(cli->home->config, o->role, &error))
        return cli_error(EX_NOINPUT, error);
    bool inbox = o->folder && g_ascii_strcasecmp(o->folder, "INBOX") == 0;
    MsgQuery q = {.role = o->role,
                  .folder = inbox ? "" : o->folder,
                  .state = o->state,
                  .job = {o->job},
                  .taken_in = !written,
                  .limit = (unsigned)o->limit};
    bool ok = written ? index_list(cli->db, &VIEWER_OPERATOR, &q, &hits, &error)
                      : messages_list(cli->db, &VIEWER_OPERATOR, &q, &rows, &error);
    if (!ok)
        return cli_error(0, error);
    mail_print_list(cli,
                    written ? mail_hits_json(hits) : shape_list_json(&msg_row_shape, rows));
    return 0;
}

static int
list_port(Cli *cli, const ListOptions *o)
{
    GError *error = NULL;
    g_autoptr(json_t) answer = NULL;
    int status = 0;
    if (o->role || o->folder || o->state || o->job)
        return cli_usage(cli, "inside a program agent, list takes --limit only");
    json_t *request = json_pack("{s:s, s:i}", "verb", "mail.list", "limit", o->limit);
    if (!port_call(port_client_path(), request, &answer, &status, &error))
        return cli_error(status, error);
    mail_print_list(cli, json_incref(json_object_get(answer, "mails")));
    return 0;
}

int
cmd_mail_list(Cli *cli, int argc, char **argv)
{
    const ListOptions o = {.role = cli_text(cli, "role"),
                           .folder = cli_text(cli, "folder"),
                           .state = cli_text(cli, "state"),
                           .limit = cli_number(cli, "limit", MAIL_LIST_LIMIT),
                           .job = cli_number(cli, "job", 0)};
    if (argc > 1)
        return cli_usage(cli, "list takes no operand");
    if (o.limit < 1)
        return cli_usage(cli, "--limit must be 1 or more");
    if (o.job < 0)
        return cli_usage(cli, "--job is a number, see: postrider job list");
    return cli_in_agent() ? list_port(cli, &o) : list_home(cli, &o);
}
