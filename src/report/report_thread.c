#include "report/report_thread.h"
#include "base/clock.h"
#include "report/report_files.h"

/* --- bodies --- */

static bool
begins(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);
    return len >= n && g_ascii_strncasecmp(line, with, n) == 0;
}

/* "---", or more of them, and nothing else. */
static bool
is_rule(const char *line, size_t len)
{
    size_t dashes = 0;
    while (dashes < len && line[dashes] == '-')
        dashes++;
    for (size_t i = dashes; i < len; i++) {
        if (!g_ascii_isspace(line[i]))
            return false;
    }
    return dashes >= 3;
}

/* Would a reader take it for a section of ours? Three blanks before a heading still make one. */
static bool
looks_like_ours(const char *line, size_t len)
{
    static const char *const ours[] = {"## NEW ", "## Reply ", "## Response ", "## Briefing "};
    for (int i = 0; i < 3 && len > 0 && *line == ' '; i++, line++, len--)
        ;
    for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
        if (begins(line, len, ours[i]))
            return true;
    }
    return is_rule(line, len) ||
           (begins(line, len, "# ") && memmem(line, len, " Thread ", strlen(" Thread ")));
}

/* A code fence of Markdown: its mark and how often that stands there; 0: this line is none. */
static size_t
fence_at(const char *line, size_t len, char *ret_mark)
{
    size_t i = 0, n = 0;
    while (i < len && i < 3 && line[i] == ' ')
        i++;
    if (i == len || (line[i] != '`' && line[i] != '~'))
        return 0;
    *ret_mark = line[i];
    while (i + n < len && line[i + n] == *ret_mark)
        n++;
    if (n >= 3 && *ret_mark == '`' && memchr(line + i + n, '`', len - i - n))
        return 0;
    return n >= 3 ? n : 0;
}

/* Is the line a fence and nothing else? Only such a one ends a block. */
static bool
is_bare(const char *line, size_t len, char mark)
{
    for (size_t i = 0; i < len; i++) {
        if (line[i] != mark && !g_ascii_isspace(line[i]))
            return false;
    }
    return true;
}

void
thread_add_body(GString *out, const void *body, size_t len)
{
    const char *line = body, *end = line + len;
    char mark = 0;
    size_t open = 0; /* marks of the fence that is open; 0: none is */
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((newline ? newline : end) - line);
        char this = 0;
        size_t fence = fence_at(line, n, &this);
        if (!open && fence) {
            mark = this;
            open = fence;
        } else if (open && fence >= open && this == mark && is_bare(line, n, mark)) {
            open = 0;
        }
        if (looks_like_ours(line, n))
            g_string_append_c(out, '\\');
        g_string_append_len(out, line, (gssize)n);
        g_string_append_c(out, '\n');
        line += n + (newline != NULL);
    }
    for (size_t i = 0; i < open; i++)
        g_string_append_c(out, mark);
    if (open)
        g_string_append_c(out, '\n');
}

/* Without the blank lines at its end: one follows anyway. */
static void
add_bytes(GString *out, GBytes *body)
{
    gsize len;
    const char *data = g_bytes_get_data(body, &len);
    while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
        len--;
    thread_add_body(out, data, len);
}

/* --- headings --- */

static char *
format_minute(int64_t wall_us)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(wall_us / USEC_PER_SEC);
    return at ? g_date_time_format(at, "%Y-%m-%d %H:%M") : g_strdup("1970-01-01 00:00");
}

/* Lines of ours, each with its newline. */
static void
thread_add_title(GString *out, const Report *r)
{
    g_autofree char *name = text_vis(r->name, false);
    g_string_append_printf(out, "# %s Thread — %s\n", name, r->date);
}

static void
thread_add_briefing(GString *out, const Report *r)
{
    g_autofree char *at = format_minute(r->sent_us);
    g_string_append_printf(out, "## Briefing Sent (%s GMT)\n", at);
}

static void
thread_add_reply(GString *out, const Reply *reply)
{
    g_autofree char *at = format_minute(reply->at_us), *from = text_vis(reply->sender, false);
    g_string_append_printf(out, "## %sReply #%d (%s from %s)\n", reply->settled ? "" : "NEW ",
                           reply->n, at, from);
}

/* "## Response to Reply #2, #3": the replies among these that it settles. */
static void
thread_add_response(GString *out, const Response *response, const Replies *replies)
{
    const char *comma = "";
    g_string_append(out, "## Response to Reply ");
    LIST_EACH(const Reply, reply, replies) {
        if (reply->settled != response->n)
            continue;
        g_string_append_printf(out, "%s#%d", comma, reply->n);
        comma = ", ";
    }
    if (!*comma)
        g_string_append_printf(out, "#%d", response->n);
    g_string_append_c(out, '\n');
}

/* --- all of it --- */

/* The bytes of bodies that still fit; the newest are shown first. */
typedef struct Plan {
    size_t room;
    GHashTable *left_out; /* set of bodies, by address */
} Plan;

static size_t
size_of(GBytes *body)
{
    return g_bytes_get_size(body);
}

static void
plan_body(Plan *p, GBytes *body)
{
    if (size_of(body) <= p->room)
        p->room -= size_of(body);
    else
        g_hash_table_add(p->left_out, body);
}

/* Open replies before all, then the rest from the newest on, the briefing last. */
static void
plan_all(Plan *p, const Report *r, const Replies *replies, const Responses *responses)
{
    guint at = responses->len;
    for (guint i = replies->len; i-- > 0;) {
        const Reply *reply = g_ptr_array_index(replies, i);
        if (!reply->settled)
            plan_body(p, reply->body);
    }
    for (guint i = replies->len; i-- > 0;) {
        const Reply *reply = g_ptr_array_index(replies, i);
        for (; at > 0; at--) {
            const Response *response = g_ptr_array_index(responses, at - 1);
            if (thread_response_after(response) < reply->n)
                break;
            plan_body(p, response->body);
        }
        if (reply->settled)
            plan_body(p, reply->body);
    }
    plan_body(p, r->body);
}

static void
put_body(GString *out, const Plan *p, GBytes *body, const Report *r, const char *name)
{
    g_autofree char *path = report_path(r, name), *size = text_format_size(size_of(body));
    if (g_hash_table_contains(p->left_out, body))
        g_string_append_printf(out, "(not shown here, %s: %s)\n", size, path);
    else
        add_bytes(out, body);
}

char *
thread_remarks(const Reply *reply)
{
    GString *out = g_string_new(NULL);
    g_autofree char *name = report_reply_name(reply->n);
    g_auto(GStrv) files = g_strsplit(reply->files, "\n", -1);
    if (reply->cut)
        g_string_append_printf(out, "[… cut: the whole text is in %s]\n", name);
    for (char **f = files; *f; f++) {
        g_autofree char *safe = text_vis(*f, false);
        if (*safe)
            g_string_append_printf(out, "[attached: %s]\n", safe);
    }
    return g_string_free(out, FALSE);
}

static void
put_reply(GString *out, const Plan *p, const Report *r, const Reply *reply)
{
    g_autofree char *name = report_reply_name(reply->n), *remarks = thread_remarks(reply);
    g_string_append_c(out, '\n');
    thread_add_reply(out, reply);
    put_body(out, p, reply->body, r, name);
    g_string_append(out, remarks);
}

static void
put_response(GString *out,
             const Plan *p,
             const Report *r,
             const Response *response,
             const Replies *replies)
{
    g_autofree char *name = report_response_name(response->n);
    g_string_append_c(out, '\n');
    thread_add_response(out, response, replies);
    put_body(out, p, response->body, r, name);
    g_string_append(out, THREAD_RULE);
}

char *
thread_format(const Report *r, const Replies *replies, const Responses *responses, size_t room)
{
    g_autoptr(GHashTable) left_out = g_hash_table_new(NULL, NULL);
    Plan plan = {.room = room, .left_out = left_out};
    GString *out = g_string_new(NULL);
    guint at = 0;
    plan_all(&plan, r, replies, responses);
    thread_add_title(out, r);
    g_string_append_c(out, '\n');
    thread_add_briefing(out, r);
    put_body(out, &plan, r->body, r, REPORT_BRIEFING);
    g_string_append(out, THREAD_RULE);
    LIST_EACH(const Reply, reply, replies) {
        for (; at < responses->len; at++) {
            const Response *response = g_ptr_array_index(responses, at);
            if (thread_response_after(response) >= reply->n)
                break;
            put_response(out, &plan, r, response, replies);
        }
        put_reply(out, &plan, r, reply);
    }
    for (; at < responses->len; at++)
        put_response(out, &plan, r, g_ptr_array_index(responses, at), replies);
    return g_string_free(out, FALSE);
}

int
thread_highest_reply(const Replies *replies)
{
    return replies->len ? ((const Reply *)g_ptr_array_index(replies, replies->len - 1))->n : 0;
}

int
thread_highest_response(const Responses *responses)
{
    int highest = 0;
    LIST_EACH(const Response, response, responses)
        highest = MAX(highest, response->n);
    return highest;
}

int
thread_response_after(const Response *response)
{
    return MAX(response->after, response->n);
}

bool
thread_has_open(const Replies *replies)
{
    LIST_EACH(const Reply, reply, replies)
        if (!reply->settled)
            return true;
    return false;
}

/* "## Response to Reply #1, #3" is response 3. */
static bool
response_line_is(const char *line, int n)
{
    g_autofree char *numbers = g_strndup(line, strcspn(line, "\n"));
    const char *last = strrchr(numbers, '#');
    return last && g_ascii_strtoll(last + 1, NULL, 10) == n;
}

int
thread_read_after(const char *text, int n)
{
    static const char responses[] = "## Response to Reply ";
    int highest = 0, number;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "## Reply #%d (", &number) == 1 ||
            sscanf(line, "## NEW Reply #%d (", &number) == 1)
            highest = MAX(highest, number);
        else if (g_str_has_prefix(line, responses) &&
                 response_line_is(line + sizeof responses - 1, n))
            return highest;
    }
    return 0;
}

bool
thread_names(const char *text, int n, bool response)
{
    static const char responses[] = "\n## Response to Reply ";
    g_autofree char *plain = g_strdup_printf("\n## Reply #%d (", n);
    g_autofree char *fresh = g_strdup_printf("\n## NEW Reply #%d (", n);
    if (!response)
        return strstr(text, plain) || strstr(text, fresh);
    for (const char *p = strstr(text, responses); p; p = strstr(p + 1, responses)) {
        if (response_line_is(p + sizeof responses - 1, n))
            return true;
    }
    return false;
}

bool
thread_read_sent(const char *text, int64_t *ret_us)
{
    static const char heading[] = "\n## Briefing Sent (";
    const char *found = strstr(text, heading);
    int y, mo, d, h, mi;
    if (!found || sscanf(found + sizeof heading - 1, "%4d-%2d-%2d %2d:%2d GMT)", &y, &mo, &d,
                         &h, &mi) != 5)
        return false;
    g_autoptr(GDateTime) at = g_date_time_new_utc(y, mo, d, h, mi, 0);
    if (at)
        *ret_us = g_date_time_to_unix(at) * USEC_PER_SEC;
    return at != NULL;
}
