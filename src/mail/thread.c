/*
 * The steps of RFC 5256, section 3, on parent pointers alone: lists of children are made from
 * them at the end, in the order of one sort over all mails, so no list is ever searched, moved
 * or sorted by itself.
 *
 *   step 1  link_all      parents by References, place-holders for ids that nobody has
 *   step 3  prune         place-holders go, but those that hold a thread together at the top
 *   step 4  build         lists of children and roots, by date
 *   step 5  merge         roots of one subject
 *   step 6  build         again
 */
#include "mail/thread.h"
#include "mail/message.h"

/* Steps up the tree while looking for loops. Ordinary mailboxes need about one per mail; a set
 * that was made to cost more loses links instead of time. */
#define CLIMB_BUDGET 50000000u

typedef struct Node Node;
struct Node {
    ThreadNode pub; /* first: a ThreadNode of ours is a Node */
    Node *parent;   /* what the steps work on; pub.parent follows in build() */
    Node *last;     /* child; in build() */
    Node *anchor;   /* of a place-holder: the nearest mail above it, else the topmost one */
    bool is_parent; /* has or had a child: only such a node can close a loop */
};

struct ThreadForest {
    GPtrArray *nodes; /* of Node; the mails first, in the input's order */
    ThreadNode *roots;
};

typedef struct Work {
    const ThreadMail *mails;
    size_t n;
    ThreadForest *forest;
    GHashTable *by_id; /* id to Node */
    unsigned climbs;   /* left of CLIMB_BUDGET */
    Node **by_date;    /* the mails' nodes */
    GPtrArray *roots;  /* of Node, by date; made by build() */
} Work;

/* ---- Nodes ---- */

static Node *
node_new(ThreadForest *forest, int mail)
{
    Node *node = g_new0(Node, 1);

    node->pub.mail = mail;
    g_ptr_array_add(forest->nodes, node);
    return node;
}

static Node *
node_at(const ThreadForest *forest, size_t i)
{
    return forest->nodes->pdata[i];
}

static bool
is_mail(const Node *node)
{
    return node->pub.mail >= 0;
}

/* The first of its children stands for a place-holder. */
static int
mail_of(const Node *node)
{
    return is_mail(node) ? node->pub.mail : node->pub.child->mail;
}

static int
compare_nodes(gconstpointer pa, gconstpointer pb, gpointer data)
{
    const ThreadMail *mails = data;
    int a = mail_of(*(Node *const *)pa), b = mail_of(*(Node *const *)pb);

    if (mails[a].date_us != mails[b].date_us)
        return mails[a].date_us < mails[b].date_us ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void
work_begin(Work *w, const ThreadMail *mails, size_t n)
{
    *w = (Work){.mails = mails, .n = n, .climbs = CLIMB_BUDGET};
    w->forest = g_new0(ThreadForest, 1);
    w->forest->nodes = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < n; i++)
        node_new(w->forest, (int)i);
    w->by_date = g_new(Node *, n + 1);
    for (size_t i = 0; i < n; i++)
        w->by_date[i] = node_at(w->forest, i);
    g_qsort_with_data(w->by_date, (int)n, sizeof *w->by_date, compare_nodes, (void *)mails);
    w->by_id = g_hash_table_new(g_str_hash, g_str_equal);
    w->roots = g_ptr_array_new();
}

/* ---- Step 1: links ---- */

/* True when child is parent or above it. */
static bool
would_loop(Work *w, const Node *parent, const Node *child)
{
    if (parent == child)
        return true;
    if (!child->is_parent)
        return false;
    for (const Node *up = parent; up; up = up->parent) {
        if (up == child || w->climbs == 0)
            return true;
        w->climbs--;
    }
    return false;
}

static void
link_nodes(Work *w, Node *parent, Node *child)
{
    if (would_loop(w, parent, child))
        return;
    child->parent = parent;
    parent->is_parent = true;
}

static Node *
node_of_id(Work *w, const char *id)
{
    Node *node = g_hash_table_lookup(w->by_id, id);

    if (!node) {
        node = node_new(w->forest, -1);
        g_hash_table_insert(w->by_id, (void *)id, node);
    }
    return node;
}

/* 1.A: each reference is the parent of the next, unless that has one already. 1.B: the last one
 * is the mail's own parent, and the mail knows better than others who named it. */
static void
link_mail(Work *w, Node *node)
{
    const GPtrArray *refs = w->mails[node->pub.mail].refs;
    Node *last = NULL;

    for (unsigned i = 0; refs && i < refs->len; i++) {
        Node *ref = node_of_id(w, refs->pdata[i]);
        if (last && !ref->parent)
            link_nodes(w, last, ref);
        last = ref;
    }
    node->parent = NULL;
    if (last)
        link_nodes(w, last, node);
}

/* The first mail with an id has it; a copy is a mail without one. */
static void
link_all(Work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const char *id = w->mails[i].id;
        if (id && id[0] && !g_hash_table_contains(w->by_id, id))
            g_hash_table_insert(w->by_id, (void *)id, node_at(w->forest, i));
    }
    for (size_t i = 0; i < w->n; i++)
        link_mail(w, node_at(w->forest, i));
}

/* ---- Step 3: pruning ---- */

static Node *
find_anchor(Node *holder)
{
    Node *up = holder;

    while (!is_mail(up) && !up->anchor && up->parent)
        up = up->parent;
    Node *anchor = up->anchor ? up->anchor : up;
    for (Node *p = holder; p != up; p = p->parent)
        p->anchor = anchor;
    return anchor;
}

/* Each mail hangs on the nearest mail above, or on the topmost place-holder when there is none.
 * A place-holder with one child at the top is not needed either; build() leaves it out. */
static void
prune(Work *w)
{
    g_autofree Node **parents = g_new(Node *, w->n + 1);

    for (size_t i = 0; i < w->n; i++) {
        Node *parent = node_at(w->forest, i)->parent;
        parents[i] = parent && !is_mail(parent) ? find_anchor(parent) : parent;
    }
    for (unsigned i = 0; i < w->forest->nodes->len; i++)
        node_at(w->forest, i)->parent = i < w->n ? parents[i] : NULL;
}

/* ---- Steps 4 and 6: lists by date ---- */

static void
append_child(Node *parent, Node *child)
{
    child->pub.parent = &parent->pub;
    if (parent->last)
        parent->last->pub.next = &child->pub;
    else
        parent->pub.child = &child->pub;
    parent->last = child;
}

static void
collect_roots(Work *w)
{
    g_ptr_array_set_size(w->roots, 0);
    for (unsigned i = 0; i < w->forest->nodes->len; i++) {
        Node *node = node_at(w->forest, i);
        if (node->parent || (!is_mail(node) && !node->pub.child))
            continue;
        if (!is_mail(node) && !node->pub.child->next) {
            Node *only = node->last;
            only->parent = NULL;
            only->pub.parent = node->pub.child = NULL;
            node->last = NULL;
            node = only;
        }
        g_ptr_array_add(w->roots, node);
    }
    g_ptr_array_sort_with_data(w->roots, compare_nodes, (void *)w->mails);
}

static void
build(Work *w)
{
    for (unsigned i = 0; i < w->forest->nodes->len; i++) {
        Node *node = node_at(w->forest, i);
        node->pub.parent = node->pub.child = node->pub.next = NULL;
        node->last = NULL;
    }
    for (size_t i = 0; i < w->n; i++)
        if (w->by_date[i]->parent)
            append_child(w->by_date[i]->parent, w->by_date[i]);
    collect_roots(w);
    ThreadNode **link = &w->forest->roots;
    LIST_EACH(Node, node, w->roots) {
        *link = &node->pub;
        link = &node->pub.next;
    }
    *link = NULL;
}

/* ---- Step 5: subjects ---- */

/* To compare; NULL for none. Caller frees. */
static char *
subject_key(const ThreadMail *mail)
{
    g_autofree char *base = message_base_subject(mail->subject ? mail->subject : "", NULL);

    return base[0] ? g_utf8_casefold(base, -1) : NULL;
}

/* True when the base subject comes without a "Re:", "Fwd:", "(fwd)" or "[fwd:" that was there.
 */
static bool
node_is_reply(const Work *w, const Node *node)
{
    const char *subject = w->mails[mail_of(node)].subject;
    bool reply;

    g_free(message_base_subject(subject ? subject : "", &reply));
    return reply;
}

/* 5.B: the root that stands for each subject: a place-holder before a mail, a mail that is no
 * reply before one that is. */
static void
choose_heads(const Work *w, char *const *keys, GHashTable *heads)
{
    for (unsigned i = 0; i < w->roots->len; i++) {
        Node *node = w->roots->pdata[i];
        if (!keys[i])
            continue;
        const Node *head = g_hash_table_lookup(heads, keys[i]);
        if (!head || (is_mail(head) &&
                      (!is_mail(node) || (node_is_reply(w, head) && !node_is_reply(w, node)))))
            g_hash_table_insert(heads, keys[i], node);
    }
}

/* 5.C for one root and the head of its subject; returns the head from now on. */
static Node *
merge_root(Work *w, Node *head, Node *node)
{
    if (!is_mail(head) && !is_mail(node)) {
        for (ThreadNode *child = node->pub.child; child; child = child->next)
            ((Node *)child)->parent = head;
        return head;
    }
    if (!is_mail(head) || (node_is_reply(w, node) && !node_is_reply(w, head))) {
        node->parent = head;
        return head;
    }
    Node *holder = node_new(w->forest, -1);
    holder->pub.child = &head->pub; /* for mail_of(), until build() */
    head->parent = node->parent = holder;
    return holder;
}

static void
merge(Work *w)
{
    g_autoptr(GHashTable) heads = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);

    for (unsigned i = 0; i < w->roots->len; i++)
        g_ptr_array_add(keys, subject_key(&w->mails[mail_of(w->roots->pdata[i])]));
    choose_heads(w, (char **)keys->pdata, heads);
    for (unsigned i = 0; i < w->roots->len; i++) {
        Node *node = w->roots->pdata[i];
        Node *head = keys->pdata[i] ? g_hash_table_lookup(heads, keys->pdata[i]) : NULL;
        if (head && head != node && !node->parent)
            g_hash_table_insert(heads, keys->pdata[i], merge_root(w, head, node));
    }
}

/* ---- Calls ---- */

ThreadForest *
thread_references(const ThreadMail *mails, size_t n, bool by_subject)
{
    Work w;

    work_begin(&w, mails, n);
    link_all(&w);
    prune(&w);
    build(&w);
    if (by_subject) {
        merge(&w);
        build(&w);
    }
    g_hash_table_unref(w.by_id);
    g_ptr_array_unref(w.roots);
    g_free(w.by_date);
    return w.forest;
}

const ThreadNode *
thread_roots(const ThreadForest *f)
{
    return f->roots;
}

void
thread_forest_free(ThreadForest *f)
{
    if (!f)
        return;
    g_ptr_array_unref(f->nodes);
    g_free(f);
}
