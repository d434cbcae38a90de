#include "cli/mail/mail_view.h"
#include "base/json.h"
#include "cli/faces.h"
#include "engine/mail_load.h"

#define ID_SHOWN 80 /* characters of an ID in a message: what was typed may be a megabyte */

/* --- for people --- */

static void
print_attachments(Cli *cli, const json_t *list)
{
    size_t i;
    const json_t *a;
    if (json_array_size(list))
        cli_print(cli, "\nattachments:\n");
    json_array_foreach(list, i, a)
    {
        uint64_t bytes = (uint64_t)json_integer_value(json_object_get(a, "size_bytes"));
        g_autofree char *size = text_format_size(bytes);
        cli_print_line(
            cli, "  %s  %s  %s%s", cli_member(a, "filename"), cli_member(a, "content_type"),
            size, json_is_true(json_object_get(a, "readable")) ? "" : "  not readable as text");
    }
}

static const char *
why_no_text(const json_t *mail)
{
    return g_str_equal(cli_member(mail, "why"), "too_large")
               ? "(larger than max-message: only its headers were read)"
               : "(the file of this mail is gone)";
}

void
mail_print(Cli *cli, json_t *take_mail)
{
    static const struct {
        const char *label, *member;
    } lines[] = {{"From", "from"}, {"To", "to"},           {"Cc", "cc"},
                 {"Date", "date"}, {"Subject", "subject"}, {"Message-ID", "message_id"},
                 {"role", "role"}, {"folder", "folder"},   {"state", "state"},
                 {"why", "why"},   {"trust", "trust"}};
    g_autoptr(json_t) mail = take_mail;
    if (cli->json) {
        cli_print_json(cli, g_steal_pointer(&mail));
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        const char *value = cli_member(mail, lines[i].member);
        if (*value)
            cli_print_line(cli, "%s: %s", lines[i].label, value);
    }
    const char *text = json_string_value(json_object_get(mail, "text"));
    cli_print(cli, "\n");
    cli_print_vis(cli, text ? text : why_no_text(mail), true);
    if (!text || !g_str_has_suffix(text, "\n"))
        cli_print(cli, "\n");
    print_attachments(cli, json_object_get(mail, "available_attachments"));
}

/* --- finding and reading --- */

void
mail_found_clear(MailFound *f)
{
    msg_row_free(f->in);
    out_row_free(f->out);
}

/* As it is found by a search: with all its recipients. */
static bool
find_written(Db *db, const char *id, OutRow **ret, GError **error)
{
    g_autoptr(OutRow) row = NULL;
    return outbox_find(db, &VIEWER_OPERATOR, id, &row, error) &&
           (!row || outbox_whole(db, &VIEWER_OPERATOR, row->id, ret, error));
}

int
mail_find(Cli *cli, Db *db, const char *text, MailFound *ret)
{
    int64_t number;
    bool ok = true;
    if (!*text)
        return cli_usage(cli, "an ID can't be empty");
    if (text_parse_int(*text == '#' ? text + 1 : text, 1, INT64_MAX, &number)) {
        ok = messages_load(db, &VIEWER_OPERATOR, (MsgId){number}, &ret->in, &cli->error);
    } else {
        g_autofree char *id = NULL;
        int status = cli_msgid(db, text, &id);
        if (status)
            return status;
        ok = !id || messages_find(db, &VIEWER_OPERATOR, id, &ret->in, &cli->error);
        if (ok && id && !ret->in)
            ok = find_written(db, id, &ret->out, &cli->error);
    }
    if (!ok)
        return cli_failed(cli, 0);
    if (ret->in || ret->out)
        return 0;
    g_autofree char *valid = text_make_valid(text, -1);
    g_autofree char *shown = text_shorten(valid, ID_SHOWN);
    return cli_fail(EX_NOINPUT, "no mail '%s'; see: postrider mail list", shown);
}

bool
mail_read(Cli *cli, const MailFound *f, GBytes **ret_bytes, GError **error)
{
    g_auto(Engine) engine = cli_reader(cli);
    return f->in ? mail_bytes(&engine, f->in, ret_bytes, error)
                 : mail_bytes_out(&engine, f->out, NULL, ret_bytes, error);
}
