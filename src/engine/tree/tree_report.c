/*
 * What a mail says about the work in a tree: diffstat, commits, how to take it over, and
 * the patch. It is always the whole series that the people's branch does not have yet, as a
 * reviewer expects of a new version: what they have merged meanwhile is not sent again, and
 * a mail after which nothing has changed has none of it.
 *
 * Names of files and subjects of commits are text of the program: one line each, with
 * nothing in it that a terminal or a mail reader acts on, and indented, so that no Markdown
 * is made of it.
 */
#include "engine/tree/tree_internal.h"

#define PATCH_MAX (1u << 20)
#define STAT_FILES "--stat-count=20"
#define STAT_WIDTH "--stat=72,48"
#define COMMITS_SHOWN 20u
#define COMMITS_MAX "2000"
#define COMMITS_MANY 2000u
#define COMMITS_BYTES (4u << 20)
#define LINE_CHARS 100u

typedef struct Report {
    const Tree *t;
    const Job *job;
    const ConfRole *role;
    char *from;    /* commit */
    unsigned n;    /* commits */
    bool merges;   /* among them */
    GString *text; /* for the mail */
} Report;

static void
report_clear(Report *r)
{
    g_free(r->from);
    g_string_free(r->text, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Report, report_clear)

/* --- from where --- */

/* NULL with true: they have nothing in common. */
static bool
merge_base(const GitRepo *repo, const char *a, const char *b, char **ret, GError **error)
{
    int status = 0;
    const GitCall call = {.repo = repo, .content = true, .ret_status = &status};

    if (!git_line(&call, GIT_ARGS("merge-base", a, b), ret, error))
        return false;
    if (status != 0)
        g_clear_pointer(ret, g_free);
    return true;
}

bool
tree_is_within(
    const GitRepo *repo, const char *commit, const char *of, bool *ret, GError **error)
{
    int status = 0;
    const GitCall call = {.repo = repo, .content = true, .ret_status = &status};

    if (!git_run(&call, GIT_ARGS("merge-base", "--is-ancestor", commit, of), NULL, error))
        return false;
    *ret = status == 0;
    return true;
}

/* Where the branch left what people have now; or, where that is behind the commit that the job
 * began at, since they have gone elsewhere, that commit. */
bool
tree_from(const GitRepo *repo,
          const TreeRow *row,
          const char *base,
          const char *head,
          char **ret_from,
          GError **error)
{
    g_autofree char *left = NULL;
    bool newer = false;

    if (base && (!merge_base(repo, base, head, &left, error) ||
                 (left && !tree_is_within(repo, row->base, left, &newer, error))))
        return false;
    if (newer) {
        *ret_from = g_steal_pointer(&left);
        return true;
    }
    g_clear_pointer(&left, g_free);
    if (!merge_base(repo, row->base, head, &left, error))
        return false;
    *ret_from = left ? g_steal_pointer(&left) : g_strdup(row->base);
    return true;
}

/* --- words --- */

static void
add_line(GString *text, const char *line)
{
    g_autofree char *visible = text_vis(line, false);
    g_autofree char *brief = text_shorten(visible, LINE_CHARS);
    g_string_append_printf(text, "    %s\n", brief);
}

static bool
add_stat(Report *r, GError **error)
{
    const GitCall call = {.repo = r->t->repo, .content = true};
    g_autoptr(GBytes) out = NULL;

    if (!git_run(&call,
                 GIT_ARGS("diff", "--no-ext-diff", "--no-textconv", "-M", STAT_WIDTH,
                          STAT_FILES, r->from, r->t->head),
                 &out, error))
        return false;
    g_autofree char *text = text_valid_bytes(out);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (**line)
            add_line(r->text, *line + (**line == ' '));
    }
    return true;
}

/* Lines of "PARENTS\tSHORT SUBJECT", the oldest first. */
static void
add_commits(Report *r, char **lines)
{
    r->n = 0;
    for (char **line = lines; *line; line++)
        r->n += **line != '\0';
    unsigned hidden = MAX(r->n, COMMITS_SHOWN) - COMMITS_SHOWN, i = 0;

    g_string_append_printf(r->text, "\n%u commit%s on branch `%s`:\n\n", r->n,
                           r->n == 1 ? "" : "s", r->t->row->branch);
    if (hidden)
        g_string_append_printf(r->text, "    … %u older\n", hidden);
    for (char **line = lines; *line; line++) {
        const char *tab = strchr(*line, '\t');
        if (!tab)
            continue;
        r->merges |= memchr(*line, ' ', (size_t)(tab - *line)) != NULL;
        if (i++ >= hidden)
            add_line(r->text, tab + 1);
    }
}

static bool
add_log(Report *r, GError **error)
{
    const GitCall call = {.repo = r->t->repo, .content = true, .max = COMMITS_BYTES};
    g_autofree char *range = g_strdup_printf("%s..%s", r->from, r->t->head);
    g_autoptr(GBytes) out = NULL;

    if (!git_run(&call,
                 GIT_ARGS("log", "--reverse", "--format=%P%x09%h %s", "-n", COMMITS_MAX, range),
                 &out, error))
        return false;
    g_autofree char *text = text_valid_bytes(out);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    add_commits(r, lines);
    return true;
}

/* --- the patch --- */

/* Makes one commit with the whole change, on no branch. */
static bool
squash(const Report *r, char **ret, GError **error)
{
    const GitCall call = {.repo = r->t->repo, .content = true};
    g_autofree char *what = g_strconcat(r->t->head, "^{tree}", NULL), *tree = NULL;
    return git_line(&call, GIT_ARGS("rev-parse", "--verify", what), &tree, error) &&
           tree_commit_object(r->t, r->job, r->role, tree, r->from, ret, error);
}

/* *ret NULL: it is too large for a mail. */
static bool
make_patch(const Report *r, GBytes **ret, GError **error)
{
    g_autofree char *squashed = NULL, *range = NULL;
    g_autoptr(GError) why = NULL;
    bool linear = false;
    const GitCall call = {.repo = r->t->repo, .content = true, .max = PATCH_MAX};

    *ret = NULL;
    if (!tree_is_within(r->t->repo, r->from, r->t->head, &linear, error))
        return false;
    if ((r->merges || !linear || r->n >= COMMITS_MANY) && !squash(r, &squashed, error))
        return false;
    range = g_strdup_printf("%s..%s", r->from, squashed ? squashed : r->t->head);
    if (git_run(&call,
                GIT_ARGS("format-patch", "--stdout", "--binary", "-M", "--no-ext-diff",
                         "--no-textconv", range),
                ret, &why) ||
        err_is(why, ERR_LIMIT))
        return true;
    return err_pass(error, g_steal_pointer(&why));
}

static char *
patch_name(const Report *r)
{
    int64_t id = r->job->id.v;
    return r->job->round > 1
               ? g_strdup_printf("postrider-%" G_GINT64_FORMAT "-v%d.patch", id, r->job->round)
               : g_strdup_printf("postrider-%" G_GINT64_FORMAT ".patch", id);
}

/* git am takes carriage returns away unless it is told to keep them. */
static bool
has_returns(GBytes *patch)
{
    gsize len;
    const void *data = g_bytes_get_data(patch, &len);
    return memmem(data, len, "\r\n", 2) != NULL;
}

static bool
add_patch(Report *r, ProposedMail *mail, GError **error)
{
    g_autoptr(GBytes) patch = NULL;
    g_autofree char *name = patch_name(r);

    if (!make_patch(r, &patch, error))
        return false;
    g_string_append_printf(r->text, "\n`git merge %s` takes it over", r->t->row->branch);
    if (!patch) {
        g_string_append_printf(r->text,
                               ". The patch is larger than 1 MB and not attached: "
                               "`git format-patch %.12s..%s` makes it.",
                               r->from, r->t->row->branch);
        return true;
    }
    if (g_bytes_get_size(patch) == 0) { /* commits that change nothing */
        g_string_append(r->text, ".");
        return true;
    }
    g_string_append_printf(r->text, "; elsewhere `git am %s%s`%s.",
                           has_returns(patch) ? "--keep-cr " : "", name,
                           r->merges ? ", as one commit, since there are merges" : "");
    gsize len;
    const char *data = g_bytes_get_data(patch, &len);
    proposed_mail_attach(mail, name,
                         g_utf8_validate(data, (gssize)len, NULL) ? "text/x-patch"
                                                                  : "application/octet-stream",
                         patch);
    return true;
}

/* --- all of it --- */

static bool
report(Tree *t, const Job *job, const ConfRole *role, ProposedMail *mail, GError **error)
{
    g_auto(Report) r = {.t = t, .job = job, .role = role, .text = g_string_new("\n\n")};
    g_autofree char *base = NULL;
    g_autoptr(GError) none = NULL;

    if (g_strcmp0(t->head, t->row->told) == 0)
        return true;
    (void)tree_base(t->repo, role, &base, &none); /* it may be gone by now */
    if (!tree_from(t->repo, t->row, base, t->head, &r.from, error))
        return false;
    if (g_str_equal(r.from, t->head))
        return true;
    if (!add_stat(&r, error) || !add_log(&r, error) || !add_patch(&r, mail, error))
        return false;
    g_autofree char *body = g_steal_pointer(&mail->body);
    mail->body = g_strconcat(body, r.text->str, NULL);
    return true;
}

void
tree_report(Tree *t, const Job *job, const ConfRole *role, ProposedMail *mail)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *body = NULL;

    if (t->head && !report(t, job, role, mail, &why)) {
        g_autofree char *visible = text_vis(why->message, false);
        body = g_steal_pointer(&mail->body);
        mail->body =
            g_strdup_printf("%s\n\n(What it changed is on branch `%s`; it can't be shown: %s)",
                            body, t->row->branch, visible);
        g_clear_pointer(&body, g_free);
    }
    if (!t->left)
        return;
    body = g_steal_pointer(&mail->body);
    mail->body = g_strdup_printf("%s\n\n(Not committed: %s)", body, t->left);
}
