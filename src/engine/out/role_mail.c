#include "engine/out/role_mail.h"
#include "engine/mode.h"
#include "engine/run/links.h"
#include "mail/markdown.h"
#include "mail/msgid.h"
#include "mail/parents.h"

RoleMailParent
role_mail_parent(const Message *m)
{
    return (RoleMailParent){.msgid = m->id,
                            .subject = m->subject,
                            .in_reply_to = m->in_reply_to,
                            .references = m->references};
}

RoleMailParent
role_mail_original(const Job *job)
{
    return (RoleMailParent){.msgid = job->original_msgid, .subject = job->subject};
}

static void
add_limits(GString *s, const ConfRole *role, const Job *job)
{
    int64_t steps = job->step_limit ? job->step_limit : role->total_iterations;
    int64_t money = job->cost_limit_micro ? job->cost_limit_micro : role->max_cost_micro;
    g_string_append_printf(s, " · step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
                           MIN(job->total_iterations + INT64_C(1), steps), steps);
    if (job->round_cost_micro <= 0)
        return;
    g_autofree char *spent = text_money(job->round_cost_micro), *most = text_money(money);
    g_string_append_printf(s, " · %s%s%s", spent, money > 0 ? " of " : "",
                           money > 0 ? most : "");
}

/* "job 12 · step 4 of 24 · $0.11 of $2.00 · reply STOP, STATUS, WHY, or just write"; the limits
 * are those of a role whose brain is led, money stands there once some was spent. */
static char *
format_footer(const Engine *engine, const ConfRole *role, const Job *job)
{
    const ModeOps *mode = engine_mode(engine, role);
    g_autoptr(GString) s = g_string_new(NULL);
    g_string_append_printf(s, "job %" G_GINT64_FORMAT, job->id.v);
    if (mode && mode->led)
        add_limits(s, role, job);
    else
        g_string_append_printf(s, " · step %d", job->steps + 1);
    if (job->deputy)
        g_string_append_printf(s, " · by %s", job->deputy);
    g_string_append(s, " · reply STOP, STATUS, WHY, or just write");
    return g_string_free(g_steal_pointer(&s), FALSE);
}

GPtrArray *
role_mail_chain(const RoleMailParent *parent)
{
    return msgid_answer_references(parent->references, parent->in_reply_to, parent->msgid);
}

static bool
thread_under(Compose *c, const RoleMailParent *parent, GError **error)
{
    if (!parent || !parent->msgid)
        return true;
    g_autoptr(GPtrArray) own = role_mail_chain(parent);
    g_autoptr(GPtrArray) ids = g_ptr_array_new(), chains = g_ptr_array_new();
    g_ptr_array_add(ids, (char *)parent->msgid);
    g_ptr_array_add(chains, own);
    for (guint i = 0; parent->too && i < parent->too->len; i++) {
        g_ptr_array_add(ids, parent->too->pdata[i]);
        g_ptr_array_add(chains, parent->too_chains->pdata[i]);
    }
    return parents_thread(c, ids, chains, error);
}

static bool
set_subject(Compose *c, const char *subject, const RoleMailParent *parent, GError **error)
{
    if (subject && *subject)
        return compose_subject(c, subject, error);
    return compose_subject_reply(c, parent && parent->subject ? parent->subject : "your mail",
                                 error);
}

static Compose *
begin(const Engine *engine, const ConfRole *role, const RoleMailParent *parent, GError **error)
{
    g_autoptr(Compose) c = compose_new();
    compose_date(c, home_now(engine->home));
    if (!compose_from(c, role->display, role->address, error) ||
        !thread_under(c, parent, error) ||
        !compose_header(c, "Auto-Submitted", parent ? "auto-replied" : "auto-generated",
                        error) ||
        /* Exchange obeys this field; it is also the only one left where a server takes out the
         * field above. */
        !compose_header(c, "X-Auto-Response-Suppress", "OOF, AutoReply", error))
        return NULL;
    return g_steal_pointer(&c);
}

static void
set_text(
    Compose *c, const Engine *engine, const char *body, const ConfRole *role, const Job *job)
{
    if (!job) {
        compose_text(c, body);
        return;
    }
    g_autofree char *footer = format_footer(engine, role, job);
    g_autofree char *above = g_strchomp(g_strdup(body));
    g_autofree char *text = g_strdup_printf("%s\n\n-- \n%s\n", above, footer);
    compose_text(c, text);
}

/* ---- HTML ---- */

/* True when the text is one link from end to end, and that link stands in the plain text: the
 * policy has seen only the links there. */
static bool
is_of_text(const char *url, void *of_text)
{
    Link link;
    return link_find(url, url, &link) && link.at == url && link.len == strlen(url) &&
           links_have(of_text, &link);
}

/* Markup taken away must not make a link of what was none: "https\://x". */
static bool
shows_only(GHashTable *of_text, const char *seen)
{
    Link link;
    for (const char *p = seen; link_find(seen, p, &link); p = link.at + link.len) {
        if (!links_have(of_text, &link))
            return false;
    }
    return true;
}

static bool
has_people(const Config *config, const GPtrArray *specs)
{
    for (guint i = 0; i < specs->len; i++) {
        if (!config_is_agent(config, g_ptr_array_index(specs, i)))
            return true;
    }
    return false;
}

/* The body is Markdown, for people; roles read the text. */
static void
set_html(
    Compose *c, const Engine *engine, const char *body, const ConfRole *role, const Job *job)
{
    g_autoptr(GHashTable) of_text = links_new();
    g_autofree char *above = g_strchomp(g_strdup(body));
    g_autofree char *seen = NULL;
    links_add(of_text, above);
    g_autofree char *html = markdown_html(above, is_of_text, of_text, &seen);
    if (!html || !*html || !shows_only(of_text, seen))
        return;
    g_autofree char *footer = job ? format_footer(engine, role, job) : NULL;
    g_autofree char *page = markdown_page(html, footer);
    compose_html(c, page);
}

Compose *
role_mail_answer(const Engine *engine,
                 const ConfRole *role,
                 const Job *job,
                 const ProposedMail *mail,
                 const GPtrArray *to,
                 const RoleMailParent *parent,
                 GError **error)
{
    g_autoptr(Compose) c = begin(engine, role, parent, error);
    if (!c || !set_subject(c, mail->subject, parent, error))
        return NULL;
    for (guint i = 0; i < to->len; i++) {
        if (!compose_to(c, NULL, g_ptr_array_index(to, i), error))
            return NULL;
    }
    for (guint i = 0; i < mail->cc->len; i++) {
        if (!compose_cc(c, NULL, g_ptr_array_index(mail->cc, i), error))
            return NULL;
    }
    const char *body = mail->body ? mail->body : "";
    set_text(c, engine, body, role, job);
    if (role->html && !mail->plain &&
        (has_people(engine->home->config, to) || has_people(engine->home->config, mail->cc)))
        set_html(c, engine, body, role, job);
    LIST_EACH(const ProposedFile, f, mail->files)
        if (f->content && !compose_attach(c, f->filename, f->content_type, f->content, error))
            return NULL;
    return g_steal_pointer(&c);
}

Compose *
role_mail_notice(const Engine *engine, const Notice *n, GError **error)
{
    const RoleMailParent original = n->job ? role_mail_original(n->job) : (RoleMailParent){0};
    const RoleMailParent *parent = n->parent ? n->parent : n->job ? &original : NULL;
    const char *to = n->to ? n->to : engine->home->config->owner;
    g_autoptr(Compose) c = begin(engine, n->role, parent, error);
    if (!c || !set_subject(c, n->subject, parent, error) || !compose_to(c, NULL, to, error))
        return NULL;
    for (guint i = 0; n->others && i < n->others->len; i++) {
        if (!compose_to(c, NULL, g_ptr_array_index(n->others, i), error))
            return NULL;
    }
    if (n->header && !compose_header(c, n->header, n->value, error))
        return NULL;
    set_text(c, engine, n->text, n->role, n->job);
    return g_steal_pointer(&c);
}
