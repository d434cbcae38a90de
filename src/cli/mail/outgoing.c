#include "cli/mail/outgoing.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/face.h"
#include "engine/out/post.h"
#include "mail/msgid.h"
#include "mail/parents.h"
#include "store/spaces.h"
#include "store/workflow.h"
#include <fcntl.h>

#define SUBJECT_MAX 70 /* characters */

const char *
outgoing_known(const Config *config, const char *name)
{
    const ConfRole *role = config_role(config, name);
    for (unsigned i = 0; !role && i < config->n_persons; i++) {
        if (g_str_equal(config->persons[i].name, name))
            return config->persons[i].address;
    }
    return role ? role->address : NULL;
}

char *
outgoing_address(Cli *cli, const char *who, int *ret_status)
{
    const Config *config = cli->home->config;
    const char *known = outgoing_known(config, who);
    if (known)
        return g_strdup(known);
    if (strchr(who, '@') && address_spec_valid(who))
        return g_strdup(who);
    if (strpbrk(who, "@<> \t\n"))
        *ret_status = cli_fail(EX_DATAERR, "'%s' is no address", who);
    else if (!config_role_get(config, who, &cli->error))
        *ret_status = cli_failed(cli, EX_NOINPUT);
    return NULL;
}

char *
outgoing_subject(const char *text)
{
    g_autofree char *first = g_strndup(text, strcspn(text, "\r\n"));
    return text_shorten(g_strstrip(first), SUBJECT_MAX);
}

int
outgoing_read_stdin(size_t max, const char *what, GBytes **ret)
{
    GError *error = NULL;
    if (isatty(STDIN_FILENO))
        (void)cli_fail(0, "reading %s from the terminal; end with Ctrl-D", what);
    if (!file_read_fd(STDIN_FILENO, max, ret, &error)) {
        (void)err_prefix(&error, "reading %s", what);
        return cli_error(0, error);
    }
    return 0;
}

int
outgoing_read_text(size_t max, const char *what, char **ret)
{
    g_autoptr(GBytes) bytes = NULL;
    int status = outgoing_read_stdin(max, what, &bytes);
    if (status)
        return status;
    *ret = text_valid_bytes(bytes);
    return 0;
}

/* After a lost store an event is known before its mail is taken in. */
static int
check_here(Db *db, const char *id, const char *said)
{
    g_autoptr(MsgRow) in = NULL;
    g_autoptr(OutRow) out = NULL;
    g_autoptr(FlowEvent) event = NULL;
    GError *error = NULL;
    if (!messages_find(db, &VIEWER_OPERATOR, id, &in, &error) ||
        !outbox_find(db, &VIEWER_OPERATOR, id, &out, &error) ||
        !flow_event_find(db, id, &event, &error))
        return cli_error(0, error);
    return in || out || event ? 0 : cli_fail(EX_NOINPUT, "there is no mail '%s' here", said);
}

static int
add_parent(const Cli *cli, Db *db, const char *said, bool here, GPtrArray *ids)
{
    g_autofree char *id = db ? NULL : msgid_parse(said);
    int status = db ? cli_msgid(db, said, &id) : 0;
    if (status || (here && id && (status = check_here(db, id, said))))
        return status;
    if (!id)
        return here || !db ? cli_fail(EX_NOINPUT, "there is no mail '%s' here", said)
                           : cli_fail(EX_DATAERR, "'%s' is no Message-ID", said);
    if (g_ptr_array_find_with_equal_func(ids, id, g_str_equal, NULL))
        return cli_usage(cli, "--in-reply-to names '%s' twice", said);
    g_ptr_array_add(ids, g_steal_pointer(&id));
    return 0;
}

int
outgoing_parents(const Cli *cli, Db *db, bool here, GPtrArray **ret)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    for (char **said = cli_texts(cli, "in-reply-to"); said && *said; said++) {
        int status = add_parent(cli, db, *said, here, ids);
        if (status)
            return status;
    }
    if (ids->len > PARENTS_MAX)
        return cli_usage(cli, "--in-reply-to may be said %u times", PARENTS_MAX);
    *ret = g_steal_pointer(&ids);
    return 0;
}

void
outgoing_put_parents(json_t *request, const GPtrArray *parents)
{
    g_autoptr(GString) all = g_string_new(NULL);
    LIST_EACH(const char, id, parents)
        g_string_append_printf(all, "%s<%s>", all->len ? " " : "", id);
    if (all->len)
        json_object_set_new(request, "in_reply_to", json_string(all->str));
}

/* What is not there is no fault of the mail. */
static int
check_files(char **files)
{
    for (; files && *files; files++) {
        if (access(*files, R_OK) < 0)
            return cli_fail(EX_NOINPUT, "attaching '%s': %s", *files, g_strerror(errno));
    }
    return 0;
}

static bool
attach(Compose *c, const char *path, GError **error)
{
    g_autoptr(GBytes) content = NULL;
    g_autofree char *name = g_path_get_basename(path);
    auto_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set_errno(error, errno, "attaching '%s'", path);
    if (!file_read_fd(fd, LIMIT_ATTACHMENT_BYTES, &content, error))
        return err_prefix(error, "attaching '%s'", path);
    return compose_attach(c, name, NULL, content, error);
}

/* A slip in a name of our own domain is told at once, not by a mail that is held for ever. */
static bool
check_known(Engine *engine, const char *address, const char *from, GError **error)
{
    g_autofree char *why = NULL;

    return address_unknown(engine->db, address, from, &why, error) &&
           (!why || err_set(error, ERR_NEVER, "%s", why));
}

static bool
build(Engine *engine, const Outgoing *mail, Compose **ret, GError **error)
{
    g_autoptr(Compose) c = compose_new();
    compose_date(c, home_now(engine->home));
    if (!compose_from(c, mail->from_name, mail->from, error) ||
        !compose_subject(c, mail->subject ? mail->subject : "", error))
        return false;
    for (char **a = mail->to; a && *a; a++) {
        if (!check_known(engine, *a, mail->from, error) || !compose_to(c, NULL, *a, error))
            return false;
    }
    for (char **a = mail->cc; a && *a; a++) {
        if (!check_known(engine, *a, mail->from, error) || !compose_cc(c, NULL, *a, error))
            return false;
    }
    compose_text(c, mail->body ? mail->body : "");
    for (char **f = mail->files; f && *f; f++) {
        if (!attach(c, *f, error))
            return false;
    }
    if (mail->parents && !post_thread_all(engine, c, mail->parents, NULL, error))
        return false;
    *ret = g_steal_pointer(&c);
    return true;
}

static bool
post_once(Engine *engine, OutgoingPost post, void *data, GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = post(data, &txn, error);
    return txn.done;
}

bool
outgoing_post(Engine *engine, OutgoingPost post, void *data, GError **error)
{
    g_autoptr(GError) why = NULL;
    bool ok;
    do {
        g_clear_error(&why);
        ok = post_once(engine, post, data, &why);
    } while (!ok && faces_see(engine));
    faces_forget(engine);
    if (!ok)
        g_propagate_error(error, g_steal_pointer(&why));
    return ok;
}

typedef struct Letter {
    Engine *engine;
    Compose *mail;
    const Post *post;
    char **ret_msgid;
} Letter;

static bool
post_letter(void *data, Txn *txn, GError **error)
{
    Letter *l = data;
    g_clear_pointer(l->ret_msgid, g_free);
    return post_compose(l->engine, txn, MAIL_LETTER, l->mail, l->post, NULL, l->ret_msgid, error);
}

int
outgoing_send(Cli *cli, Engine *engine, const Outgoing *mail, char **ret_msgid)
{
    g_autoptr(Compose) c = NULL;
    Post post = {.level = post_level_of(engine, mail->from),
                 .mailbox = config_mailbox_at(cli->home->config, mail->from)};
    int status = check_files(mail->files);
    if (status)
        return status;
    if (!build(engine, mail, &c, &cli->error))
        return cli_failed(cli, 0);
    Letter letter = {engine, c, &post, ret_msgid};
    if (!outgoing_post(engine, post_letter, &letter, &cli->error))
        return cli_failed(cli, 0);
    if (config_role_at(cli->home->config, mail->from))
        post_guard_length(cli->home->config, mail->body, (const char *const *)mail->to);
    db_hint(engine->db);
    return 0;
}

char *
outgoing_random_msgid(Home *home, const char *kind)
{
    uint8_t random[16];
    Digest d;
    random_bytes(&home->random, random, sizeof random);
    digest_of(random, sizeof random, &d);
    g_autofree char *token = digest_token(&d, 26);
    return g_strdup_printf("%s.%s@%s", kind, token, home->config->domain);
}

GBytes *
outgoing_with_msgid(GBytes *rest, const char *msgid)
{
    gsize len;
    const char *data = g_bytes_get_data(rest, &len);
    g_autoptr(GString) all = g_string_sized_new(len + 100);
    g_string_append_printf(all, "Message-ID: <%s>\n", msgid);
    g_string_append_len(all, data, (gssize)len);
    return g_string_free_to_bytes(g_steal_pointer(&all));
}

int
outgoing_format(
    Cli *cli, Engine *engine, const Outgoing *mail, GBytes **ret_bytes, char **ret_msgid)
{
    g_autoptr(Compose) c = NULL;
    g_autoptr(GBytes) rest = NULL;
    int status = check_files(mail->files);
    if (status)
        return status;
    if (!build(engine, mail, &c, &cli->error) || !(rest = compose_format(c, &cli->error)))
        return cli_failed(cli, 0);
    *ret_msgid = outgoing_random_msgid(cli->home, "inject");
    *ret_bytes = outgoing_with_msgid(rest, *ret_msgid);
    return 0;
}
