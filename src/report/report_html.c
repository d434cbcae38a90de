#include "report/report_html.h"
#include "base/clock.h"
#include "report/report_thread.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n";
static const char style[] =
    "<style>\nbody { max-width: 44rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 "
    "sans-serif }\n"
    "section { border-top: 1px solid #999; margin-top: 1.5rem }\n"
    "h1 { font-size: 1.4rem }\nh2 { font-size: 1rem }\nh1, h2 { overflow-wrap: anywhere }\n.new h2 { color: #b00 }\n.response { background: #f3f6fa; "
    "padding: 0 .7rem }\n.remarks { color: #555 }\n"
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }\n</style>\n";

static void
add(GString *out, const char *before, const char *text, const char *behind)
{
    g_autofree char *valid = text_make_valid(text, -1);
    g_autofree char *safe = g_markup_escape_text(valid, -1);
    g_string_append_printf(out, "%s%s%s", before, safe, behind);
}

/* remarks: lines behind the text. */
static void
add_section(GString *out, const char *kind, const char *heading, GBytes *body, const char *remarks)
{
    g_autofree char *text = text_valid_bytes(body);
    g_string_append_printf(out, "<section class=\"%s\">\n", kind);
    add(out, "<h2>", heading, "</h2>\n");
    add(out, "<pre>", g_strchomp(text), "</pre>\n");
    if (*remarks)
        add(out, "<pre class=\"remarks\">", remarks, "</pre>\n");
    g_string_append(out, "</section>\n");
}

static char *
format_time(int64_t wall_us)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(wall_us / USEC_PER_SEC);
    return at ? g_date_time_format(at, "%Y-%m-%d %H:%M GMT") : g_strdup("");
}

static void
add_response(GString *out, const Response *response, const Replies *replies)
{
    g_autofree char *at = format_time(response->at_us);
    g_autoptr(GString) heading = g_string_new("Response to reply");
    const char *comma = " ";
    LIST_EACH(const Reply, reply, replies) {
        if (reply->settled != response->n)
            continue;
        g_string_append_printf(heading, "%s%d", comma, reply->n);
        comma = ", ";
    }
    g_string_append_printf(heading, ", %s", at);
    add_section(out, "response", heading->str, response->body, "");
}

static void
add_reply(GString *out, const Reply *reply)
{
    g_autofree char *when = format_time(reply->at_us), *remarks = thread_remarks(reply);
    g_autofree char *heading = g_strdup_printf("Reply %d, %s, from %s%s", reply->n, when, reply->sender,
                                               reply->settled ? "" : " (not answered yet)");
    add_section(out, reply->settled ? "reply" : "reply new", heading, reply->body, remarks);
}

char *
report_html(const Report *r, const Replies *replies, const Responses *responses)
{
    GString *out = g_string_new(head);
    guint at = 0;
    g_autofree char *title = g_strdup_printf("%s — %s", r->name, r->date);
    g_autofree char *sent = format_time(r->sent_us);
    g_autofree char *briefing = g_strdup_printf("Briefing, sent %s", sent);
    add(out, "<title>", title, "</title>\n");
    g_string_append_printf(out, "%s</head>\n<body>\n", style);
    add(out, "<h1>", r->subject, "</h1>\n");
    add_section(out, "briefing", briefing, r->body, "");
    LIST_EACH(const Reply, reply, replies) {
        for (; at < responses->len && thread_response_after(responses->pdata[at]) < reply->n;
             at++)
            add_response(out, responses->pdata[at], replies);
        add_reply(out, reply);
    }
    for (; at < responses->len; at++)
        add_response(out, responses->pdata[at], replies);
    g_string_append(out, "</body>\n</html>\n");
    return g_string_free(out, FALSE);
}
