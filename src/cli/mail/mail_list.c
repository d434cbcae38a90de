/* `mail list`. It reads no mail, only the store, so it is in both programs: the front answers
 * it without loading a MIME library. */
#include "base/banned.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cmds.h"
#include "cli/mail/mail_view.h"
#include "mail/address.h"
#include "mail/msgid.h"
#include "port/port_client.h"
#include "store/index/index.h"

/* --- JSON --- */

static json_t *
text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *
flags_json(unsigned flags)
{
    g_auto(GStrv) names = message_flag_names(flags);
    json_t *array = json_array();
    for (char **n = names; n && *n; n++)
        json_array_append_new(array, json_string(*n));
    return array;
}

json_t *
mail_json(const MsgRow *row)
{
    g_autofree char *id = msgid_format(row->msgid);
    g_autofree char *from = address_show(row->from_name, row->from);
    return json_pack(
        "{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:s, s:o, s:o, s:s, s:s, s:s, s:o}",
        "id", (json_int_t)row->id.v, "message_id", id, "role", row->role, "folder",
        *row->folder ? row->folder : "INBOX", "from", from, "to", row->to, "subject",
        row->subject, "date", cli_json_time(row->date_us ? row->date_us : row->received_us),
        "thread", (json_int_t)row->thread.v, "state", msg_state_name(row->state), "why",
        text_or_null(row->why), "flags", flags_json(row->flags), "trust",
        trust_name(row->trust), "floor", trust_name(row->floor), "class",
        msg_class_name(row->class), "job", row->job.v ? json_integer(row->job.v) : json_null());
}

json_t *
mail_out_json(const OutRow *row)
{
    g_autofree char *id = msgid_format(row->msgid);
    return json_pack(
        "{s:n, s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:n, s:s, s:o, s:[], s:s, s:s, s:s, s:o}",
        "id", "message_id", id, "role", text_or_null(row->role), "folder", "Sent", "from",
        row->from, "to", row->address, "subject", row->subject, "date",
        cli_json_time(row->created_us), "thread", "state", out_state_name(row->state), "why",
        text_or_null(row->why), "flags", "trust", trust_name(row->level), "floor",
        trust_name(row->floor), "class", "sent", "job",
        row->job.v ? json_integer(row->job.v) : json_null());
}

json_t *
mail_rows_json(const MsgRows *rows)
{
    json_t *array = json_array();
    for (guint i = 0; i < rows->len; i++)
        json_array_append_new(array, mail_json(g_ptr_array_index(rows, i)));
    return array;
}

json_t *
mail_hits_json(const IndexHits *hits)
{
    json_t *array = json_array();
    for (guint i = 0; i < hits->len; i++) {
        const IndexHit *hit = g_ptr_array_index(hits, i);
        json_array_append_new(array, hit->in ? mail_json(hit->in) : mail_out_json(hit->out));
    }
    return array;
}

/* --- for people --- */

static const char *
get(const json_t *mail, const char *name)
{
    const char *value = json_string_value(json_object_get(mail, name));
    return value ? value : "";
}

void
mail_print_list(Cli *cli, json_t *take_mails)
{
    g_autoptr(json_t) mails = take_mails;
    static const char *const headings[] = {"ID",    "DATE", "ROLE",    "FOLDER",
                                           "STATE", "FROM", "SUBJECT", NULL};
    size_t i;
    const json_t *mail;
    if (cli->json) {
        cli_print_json(cli, g_steal_pointer(&mails));
        return;
    }
    if (json_array_size(mails) == 0) {
        cli_print(cli, "no mail\n");
        return;
    }
    CliTable *t = cli_table_new(headings);
    json_array_foreach(mails, i, mail)
    {
        json_int_t number = json_integer_value(json_object_get(mail, "id"));
        g_autofree char *id = number ? g_strdup_printf("%" JSON_INTEGER_FORMAT, number)
                                     : cli_short_ids(cli, get(mail, "message_id"));
        g_autofree char *from = text_shorten(get(mail, "from"), 40);
        g_autofree char *subject = text_shorten(get(mail, "subject"), 60);
        cli_table_add(t, id, get(mail, "date"), get(mail, "role"), get(mail, "folder"),
                      get(mail, "state"), from, subject, NULL);
    }
    cli_table_print(cli, t);
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
    const Viewer viewer = VIEWER_OPERATOR;
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
    bool ok = written ? index_list(cli->db, &viewer, &q, &hits, &error)
                      : messages_list(cli->db, &viewer, &q, &rows, &error);
    if (!ok)
        return cli_error(0, error);
    mail_print_list(cli, written ? mail_hits_json(hits) : mail_rows_json(rows));
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
