#include "workflow/review_file.h"
#include "base/clock.h"
#include "base/file.h"
#include "engine/tree/file_effects.h"
#include "mail/msgid.h"
#include "workflow/artifact_place.h"

#define REVIEWS "reviews"
#define REVIEW_MAX 65536u /* bytes */
#define TIME_LEN 20u      /* "2026-11-18T10-30-00-" */

/* --- written --- */

char *
review_path(const Artifact *a, const Cycle *c)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc(c->closed_us / G_USEC_PER_SEC);
    g_autofree char *when = g_date_time_format(at, "%Y-%m-%dT%H-%M-%S");
    g_autofree char *title = artifact_title(a->name), *outcome = g_ascii_strup(c->outcome, -1);

    return g_strdup_printf(REVIEWS "/%s/%s-%s-%" G_GINT64_FORMAT "-%s.md", a->kind, when, title,
                           c->id.v, outcome);
}

char *
review_text(const Artifact *a, const Cycle *c, const char *state)
{
    g_autofree char *outcome = g_ascii_strup(c->outcome, -1);

    return g_strdup_printf(
        "# Review of %s\n\nOutcome: %s\nDecided by: %s\nAuthor: %s\nCycle: %d\nState: %s\n"
        "Digest: sha256 %s\nReview-request: <%s>\nDecision: <%s>\n",
        a->name, outcome, c->by, c->author, c->n, state, c->digest, c->msgid, c->resolved_by);
}

bool
review_record(Txn *txn, const char *root, const Artifact *a, const Cycle *c, GError **error)
{
    g_autofree char *path = review_path(a, c), *text = review_text(a, c, a->state);

    return file_effect_new(txn, root, path, text, error);
}

bool
review_has_place(const ArtifactPlace *p, GError **error)
{
    g_autofree char *path = g_build_filename(REVIEWS, p->kind->name, "any", NULL);
    bool there;
    Digest d;

    return file_digest(p->root, path, &there, &d, error) ||
           err_prefix(error, "no review of '%s' can be put on file", p->name);
}

/* --- read --- */

static void
review_free(gpointer p)
{
    ReviewFile *r = p;

    free_all(r->outcome, r->by, r->decision, r);
}

/* What stands behind "Name: " at the start of a line; caller frees. NULL: no line does. */
static char *
line_of(const char *text, const char *name)
{
    g_autofree char *start = g_strdup_printf("\n%s: ", name);
    const char *at = strstr(text, start);

    return at ? g_strndup(at + strlen(start), strcspn(at + strlen(start), "\n")) : NULL;
}

/* 2026-11-18T10-30-00-user-auth-1-APPROVED.md: when, and which cycle. */
static bool
read_name(const char *file, ReviewFile *r)
{
    g_autofree char *date = g_strndup(file, 10), *hour = g_strndup(file + 11, 8);
    g_autofree char *iso = g_strdup_printf("%sT%sZ", date, g_strdelimit(hour, "-", ':'));
    g_autofree char *front = g_strdup(file);
    char *dash = strrchr(front, '-');

    if (!dash)
        return false;
    *dash = '\0';
    dash = strrchr(front, '-');
    return dash && text_parse_int(dash + 1, 1, INT64_MAX, &r->cycle) &&
           clock_parse_iso(iso, &r->closed_us);
}

static void
read_review(int dir, const char *path, const char *file, GHashTable *reviews)
{
    g_autofree char *whole = g_strdup_printf("%s/%s", path, file), *text = NULL, *asked = NULL,
                    *said = NULL;
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read(dir, whole, REVIEW_MAX, &bytes, NULL) || !bytes)
        return;
    text = text_valid_bytes(bytes);
    asked = line_of(text, "Review-request");
    said = line_of(text, "Decision");
    char *request = asked ? msgid_parse(asked) : NULL;
    ReviewFile *r = g_new0(ReviewFile, 1);
    r->outcome = line_of(text, "Outcome");
    r->by = line_of(text, "Decided by");
    r->decision = said ? msgid_parse(said) : NULL;
    if (!request || !r->outcome || !r->by || !r->decision || !read_name(file, r)) {
        review_free(r);
        g_free(request);
        return;
    }
    g_autofree char *outcome = r->outcome;
    r->outcome = g_ascii_strdown(outcome, -1);
    g_hash_table_replace(reviews, request, r);
}

/* Is it named as a record of such an artifact? title NULL: of any. */
static bool
is_of(const char *file, const char *title)
{
    size_t len = title ? strlen(title) : 0;

    return strlen(file) > TIME_LEN && g_str_has_suffix(file, ".md") &&
           (!title || (g_str_has_prefix(file + TIME_LEN, title) && file[TIME_LEN + len] == '-'));
}

static void
read_folder(int dir, const char *kind, const char *title, GHashTable *reviews)
{
    g_autofree char *path = g_strdup_printf(REVIEWS "/%s", kind);
    auto_fd folder = dir_open_beneath(dir, path, NULL);
    DIR *list = folder < 0 ? NULL : dir_list(folder, ".");
    const struct dirent *e;

    while (list && (e = dir_next(list)))
        if (is_of(e->d_name, title))
            read_review(dir, path, e->d_name, reviews);
    if (list)
        (void)closedir(list);
}

GHashTable *
review_files(const Engine *engine, const char *title)
{
    const Config *config = engine->home->config;
    GHashTable *reviews = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, review_free);
    g_autofree char *root = workflow_root(engine, NULL);
    auto_fd dir = root ? dir_open(root, NULL) : -1;

    for (unsigned i = 0; dir >= 0 && i < config->n_artifacts; i++)
        read_folder(dir, config->artifacts[i].name, title, reviews);
    return reviews;
}
