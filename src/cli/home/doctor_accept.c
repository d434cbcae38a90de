/*
 * `doctor --accept-backup`: the store is older than its mail, and a person says that this is
 * so. What the mail proves to have happened since is taken over (engine/checkpoint/catch_up.h), here and then
 * on each mail server. One that can't be asked now is asked by whoever reaches it first.
 */
#include "base/lock.h"
#include "cli/home/doctor.h"
#include "cli/net.h"
#include "engine/checkpoint/catch_up.h"
#include "store/mail/mailboxes.h"
#include "store/mail/server_mail.h"

/* The account's process, where there is one, looks by itself. */
static void
visit(Doctor *d, const ConfAccount *account, CatchUp *n)
{
    const RemoteOptions options = {.caught = n};
    g_autofree char *lock = g_strdup_printf("account-%s.lock", account->name);
    if (net_account && !lock_is_held(d->cli->home->state_fd, lock))
        (void)net_account(d->engine, account, &options);
}

/* The accounts that nobody could look at; elements are char *. */
static bool
visit_all(Doctor *d, CatchUp *n, GPtrArray *unseen, GError **error)
{
    const Config *config = d->cli->home->config;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];
        bool owed = false;
        if (!config_is_imap(account))
            continue;
        visit(d, account, n);
        if (!mailbox_backup_owed(d->engine->db, account->name, &owed, error))
            return false;
        if (owed)
            g_ptr_array_add(unseen, g_strdup(account->name));
    }
    return true;
}

static void
print_json(const Doctor *d, const CatchUp *n, uint64_t generation, const GPtrArray *unseen)
{
    cli_print_json(d->cli,
                   json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:o}", "ok",
                             unseen->len == 0, "delivered", (int)n->delivered, "answered",
                             (int)n->answered, "ended", (int)n->ended, "parked", (int)n->parked,
                             "stopped", (int)n->stopped, "held", (int)n->held, "generation",
                             (json_int_t)generation, "unseen", shape_texts(unseen)));
}

static void
print_text(const Doctor *d, const CatchUp *n, uint64_t generation, const GPtrArray *unseen)
{
    cli_print(d->cli,
              "the store goes on as generation %" PRIu64 ": %u deliveries and %u answers "
              "that the mail proves were taken over\n",
              generation, n->delivered, n->answered);
    if (n->ended || n->parked)
        cli_print(d->cli, "%u job%s had ended since, %u wait%s where they had come to\n",
                  n->ended, n->ended == 1 ? "" : "s", n->parked, n->parked == 1 ? "s" : "");
    if (n->stopped)
        cli_print(d->cli, "%u job%s stopped; see: postrider job list\n", n->stopped,
                  n->stopped == 1 ? " is" : "s are");
    if (n->held)
        cli_print(d->cli,
                  "%u mail%s approved since, and not in Sent: held still, say APPROVE again or "
                  "REJECT; see: postrider outbox list\n",
                  n->held, n->held == 1 ? " was" : "s were");
    LIST_EACH(const char, name, unseen) {
        g_autofree char *why = NULL;
        (void)remote_trouble(d->engine->db, name, &why, NULL);
        cli_print_line(d->cli, "account '%s' was not looked at: %s", name,
                       why ? why : "its process is at it");
        cli_print(d->cli, "  until its server was asked what left since the backup, nothing of "
                          "it runs; 'postrider serve' asks\n");
    }
}

int
doctor_accept(Doctor *d)
{
    g_autoptr(GPtrArray) unseen = g_ptr_array_new_with_free_func(g_free);
    CatchUp n = {0};
    if (!catch_up(d->engine, &n, &d->cli->error))
        return cli_failed(d->cli, 0);
    db_hint(d->engine->db);
    if (!visit_all(d, &n, unseen, &d->cli->error))
        return cli_failed(d->cli, 0);
    db_hint(d->engine->db);
    uint64_t generation = db_generation(d->engine->db);
    (d->cli->json ? print_json : print_text)(d, &n, generation, unseen);
    return unseen->len ? EX_TEMPFAIL : 0;
}
