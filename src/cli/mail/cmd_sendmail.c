/* sendmail: the door for mutt, cron and git. receive: the door for an MTA's pipe. */
#include "base/clock.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/faces.h"
#include "cli/mail/outgoing.h"
#include "engine/out/post.h"
#include "mail/maildir.h"
#include "mail/message.h"
#include "mail/mime/header.h"
#include "store/spaces.h"

typedef struct SendmailOptions {
    bool from_headers;
    GPtrArray *rcpts; /* char *, borrowed */
} SendmailOptions;

/* sendmail's own option style: most are accepted and mean nothing here. */
static int
parse_options(const Cli *cli, int argc, char **argv, SendmailOptions *o)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *a = argv[i];
        if (g_str_equal(a, "--")) {
            i++;
            break;
        }
        bool takes_value = strchr("fFrNRVhOpqB", a[1]) && a[2] == '\0' && i + 1 < argc;
        if (g_str_equal(a, "-t"))
            o->from_headers = true;
        else if (g_str_equal(a, "-bs") || g_str_equal(a, "-bd") || g_str_equal(a, "-bp"))
            return cli_usage(cli, "'%s' is not done here", a);
        else if (takes_value)
            i++; /* -f sender and the like: who sends is decided by From */
        else if (!strchr("tioFfrmvnNRVhOpqbBGUxA", a[1]))
            return cli_usage(cli, "unknown option '%s'", a);
    }
    for (; i < argc; i++)
        g_ptr_array_add(o->rcpts, argv[i]);
    return 0;
}

/* The address of a role or a person by name, and the owner's by the name of the user; NULL with an
 * error. Who writes under any other name ("From: root (Cron Daemon)") is the user, too. */
static char *
who_is(void *data, const char *field, const char *name, GError **error)
{
    const Config *config = ((const Cli *)data)->home->config;
    const char *known = outgoing_known(config, name);
    if (known)
        return g_strdup(known);
    if (g_str_equal(field, "from") || g_str_equal(name, g_get_user_name()))
        return g_strdup(config->owner);
    (void)err_set(error, ERR_NEVER, "'%s' is no address, and nobody's name here", name);
    return NULL;
}

/* Fields that a mail must have and that this one has not. */
static GBytes *
with_missing(Cli *cli, GBytes *rest, const Message *m, const GPtrArray *to)
{
    g_autoptr(GString) all = g_string_new(NULL);
    gsize len;
    const char *data = g_bytes_get_data(rest, &len);
    bool dated = header_find(m->headers, "Date");
    if (!m->from)
        g_string_append_printf(all, "From: %s\n", cli->home->config->owner);
    if (!dated) {
        g_autofree char *date = clock_format_mail(home_now(cli->home));
        g_string_append_printf(all, "Date: %s\n", date);
    }
    /* A mail program that names nobody hides them from each other; a bare text hides nothing. */
    if (m->to->len + m->cc->len == 0 && (to->len == 1 || (!m->from && !dated))) {
        for (guint i = 0; i < to->len; i++)
            g_string_append_printf(all, "%s%s",
                                   i ? ",\n " : "To: ", (const char *)g_ptr_array_index(to, i));
        g_string_append_c(all, '\n');
    }
    g_string_append_len(all, data, (gssize)len);
    return g_string_free_to_bytes(g_steal_pointer(&all));
}

static void
add_specs(GPtrArray *out, const Addresses *addresses)
{
    LIST_EACH(const Address, a, addresses) {
        bool there = false;
        for (guint k = 0; k < out->len && !there; k++)
            there = address_equal(g_ptr_array_index(out, k), a->spec);
        if (!there)
            g_ptr_array_add(out, g_strdup(a->spec));
    }
}

/* Operands may be a bare name, `Name <a@b>` or several with commas, as people type them. NULL
 * with an error. */
static GPtrArray *
recipients(
    Cli *cli, const SendmailOptions *o, const Message *m, const Addresses *bcc, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    LIST_EACH(const char, operand, o->rcpts) {
        g_autoptr(Addresses) list = address_parse_list(operand);
        if (list->len == 0) {
            g_autofree char *spec = who_is(cli, "to", operand, error);
            if (!spec)
                return NULL;
            addresses_add(list, address_new(NULL, spec));
        }
        add_specs(all, list);
    }
    if (o->from_headers) {
        add_specs(all, m->to);
        add_specs(all, m->cc);
        add_specs(all, bcc);
    }
    return g_steal_pointer(&all);
}

typedef struct Raw {
    Engine *engine;
    GBytes *rest;
    const char *msgid, *from, *subject;
    const char *const *to;
    const Post *post;
} Raw;

static bool
post_bytes(void *data, Txn *txn, GError **error)
{
    const Raw *r = data;
    return post_raw(r->engine, txn, r->rest, r->msgid, r->from, r->subject, r->to, r->post,
                    error);
}

static int
queue(Cli *cli, const SendmailOptions *o, GBytes *raw)
{
    g_autoptr(Engine) engine = NULL;
    g_autoptr(GBytes) given = NULL;
    g_autofree char *msgid = NULL;
    g_autoptr(Addresses) bcc = NULL;
    gsize len;
    const void *data = g_bytes_get_data(raw, &len);
    int status = cli_engine(cli, &engine);
    if (status)
        return status;
    if (len == 0)
        return cli_fail(EX_DATAERR, "sendmail: there is no message on standard input");
    if (!compose_raw(data, len, who_is, cli, &given, &msgid, &bcc, &cli->error))
        return cli_failed(cli, EX_DATAERR);
    g_autoptr(Message) m = message_parse_bytes(given, MESSAGE_HEADERS);
    if (m->problem)
        return cli_fail(EX_DATAERR, "sendmail: the message can't be read");
    g_autoptr(GPtrArray) to = recipients(cli, o, m, bcc, &cli->error);
    if (!to)
        return cli_failed(cli, EX_NOUSER);
    if (to->len == 0)
        return cli_fail(EX_USAGE, "sendmail: no recipients; name them, or use -t");
    if (to->len > LIMIT_RECIPIENTS)
        return cli_fail(EX_DATAERR, "sendmail: more than %u recipients", LIMIT_RECIPIENTS);
    const char *from = m->from ? m->from->spec : cli->home->config->owner;
    LIST_EACH(const char, one, to) {
        g_autofree char *unknown = NULL;
        if (!address_unknown(engine->db, one, from, &unknown, &cli->error))
            return cli_failed(cli, 0);
        if (unknown)
            return cli_fail(EX_NOUSER, "sendmail: %s", unknown);
    }
    g_autoptr(GBytes) rest = with_missing(cli, given, m, to);
    g_ptr_array_add(to, NULL);

    /* mutt files its own copy in Sent; so no copy from us. */
    Post post = {.level = post_level_of(engine, from)};
    Raw raw_mail = {engine, rest, msgid, from, m->subject, (const char *const *)to->pdata, &post};
    if (!outgoing_post(engine, post_bytes, &raw_mail, &cli->error))
        return cli_failed(cli, 0);
    if (config_role_at(cli->home->config, from)) {
        g_autoptr(Message) sent = message_parse_bytes(rest, MESSAGE_TEXT);
        post_guard_length(cli->home->config, sent->text, (const char *const *)to->pdata);
    }
    db_hint(engine->db);
    return 0;
}

int
cmd_sendmail(Cli *cli, int argc, char **argv)
{
    g_autoptr(GPtrArray) rcpts = g_ptr_array_new();
    g_autoptr(GBytes) raw = NULL;
    SendmailOptions o = {.rcpts = rcpts};
    int status = parse_options(cli, argc, argv, &o);
    if (status == 0)
        status = outgoing_read_stdin(LIMIT_MESSAGE_BYTES, "a message", &raw);
    return status ? status : queue(cli, &o, raw);
}

int
cmd_receive(Cli *cli, int argc, char **argv)
{
    const char *name = cli_text(cli, "role");
    g_autoptr(GBytes) raw = NULL;
    int status;
    if (!name)
        return cli_usage(cli, "needs --role");
    if ((status = cli_home(cli)))
        return status;
    const ConfRole *role = config_role_get(cli->home->config, name, &cli->error);
    if (!role)
        return cli_failed(cli, EX_NOINPUT);
    if ((status = outgoing_read_stdin(cli->home->config->max_message, "a message", &raw)))
        return status;

    g_autoptr(Maildir) md = NULL;
    g_autofree char *base = maildir_name(home_now(cli->home));
    bool was_there;
    gsize len;
    const void *data = g_bytes_get_data(raw, &len);
    if (!maildir_open(cli->home->mail_fd, role->name, true, &md, &cli->error) ||
        !maildir_deliver(md, "", base, NULL, "", data, len, &was_there, &cli->error))
        return cli_failed(cli, EX_TEMPFAIL);
    return 0;
}
