#include "base/sandbox.h"
#include "base/clock.h"
#include "base/proc.h"

#define TRY_US (10 * USEC_PER_SEC)
#define WHY_CHARS 200
#define EMPTY_FILE "/dev/null"

/* What this process has found out about bubblewrap. */
typedef struct Found {
    bool looked;
    char *program; /* NULL: there is none in PATH */
    bool seals;    /* it knows --disable-userns, which 0.8 brought */
    bool tried[2]; /* by `net` */
    char *why[2];  /* NULL: it works */
} Found;
static Found found;

void
sandbox_place_free(SandboxPlace *place)
{
    free_all(place->path, place->from, place);
}

Sandbox *
sandbox_new(void)
{
    /* Fresh ones, since they are full of sockets; and of /run what names are looked up with. */
    static const char *const seen[] = {
        "/run/systemd/resolve",   "/run/resolvconf",    "/run/NetworkManager/resolv.conf",
        "/run/nscd",              "/run/current-system", "/run/opengl-driver",
    };
    Sandbox *s = g_new0(Sandbox, 1);
    s->places = sandbox_places_new();
    sandbox_add(s, SANDBOX_SCRATCH, "/tmp");
    sandbox_add(s, SANDBOX_SCRATCH, "/var/tmp");
    sandbox_add(s, SANDBOX_SCRATCH, "/run");
    for (size_t i = 0; i < G_N_ELEMENTS(seen); i++)
        sandbox_add(s, SANDBOX_READ, seen[i]);
    return s;
}

void
sandbox_free(Sandbox *s)
{
    if (!s)
        return;
    sandbox_places_free(s->places);
    g_free(s);
}

/* The root and what replaces it are the wall's own. */
static void
add(Sandbox *s, SandboxKind kind, const char *from, const char *path)
{
    static const char *const own[] = {"/", "/dev", "/proc", NULL};
    if (g_strv_contains(own, path))
        return;
    SandboxPlace *p = g_new0(SandboxPlace, 1);
    p->kind = kind;
    p->from = g_strdup(from);
    p->path = g_strdup(path);
    p->folder = g_file_test(from, G_FILE_TEST_IS_DIR);
    sandbox_places_add(s->places, p);
}

static bool
is_beneath(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

void
sandbox_add(Sandbox *s, SandboxKind kind, const char *path)
{
    g_autofree char *place = realpath(path, NULL);
    if (place)
        add(s, kind, place, place);
}

void
sandbox_add_in(Sandbox *s, SandboxKind kind, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (!g_file_test(path, G_FILE_TEST_IS_SYMLINK))
        sandbox_add(s, kind, path);
}

void
sandbox_put(Sandbox *s, SandboxKind kind, const char *from, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    g_autofree char *source = realpath(from, NULL), *around = realpath(folder, NULL);
    if (!source || !around)
        return;
    g_autofree char *place = g_build_filename(around, name, NULL);
    add(s, kind, source, place);
}

/* What is said about the innermost folder around it; the root is read-only. */
static SandboxKind
kind_around(const Sandbox *s, const char *path)
{
    const SandboxPlace *inner = NULL;
    LIST_EACH(const SandboxPlace, p, s->places)
        if (is_beneath(path, p->path) && (!inner || strlen(p->path) > strlen(inner->path)))
            inner = p;
    return inner ? inner->kind : SANDBOX_READ;
}

void
sandbox_add_program(Sandbox *s, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    g_autofree char *around = realpath(folder, NULL), *target = realpath(path, NULL);
    if (!around || !target)
        return;
    g_autofree char *place = g_build_filename(around, name, NULL);
    if (kind_around(s, place) == SANDBOX_WRITE) {
        sandbox_add_in(s, SANDBOX_READ, around, name);
        return;
    }
    if (kind_around(s, place) >= SANDBOX_SCRATCH)
        add(s, SANDBOX_READ, target, place);
    if (kind_around(s, target) != SANDBOX_READ)
        add(s, SANDBOX_READ, target, target);
}

/* --- argv --- */

/* A folder comes before what lies in it; of one path the strictest comes first. */
static int
compare_places(const void *a, const void *b)
{
    const SandboxPlace *x = *(const SandboxPlace *const *)a;
    const SandboxPlace *y = *(const SandboxPlace *const *)b;
    const unsigned char *p = (const unsigned char *)x->path, *q = (const unsigned char *)y->path;
    for (; *p && *p == *q; p++, q++)
        ;
    if (*p == *q)
        return (int)y->kind - (int)x->kind;
    return (*p == '/' ? 1 : *p) - (*q == '/' ? 1 : *q);
}

/* The last place before this one that this one lies in; NULL: the root. */
static const SandboxPlace *
place_around(const SandboxPlaces *places, guint n)
{
    const SandboxPlace *p = places->pdata[n];
    while (n-- > 0) {
        const SandboxPlace *outer = places->pdata[n];
        if (is_beneath(p->path, outer->path))
            return outer;
    }
    return NULL;
}

static void
add_words(GPtrArray *argv, const char *word, ...)
{
    va_list words;
    va_start(words, word);
    for (; word; word = va_arg(words, const char *))
        g_ptr_array_add(argv, g_strdup(word));
    va_end(words);
}

/* An empty file is the device, since what can't even be opened is an error to some programs. */
static void
add_place(GPtrArray *argv, const SandboxPlace *p)
{
    bool fresh = p->kind == SANDBOX_SCRATCH || p->kind == SANDBOX_HIDE;
    if (fresh && p->folder)
        add_words(argv, "--tmpfs", p->path, NULL);
    else if (fresh || g_str_equal(p->from, EMPTY_FILE))
        add_words(argv, "--dev-bind", EMPTY_FILE, p->path, NULL);
    else
        add_words(argv, p->kind == SANDBOX_READ ? "--ro-bind" : "--bind", p->from, p->path,
                  NULL);
}

/* Nothing is in a fresh folder, so nothing needs to be hidden there. */
static bool
is_hidden_already(const SandboxPlace *p, const SandboxPlace *around)
{
    return p->kind == SANDBOX_HIDE && around && around->kind >= SANDBOX_SCRATCH;
}

static void
add_places(GPtrArray *argv, const Sandbox *s)
{
    g_autoptr(SandboxPlaces) sorted = sandbox_places_new_view();
    g_autoptr(SandboxPlaces) kept = sandbox_places_new_view();
    g_autoptr(SandboxPlaces) closed = sandbox_places_new_view(); /* read-only in the end */
    g_ptr_array_extend(LIST_ARRAY(sorted), LIST_ARRAY(s->places), NULL, NULL);
    g_ptr_array_sort(LIST_ARRAY(sorted), compare_places);
    LIST_EACH(SandboxPlace, p, sorted) {
        const SandboxPlace *last = kept->len ? kept->pdata[kept->len - 1] : NULL;
        if (last && g_str_equal(last->path, p->path))
            continue;
        sandbox_places_add(kept, p);
        if (is_hidden_already(p, place_around(kept, kept->len - 1)))
            continue;
        add_place(argv, p);
        if (p->kind == SANDBOX_HIDE && p->folder)
            sandbox_places_add(closed, p);
    }
    /* Last, since the places in it had to be made. */
    LIST_EACH(const SandboxPlace, p, closed)
        add_words(argv, "--remount-ro", p->path, NULL);
}

/* Keyrings of the kernel pass through namespaces: the program is given one of its own. */
static bool
add_keyring(GPtrArray *argv, GError **error)
{
    g_autofree char *trampoline = proc_helper_path("postrider-limit", error);
    if (!trampoline)
        return false;
    add_words(argv, trampoline, "keyring=new", "--", NULL);
    return true;
}

static char **
build_argv(const Sandbox *s, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    if (!add_keyring(argv, error))
        return NULL;
    add_words(argv, found.program, "--unshare-user", "--unshare-pid", "--unshare-ipc",
              "--unshare-uts", "--unshare-cgroup-try", NULL);
    if (!s->net)
        add_words(argv, "--unshare-net", NULL);
    if (found.seals)
        add_words(argv, "--disable-userns", NULL);
    add_words(argv, "--cap-drop", "ALL", "--die-with-parent", "--new-session", NULL);
    add_words(argv, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", NULL);
    if (access("/proc/keys", F_OK) == 0)
        add_words(argv, "--dev-bind", EMPTY_FILE, "/proc/keys", NULL);
    add_places(argv, s);
    /* The kernel asks for root's number, not for a capability, before it lets its settings be written. */
    add_words(argv, "--remount-ro", "/proc", NULL);
    if (g_getenv("TMPDIR"))
        add_words(argv, "--setenv", "TMPDIR", "/tmp", NULL);
    add_words(argv, "--", NULL);
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&argv), FALSE);
}

char **
sandbox_argv(const Sandbox *s, GError **error)
{
    const char *why = sandbox_lacks(s->net);
    if (why) {
        err_set(error, ERR_CONFIG, "%s", why);
        return NULL;
    }
    return build_argv(s, error);
}

/* --- does it work here? --- */

/* The last line that it said, as a clause. */
static char *
explain(const ProcEnd *end)
{
    g_autofree char *said = text_from_bytes(end->err);
    const char *line = strrchr(g_strchomp(said), '\n');
    line = line ? line + 1 : said;
    if (g_str_has_prefix(line, "bwrap: "))
        line += strlen("bwrap: ");
    g_autofree char *vis = text_vis(*line ? line : end->why, false);
    g_autofree char *brief = text_shorten(vis, WHY_CHARS);
    return g_strdup_printf("bubblewrap does not work here: %s", brief);
}

/* A wall without a place of ours, around a program that does nothing. */
static char *
try_once(bool net)
{
    g_autoptr(Sandbox) s = sandbox_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_autoptr(Proc) proc = NULL;
    s->net = net;
    g_auto(GStrv) wall = build_argv(s, &error);
    for (char **word = wall; word && *word; word++)
        g_ptr_array_add(argv, *word);
    g_ptr_array_add(argv, (gpointer) "/bin/true");
    g_ptr_array_add(argv, NULL);
    ProcSpec spec = {.argv = (const char *const *)argv->pdata,
                     .cwd = "/",
                     .limits = {.time_us = TRY_US}};
    if (!wall || !proc_run(&spec, &proc, &error))
        return g_strdup_printf("bubblewrap can't be started: %s", error->message);
    return proc_result(proc)->why ? explain(proc_result(proc)) : NULL;
}

static void
look(void)
{
    found.looked = true;
    found.program = g_find_program_in_path("bwrap");
    found.seals = true;
}

const char *
sandbox_lacks(bool net)
{
    if (!found.looked)
        look();
    if (!found.program)
        return "there is no bubblewrap (bwrap) in PATH";
    if (found.tried[net])
        return found.why[net];
    found.tried[net] = true;
    found.why[net] = try_once(net);
    if (found.why[net] && strstr(found.why[net], "--disable-userns")) { /* before 0.8 */
        found.seals = false;
        g_free(found.why[net]);
        found.why[net] = try_once(net);
    }
    return found.why[net];
}
