/* `outbox show`: a mail on its way out, as its reader will see it. */
#include "cli/cmds.h"
#include "cli/mail/outbox_cmd.h"
#include "mail/message.h"

static void
print_addresses(Cli *cli, const char *label, const Addresses *list)
{
    g_autofree char *all = address_show_list(list);
    if (*all)
        cli_print_line(cli, "%s: %s", label, all);
}

static void
print_mail(Cli *cli, const Message *m)
{
    cli_print_line(cli, "From: %s", m->from ? m->from->spec : "(nobody)");
    print_addresses(cli, "To", m->to);
    print_addresses(cli, "Cc", m->cc);
    cli_print_line(cli, "Subject: %s", m->subject);
    cli_print(cli, "\n");
    cli_print_vis(cli, m->text, true);
    if (!g_str_has_suffix(m->text, "\n"))
        cli_print(cli, "\n");
    LIST_EACH(const MsgPart, part, m->files) {
        g_autofree char *size = text_format_size(part->size);
        cli_print_line(cli, "attached: %s (%s, %s)", part->filename, part->content_type, size);
    }
}

static int
show(Cli *cli, const OutRow *row, bool raw)
{
    if (raw && !row->bytes)
        return cli_fail(EX_NOINPUT, "delivered; the mail is in the sender's Sent folder");
    if (raw) {
        cli_print_bytes(cli, row->bytes);
        return 0;
    }
    g_autoptr(Question) q = NULL;
    if (!outbox_question(cli, row, &q, &cli->error))
        return cli_failed(cli, 0);
    if (cli->json) {
        cli_print_json(cli, outbox_row_json(cli->home, row, q));
        return 0;
    }
    cli_print(cli, "state: %s%s%s\nrecipient: %s\n", out_state_name(row->state),
              row->why ? ", " : "", row->why ? row->why : "", row->address);
    if (q)
        cli_print(cli, "question: <%s>, %s\n", q->msgid,
                  q->state == QUESTION_OPEN ? "open: postrider approve or reject it, or reply"
                                            : question_state_name(q->state));
    if (!row->bytes) {
        cli_print(cli, "\n(delivered; the mail is in the sender's Sent folder)\n");
        return 0;
    }
    g_autoptr(Message) m = message_parse_bytes(row->bytes, MESSAGE_TEXT);
    print_mail(cli, m);
    return 0;
}

int
cmd_outbox_show(Cli *cli, int argc, char **argv)
{
    g_autoptr(OutRow) row = NULL;
    int status = cli_db(cli, DB_READ);
    if (status || (status = outbox_find_row(cli, argv[1], &row)))
        return status;
    return show(cli, row, cli_flag(cli, "raw"));
}
