/* `setup mail`: whose agent it is, and which server's word about senders counts. */
#include "base/preset.h"
#include "mail/address.h"
#include "setup/setup_mail.h"
#include "store/mail/server_mail.h"

#define PAIR_WITHIN "10m"

/* A mailbox that the owner has too: mail to the role carries a tag then. */
static int
settle_addresses(MailSetup *m, const char *owner)
{
    GError *error = NULL;
    const char *at = strchr(m->address, '@');
    g_autofree char *tagged = g_strdup_printf("%.*s+%s%s", (int)(at - m->address), m->address,
                                              m->role + strlen("role "), at);
    bool own = owner && address_equal(owner, m->address);
    if ((owner && !setup_set(m->s, "postrider", "owner", owner, &error)) ||
        !setup_set(m->s, m->role, "address", own ? tagged : m->address, &error))
        return cli_error(EX_USAGE, error);
    if (own)
        setup_say(m->s, "the mailbox is your own: write to %s\n", tagged);
    return 0;
}

static int
add_authserv_id(MailSetup *m, const char *id)
{
    GError *error = NULL;
    g_autofree char *now = setup_value(m->s, "trust", "authserv-id");
    g_auto(GStrv) known = g_strsplit_set(now, " ,;", -1);
    g_autofree char *longer = *now ? g_strconcat(now, " ", id, NULL) : g_strdup(id);
    if (g_strv_contains((const char *const *)known, id))
        return 0;
    return setup_set(m->s, "trust", "authserv-id", longer, &error) ? 0
                                                                   : cli_error(EX_USAGE, error);
}

/* Said once more, since mail that is held looks like mail that was lost. */
static void
say_unpaired(MailSetup *m)
{
    g_autofree char *owner = setup_value(m->s, "postrider", "owner");
    g_autofree char *domain = setup_value(m->s, "postrider", "domain");
    g_autofree char *ids = setup_value(m->s, "trust", "authserv-id");
    g_autofree char *need = setup_value(m->s, "trust", "require-auth");
    const char *at = strchr(owner, '@');
    if (at && g_ascii_strcasecmp(at + 1, domain) == 0)
        setup_say(m->s,
                  "the owner is still %s: mail that you write from outside is a stranger's, "
                  "until you run: postrider setup mail --pair\n",
                  owner);
    else if (!*ids && auth_need_parse(need) != AUTH_NONE)
        setup_say(m->s, "no authserv-id is set: all mail from outside is held, until you run: "
                        "postrider setup mail --pair\n");
}

/* Without pairing: what the flags say, and what the provider is known for. */
static int
name_owner(MailSetup *m)
{
    g_autofree char *name = setup_value(m->s, m->section, "preset");
    g_autofree char *ids = setup_value(m->s, "trust", "authserv-id");
    g_autofree char *owner = setup_value(m->s, "postrider", "owner");
    const Preset *preset = preset_find(name);
    const char *said = cli_text(m->s->cli, "authserv-id"),
               *whose = cli_text(m->s->cli, "owner");
    const char *id = said ? said : preset && !*ids ? preset->authserv_id : "";
    int status = *id ? add_authserv_id(m, id) : 0;
    if (status == 0)
        status = settle_addresses(m, whose ? whose : owner);
    if (status == 0)
        say_unpaired(m);
    return status;
}

/* What `status` says until the next pairing. */
static int
keep_forged(MailSetup *m, const char *id, bool kept)
{
    GError *error = NULL;
    int status = cli_db(m->s->cli, DB_WRITE);
    if (status)
        return status;
    g_auto(Txn) txn = {.db = m->s->cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, &error))
        txn.ok = remote_set_forged(&txn, m->name, kept ? id : NULL, &error);
    if (!txn.done)
        return cli_error(0, error);
    return 0;
}

static int
pair(MailSetup *m)
{
    Paired p = {0};
    int64_t wait_us;
    const char *said = cli_text(m->s->cli, "pair-within"), *within = said ? said : PAIR_WITHIN;
    bool fits = text_parse_span(within, &wait_us);
    g_assert(fits); /* setup_mail.c has looked */
    int status = mail_pair(&m->trial, wait_us, &p);
    if (status == 0 && p.authserv_id)
        status = add_authserv_id(m, p.authserv_id);
    if (status == 0 && p.authserv_id) {
        bool kept;
        trial_forged(&m->trial, p.authserv_id, &kept);
        status = keep_forged(m, p.authserv_id, kept);
    }
    if (status == 0)
        status = settle_addresses(m, p.owner);
    paired_clear(&p);
    return status;
}

static bool
wants_pairing(MailSetup *m)
{
    bool said = cli_flag(m->s->cli, "pair");
    if (said || cli_text(m->s->cli, "owner") || !m->s->ask)
        return said;
    g_autofree char *ids = setup_value(m->s, "trust", "authserv-id");
    return setup_ask_yes(m->s, "Pair now: learn your own address from a mail of yours?", !*ids);
}

int
mail_owner(void *data)
{
    MailSetup *m = data;
    bool wanted = m->trial.conn && wants_pairing(m);
    if (m->s->back)
        return SETUP_BACK;
    return wanted ? pair(m) : name_owner(m);
}
