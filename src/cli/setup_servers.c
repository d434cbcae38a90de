/* What `setup mail` tries out: login, pushes, submission, and a mail that comes back. */
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "cli/setup_mail.h"
#include "engine/login.h"
#include "mail/compose.h"
#include "mail/message.h"
#include "mail/msgid.h"
#include <errno.h>
#include <sys/mman.h>

#define WORD_HEADER "X-Postrider-Setup"
#define ANSWER_US (30 * USEC_PER_SEC)
#define ROUND_US (90 * USEC_PER_SEC)
#define SENT_US (4 * USEC_PER_SEC) /* some file a moment after they deliver */
#define LOOK_US (2 * USEC_PER_SEC)
#define HEADER_BYTES (256u << 10)

void
mail_trial_clear(MailTrial *t)
{
    imap_close(g_steal_pointer(&t->conn));
}

static const char *
remedy_of(const MailTrial *t, const GError *why)
{
    if (err_is(why, ERR_LATER))
        return "check host and port, and that this machine is online";
    if (strstr(why->message, "certificate"))
        return "check the host's name; for a certificate of your own say --ca-file FILE";
    if (strstr(why->message, "STARTTLS"))
        return "try --tls implicit (port 993) or --smtp-tls implicit (port 465)";
    if (strstr(why->message, "gives no"))
        return "run that program by hand: it must print the secret as its first line";
    return t->login;
}

static int
failed(MailTrial *t, const char *step, GError *why)
{
    const char *remedy = remedy_of(t, why);
    return setup_failed(t->setup, step, why, remedy);
}

/* --- IMAP --- */

static ImapTls
imap_tls_of(const char *word)
{
    return g_str_equal(word, "none")       ? IMAP_TLS_NONE
           : g_str_equal(word, "starttls") ? IMAP_TLS_STARTTLS
                                           : IMAP_TLS_IMPLICIT;
}

static bool
connect_imap(MailTrial *t, GError **error)
{
    const ConfServer *server = &t->account->server;
    g_auto(Secret) secret = {0};
    if (!login_secret(t->setup->cli->home, server, &secret, error))
        return false;
    if (!secret.password && !secret.token)
        return err_set(error, ERR_CONFIG, "no password is set");
    const ImapOptions options = {
        .host = server->host,
        .port = (unsigned)server->port,
        .tls = imap_tls_of(server->tls),
        .ca_file = *server->ca_file ? server->ca_file : NULL,
        .user = server->user,
        .password = secret.password,
        .token = secret.token,
        .time_us = ANSWER_US,
    };
    return imap_open(&options, &t->conn, error);
}

/* Servers that don't tell where new mail begins are asked for all there is. */
static bool
find_next(MailTrial *t, GError **error)
{
    g_auto(ImapSet) all = {0};
    g_auto(ImapSet) found = {0};
    const ImapQuery query = {.uids = &all};
    if (t->box.uidnext)
        return true;
    imap_set_add(&all, 1, UINT32_MAX);
    if (!imap_search(t->conn, &query, &found, error))
        return false;
    t->box.uidnext = 1;
    if (!imap_set_is_empty(&found))
        t->box.uidnext = g_array_index(found.ranges, ImapRange, found.ranges->len - 1).last + 1;
    return true;
}

bool
mail_trial_select(MailTrial *t, bool read_only, GError **error)
{
    g_autofree char *name = NULL;
    return imap_place(t->conn, t->account->folder, &name, error) &&
           imap_select(t->conn, name, read_only, &t->box, error) && find_next(t, error);
}

static int
open_folder(MailTrial *t)
{
    GError *error = NULL;
    if (!mail_trial_select(t, true, &error))
        return setup_failed(t->setup, "folder", error, "check --folder");
    setup_ok(t->setup, "folder", "%u mails lie in %s: none of them is work, none is touched",
             t->box.exists, t->account->folder);
    return 0;
}

static int
try_idle(MailTrial *t)
{
    GError *error = NULL;
    ImapNews news;
    if (!imap_can(t->conn, "IDLE")) {
        setup_ok(t->setup, "push",
                 "but none: the server has no IDLE, it is asked every minute");
        return 0;
    }
    if (!imap_idle(t->conn, USEC_PER_SEC / 5, -1, &news, &error))
        return failed(t, "push", error);
    setup_ok(t->setup, "push", "new mail is told at once (IDLE)");
    return 0;
}

int
mail_trial_login(MailTrial *t)
{
    GError *error = NULL;
    const ConfServer *server = &t->account->server;
    if (!connect_imap(t, &error))
        return failed(t, "login", error);
    setup_ok(t->setup, "login", "%s as %s", server->host, server->user);
    g_autofree char *alert = imap_steal_alert(t->conn);
    if (alert)
        setup_say(t->setup, "the server says: %s\n", alert);
    int status = open_folder(t);
    return status ? status : try_idle(t);
}

/* --- reading one mail --- */

typedef struct Reading {
    int fd;
    bool whole;
} Reading;

static int
begin(void *user, uint64_t size, GError **error)
{
    Reading *in = user;
    if (ftruncate(in->fd, 0) == 0 && lseek(in->fd, 0, SEEK_SET) == 0)
        return in->fd;
    err_set_errno(error, errno, "making room");
    return -1;
}

static bool
done(void *user, const ImapMail *mail, GError **error)
{
    Reading *in = user;
    in->whole = mail && mail->body == IMAP_BODY_WRITTEN;
    return true;
}

bool
mail_trial_read(
    MailTrial *t, uint32_t uid, ImapPart part, size_t max, GBytes **ret, GError **error)
{
    auto_fd fd = memfd_create("postrider", MFD_CLOEXEC);
    Reading in = {.fd = fd};
    const ImapTaker taker = {.begin = begin, .done = done, .user = &in};
    g_auto(ImapSet) uids = {0};
    const ImapFetch fetch = {.uids = &uids, .part = part};
    *ret = NULL;
    imap_set_add(&uids, uid, uid);
    if (fd < 0)
        return err_set_errno(error, errno, "making room");
    if (!imap_fetch(t->conn, &fetch, &taker, error))
        return false;
    off_t size = lseek(fd, 0, SEEK_END);
    if (!in.whole || size < 0 || (size_t)size > max)
        return true;
    return lseek(fd, 0, SEEK_SET) == 0 ? file_read_fd(fd, max, ret, error)
                                       : err_set_errno(error, errno, "reading a mail");
}

/* --- submission --- */

typedef struct Way {
    Secret secret;
    SmtpPlace place; /* borrowed by smtp */
    Smtp *smtp;      /* NULL: the local program */
} Way;

static void
way_clear(Way *way)
{
    smtp_close(g_steal_pointer(&way->smtp));
    secret_clear(&way->secret);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Way, way_clear)

/* Where the service looks for it too. */
static char *
find_sendmail(void)
{
    char *found = g_find_program_in_path("sendmail");
    return found ? found : g_strdup("/usr/sbin/sendmail");
}

static bool
open_way(MailTrial *t, Way *ret, GError **error)
{
    const ConfServer *server = &t->account->smtp;
    if (t->account->by_sendmail) {
        g_autofree char *program = find_sendmail();
        return access(program, X_OK) == 0 ||
               err_set(error, ERR_CONFIG, "there is no %s", program);
    }
    if (!login_secret(t->setup->cli->home, server, &ret->secret, error))
        return false;
    const char *tls = server->tls;
    ret->place = (SmtpPlace){
        .host = server->host,
        .port = server->port,
        .tls = g_str_equal(tls, "none")       ? SMTP_TLS_NONE
               : g_str_equal(tls, "starttls") ? SMTP_TLS_STARTTLS
                                              : SMTP_TLS_IMPLICIT,
        .ca_file = server->ca_file,
        .user = server->user,
        .password = ret->secret.password,
        .token = ret->secret.token,
        .wait_us = ANSWER_US,
    };
    return smtp_open(&ret->place, &ret->smtp, error);
}

int
mail_trial_submission(MailTrial *t)
{
    GError *error = NULL;
    g_auto(Way) way = {0};
    if (!t->account->by_sendmail && !*t->account->smtp.host) {
        setup_say(t->setup, "submission: none is set: mail to people outside is held\n");
        return 0;
    }
    if (!open_way(t, &way, &error))
        return failed(t, "submission", error);
    if (way.smtp)
        setup_ok(t->setup, "submission", "%s takes mail from %s", t->account->smtp.host,
                 *t->account->smtp.user ? t->account->smtp.user : "us");
    else
        setup_ok(t->setup, "submission", "there is a sendmail");
    return 0;
}

/* --- the round trip --- */

static bool
write_mail(MailTrial *t, const char *word, GBytes **ret, char **ret_msgid, GError **error)
{
    const Home *home = t->setup->cli->home;
    g_autoptr(Compose) c = compose_new();
    Random random = {0};
    uint64_t number;
    random_bytes(&random, &number, sizeof number);
    compose_date(c, home_now(home));
    compose_text(c,
                 "postrider mails itself to see that this mailbox works. If you read this, it "
                 "could\nnot remove it again; you may.\n");
    return compose_from(c, "postrider", t->address, error) &&
           compose_to(c, NULL, t->address, error) &&
           compose_subject(c, "postrider: a test mail", error) &&
           compose_header(c, "Auto-Submitted", "auto-generated", error) &&
           compose_header(c, WORD_HEADER, word, error) &&
           compose_freeze(c, &home->key, 0, (int64_t)(number >> 1), t->config->domain, ret,
                          ret_msgid, error);
}

static bool
last_byte(void *user, GError **error)
{
    return true;
}

static bool
send_mail(MailTrial *t, GBytes *bytes, GError **error)
{
    g_auto(Way) way = {0};
    const char *const to[] = {t->address};
    const SmtpMail mail = {
        .from = t->address, .to = to, .n_to = 1, .bytes = bytes, .last_byte = last_byte};
    g_autofree char *program = find_sendmail();
    const char *const argv[] = {program, "-i", NULL};
    SmtpResult result = {0};
    if (!open_way(t, &way, error))
        return false;
    if (way.smtp)
        smtp_send(way.smtp, &mail, &result);
    else
        smtp_program_send(argv, 0, &mail, &result);
    bool ok = result.end == SMTP_SENT;
    if (!ok)
        err_set(error, result.end == SMTP_NEVER ? ERR_CONFIG : ERR_LATER,
                "a mail to '%s' was not taken: %s", t->address, result.text);
    smtp_results_clear(&result, 1);
    return ok;
}

/* Among what came since uid first; 0: not yet. */
static bool
find_word(MailTrial *t, const char *word, uint32_t first, uint32_t *ret, GError **error)
{
    g_auto(ImapSet) uids = {0};
    g_auto(ImapSet) found = {0};
    const ImapQuery query = {.uids = &uids, .header = WORD_HEADER, .value = word};
    imap_set_add(&uids, MAX(first, 1), UINT32_MAX);
    if (!imap_search(t->conn, &query, &found, error))
        return false;
    *ret = imap_set_first(&found);
    return true;
}

static bool
await_mail(MailTrial *t, const char *word, int64_t wait_us, uint32_t *ret, GError **error)
{
    int64_t end = clock_mono_us() + wait_us;
    do {
        ImapNews news;
        if (!find_word(t, word, t->box.uidnext, ret, error))
            return false;
        if (*ret)
            return true;
        if (!imap_idle(t->conn, LOOK_US, -1, &news, error))
            return false;
    } while (clock_mono_us() < end);
    return true;
}

/* Both folders lose the test mail alone, named by its UID. */
static bool
remove_mail(MailTrial *t, uint32_t uid, GError **error)
{
    g_auto(ImapSet) uids = {0};
    imap_set_add(&uids, uid, uid);
    return imap_remove(t->conn, &uids, error);
}

static bool
sent_folder(MailTrial *t, char **ret, GError **error)
{
    g_autoptr(GPtrArray) folders = NULL;
    *ret = NULL;
    if (!imap_list(t->conn, &folders, error))
        return false;
    for (guint i = 0; i < folders->len && !*ret; i++) {
        const ImapFolder *f = g_ptr_array_index(folders, i);
        if (f->use == IMAP_USE_SENT && f->can_select)
            *ret = g_strdup(f->name);
    }
    return true;
}

static bool
look_in_sent(MailTrial *t, const char *word, GError **error)
{
    g_autofree char *name = NULL;
    uint32_t uid;
    if (!sent_folder(t, &name, error))
        return false;
    t->sent_copy = "append";
    if (!name)
        return true;
    if (!imap_select(t->conn, name, false, &t->box, error))
        return false;
    t->box.uidnext = 1; /* it may have been filed before we looked */
    if (!await_mail(t, word, SENT_US, &uid, error))
        return false;
    if (uid == 0)
        return true;
    t->sent_copy = "server";
    return remove_mail(t, uid, error);
}

static bool
learn_id(MailTrial *t, uint32_t uid, const char *msgid, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    gsize len;
    if (!mail_trial_read(t, uid, IMAP_HEADER, HEADER_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return true;
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_HEADERS, NULL);
    t->keeps_id = g_str_equal(m->id, msgid);
    return true;
}

static bool
make_round(MailTrial *t, const char *word, uint32_t *ret_uid, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    g_autofree char *msgid = NULL;
    if (!mail_trial_select(t, false, error) || !write_mail(t, word, &bytes, &msgid, error) ||
        !send_mail(t, bytes, error) || !await_mail(t, word, ROUND_US, ret_uid, error))
        return false;
    t->back_us = clock_mono_us();
    return *ret_uid == 0 || (learn_id(t, *ret_uid, msgid, error) &&
                             remove_mail(t, *ret_uid, error) && look_in_sent(t, word, error));
}

int
mail_trial_round(MailTrial *t)
{
    GError *error = NULL;
    Random random = {0};
    uint64_t bits;
    uint32_t uid = 0;
    int64_t begun = clock_mono_us();
    random_bytes(&random, &bits, sizeof bits);
    g_autofree char *word = g_strdup_printf("t%016" G_GINT64_MODIFIER "x", bits);
    if (!make_round(t, word, &uid, &error))
        return failed(t, "round trip", error);
    if (uid == 0) {
        err_set(&error, ERR_LATER, "a mail to %s was taken, but did not come into %s",
                t->address, t->account->folder);
        return setup_failed(t->setup, "round trip", error,
                            "look into the other folders, Junk first, and check --address");
    }
    bool filed = g_str_equal(t->sent_copy, "server");
    if (!t->keeps_id)
        t->in_doubt = "hold"; /* what was sent can't be found by its name */
    else if (filed)
        t->in_doubt = "probe";
    g_autofree char *span = clock_format_span(t->back_us - begun);
    setup_ok(t->setup, "round trip",
             "a mail to %s came back in %s and is removed again; %s; %s", t->address, span,
             filed ? "the server files Sent itself" : "we file Sent",
             t->keeps_id ? "it keeps our Message-ID" : "it replaces our Message-ID");
    return 0;
}
