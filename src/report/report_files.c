#include "report/report_files.h"
#include "base/clock.h"
#include "base/json.h"
#include "mail/maildate.h"
#include "mail/msgid.h"

#define SENT_MAX (64u << 10)
#define NUMBER_MAX 999999

/* --- names --- */

char *
report_folder(const Config *config, const char *role, const char *date)
{
    if (g_strcmp0(config->report_role, role) == 0)
        return g_strdup_printf(REPORT_FOLDER "/%s", date);
    return g_strdup_printf(REPORT_FOLDER "/%s/%s", role, date);
}

char *
report_file(const Config *config, const Report *r, const char *name)
{
    g_autofree char *folder = report_folder(config, r->role, r->date);
    return g_strdup_printf("%s/%s", folder, name);
}

char *
report_path(const Report *r, const char *name)
{
    return g_strdup_printf(REPORT_FOLDER "/%s/%s", r->date, name);
}

char *
report_reply_name(int n)
{
    return g_strdup_printf(REPORT_RESPONSES "/%02d-reply.md", n);
}

char *
report_response_name(int n)
{
    return g_strdup_printf(REPORT_RESPONSES "/%02d-response.md", n);
}

int
report_name_number(const char *name, bool *ret_response)
{
    size_t digits = strspn(name, "0123456789");
    int64_t n = g_ascii_strtoll(name, NULL, 10);
    *ret_response = g_str_equal(name + digits, "-response.md");
    bool known = *ret_response || g_str_equal(name + digits, "-reply.md");
    return digits >= 2 && digits <= 6 && known && n <= NUMBER_MAX ? (int)n : 0;
}

void
report_view_clear(ReportView *v)
{
    free_all(v->role, v->date);
}

bool
report_view_parse(const Config *config, const char *path, ReportView *ret)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", 4);
    guint n = g_strv_length(parts);
    if (n < 3 || !g_str_equal(parts[0], REPORT_FOLDER))
        return false;
    bool own = clock_date_valid(parts[1]);
    if (!own && (n < 4 || strlen(parts[2]) != 10 || !clock_date_valid(parts[2])))
        return false;
    const char *date = own ? parts[1] : parts[2];
    *ret = (ReportView){.role = g_strdup(own ? config->report_role : parts[1]),
                        .date = g_strdup(date),
                        .name = strstr(path, date) + strlen(date) + 1};
    return true;
}

/* --- a reply --- */

static void
add_line(GString *out, const char *name, const char *value)
{
    g_autofree char *safe = text_vis(value, false);
    g_string_append_printf(out, "%s: %s\n", name, safe);
}

GBytes *
report_reply_format(const Reply *reply, GBytes *body)
{
    GString *out = g_string_new(NULL);
    g_autofree char *date = clock_format_mail(reply->at_us);
    g_autofree char *id = *reply->msgid ? msgid_format(reply->msgid) : g_strdup("");
    g_auto(GStrv) files = g_strsplit(reply->files, "\n", -1);
    gsize len;
    const char *data = g_bytes_get_data(body, &len);
    add_line(out, "From", reply->sender);
    add_line(out, "Date", date);
    add_line(out, "Message-ID", id);
    add_line(out, "Subject", reply->subject);
    for (char **f = files; *f; f++) {
        if (**f)
            add_line(out, "Attachment", *f);
    }
    g_string_append_c(out, '\n');
    g_string_append_len(out, data, (gssize)len);
    if (len > 0 && data[len - 1] != '\n')
        g_string_append_c(out, '\n');
    return g_string_free_to_bytes(out);
}

/* The value of the line's header when it has this name; NULL: it has another. */
static char *
header_value(const char *line, size_t len, const char *name)
{
    size_t n = strlen(name);
    if (len <= n || line[n] != ':' || g_ascii_strncasecmp(line, name, n) != 0)
        return NULL;
    g_autofree char *value = g_strndup(line + n + 1, len - n - 1);
    return text_make_valid(g_strstrip(value), -1);
}

static void
take_text(char **to, char *value)
{
    g_free(*to);
    *to = value;
}

/* One line of a file's head; false: it is none. */
static bool
read_line(Reply *reply, const char *line, size_t len)
{
    char *value;
    if ((value = header_value(line, len, "From"))) {
        take_text(&reply->sender, value);
    } else if ((value = header_value(line, len, "Subject"))) {
        take_text(&reply->subject, value);
    } else if ((value = header_value(line, len, "Message-ID"))) {
        char *id = msgid_parse(value);
        take_text(&reply->msgid, id ? id : g_strdup(""));
        g_free(value);
    } else if ((value = header_value(line, len, "Date"))) {
        (void)maildate_parse(value, &reply->at_us);
        g_free(value);
    } else if ((value = header_value(line, len, "Attachment"))) {
        take_text(&reply->files,
                  g_strconcat(reply->files, *reply->files ? "\n" : "", value, NULL));
        g_free(value);
    } else {
        return false;
    }
    return true;
}

Reply *
report_reply_parse(GBytes *file)
{
    Reply *reply = g_new0(Reply, 1);
    gsize len;
    const char *data = g_bytes_get_data(file, &len), *at = data, *end = data + len;
    *reply = (Reply){.msgid = g_strdup(""),
                     .sender = g_strdup(""),
                     .subject = g_strdup(""),
                     .files = g_strdup("")};
    bool any = false;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline ? newline : end) - at);
        if (n == 0 && any) { /* the blank line behind the head */
            at++;
            break;
        }
        if (!read_line(reply, at, n)) {
            at = data; /* what looked like a head is part of the text */
            break;
        }
        any = true;
        at += n + (newline != NULL);
    }
    reply->body = g_bytes_new(at, (gsize)(end - at));
    return reply;
}

/* --- .briefing-sent --- */

GBytes *
report_sent_format(const Report *r)
{
    g_autofree char *id = msgid_format(r->msgid), *at = clock_format_iso(r->sent_us);
    g_autoptr(json_t) object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "resendId", r->transport, "messageId", id,
                  "sent", at, "subject", r->subject, "to", r->to, "job", (json_int_t)r->job.v);
    char *text = json_format(object);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    g_free(text);
    return g_bytes_new(line, strlen(line));
}

static char *
text_of(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return g_strdup(value ? value : "");
}

bool
report_sent_parse(GBytes *file, Report *io, GError **error)
{
    g_autoptr(json_t) object = NULL;
    if (!json_parse_bytes(file, SENT_MAX, &object, error))
        return false;
    g_autofree char *id = text_of(object, "messageId"), *sent = text_of(object, "sent");
    char *parsed = msgid_parse(id);
    take_text(&io->msgid, parsed ? parsed : g_strdup(""));
    take_text(&io->transport, text_of(object, "resendId"));
    take_text(&io->subject, text_of(object, "subject"));
    take_text(&io->to, text_of(object, "to"));
    io->job.v = json_integer_value(json_object_get(object, "job"));
    (void)clock_parse_iso(sent, &io->sent_us);
    return true;
}
