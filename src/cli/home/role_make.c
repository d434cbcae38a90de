#include "cli/home/role_make.h"
#include "store/mail/mailbox_visit.h"
#include "mail/maildir.h"
#include "notes/first_notes.h"
#include "notes/notes.h"
#include <fcntl.h>

/* A mailbox that we make is known to be empty; one that is there is somebody's: the service looks at
 * what is in it. */
static bool
make_mailbox(Cli *cli, Txn *txn, const char *name, GError **error)
{
    g_autoptr(Maildir) md = NULL;
    if (faccessat(cli->home->mail_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return true;
    return maildir_open(cli->home->mail_fd, name, true, &md, error) &&
           mailbox_set_visited(txn, name, error);
}

static bool
write_notes(Txn *txn, const char *name, const char *task, GError **error)
{
    const NoteBy by = {.author = "operator", .label = TRUST_OPERATOR};
    g_autofree char *key = g_strconcat(name, "/start", NULL);
    g_autofree char *text = task ? g_strdup_printf("\n## Your task\n\n%s", task) : NULL;
    g_autoptr(GBytes) body = task ? g_bytes_new(text, strlen(text)) : NULL;
    g_autoptr(Note) before = NULL;
    return note_look(txn->db, &VIEWER_OPERATOR, key, 0, &before, error) &&
           notes_write_first(txn, name, error) &&
           (before || !task || note_append(txn, key, body, &by, NULL, error));
}

static bool
open_store(Cli *cli, GError **error)
{
    return cli->db || db_open(cli->home, DB_WRITE, &cli->db, error);
}

bool
role_make_mailboxes(Cli *cli, const GPtrArray *names, GError **error)
{
    if (!open_store(cli, error))
        return false;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error)) {
        txn.ok = true;
        for (guint i = 0; txn.ok && i < names->len; i++)
            txn.ok = make_mailbox(cli, &txn, g_ptr_array_index(names, i), error);
    }
    return txn.done;
}

bool
role_make(Cli *cli, const char *name, const char *task, GError **error)
{
    if (!open_store(cli, error))
        return false;
    g_auto(Txn) txn = {.db = cli->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = make_mailbox(cli, &txn, name, error) && write_notes(&txn, name, task, error);
    return txn.done && notes_sync(cli->home, cli->db, NULL, error);
}
