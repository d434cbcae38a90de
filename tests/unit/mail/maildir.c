/* Maildir: delivery that survives, looking that does not miss, names that can't escape. */
#include "mail/maildir.h"
#include "base/cleanup.h"
#include "base/crash.h"
#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

typedef struct Box {
    char *root;
    int root_fd;
    Maildir *md;
} Box;

static void
box_setup(Box *box, gconstpointer data)
{
    GError *error = NULL;

    box->root = g_dir_make_tmp("postrider-maildir-XXXXXX", &error);
    g_assert_no_error(error);
    box->root_fd = open(box->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(box->root_fd, >=, 0);
    g_assert_true(maildir_open(box->root_fd, "anna", true, &box->md, &error));
    g_assert_no_error(error);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static void
box_teardown(Box *box, gconstpointer data)
{
    maildir_close(box->md);
    close(box->root_fd);
    g_assert_cmpint(nftw(box->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), ==, 0);
    g_free(box->root);
}

static bool
is_there(Box *box, const char *path)
{
    return faccessat(box->root_fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
put(Box *box, const char *path)
{
    auto_fd fd = openat(box->root_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, "x\n", 2), ==, 2);
}

static void
rename_in(Box *box, const char *from, const char *to)
{
    g_assert_cmpint(renameat(box->root_fd, from, box->root_fd, to), ==, 0);
}

static bool
deliver(Box *box, const char *folder, const char *base, const char *flags)
{
    GError *error = NULL;
    bool was_there = false;

    g_assert_true(maildir_deliver(box->md, folder, base, flags, "H: 1\n", "B: 2\n\nhi\n", 9,
                                  &was_there, &error));
    g_assert_no_error(error);
    return was_there;
}

static MaildirEntry *
find(Box *box, const char *base)
{
    GError *error = NULL;
    MaildirEntry *e = NULL;

    g_assert_true(maildir_find(box->md, base, &e, &error));
    g_assert_no_error(error);
    return e;
}

static GPtrArray *
scan(Box *box, const char *folder, bool new_only, unsigned *ret_foreign)
{
    GError *error = NULL;
    GPtrArray *entries = NULL;

    g_assert_true(maildir_scan(box->md, folder, new_only, &entries, ret_foreign, &error));
    g_assert_no_error(error);
    return entries;
}

static void
test_deliver(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = NULL;

    g_assert_false(deliver(box, "", "1.a", NULL));
    g_assert_true(is_there(box, "anna/new/1.a"));
    g_autoptr(MaildirEntry) e = find(box, "1.a");
    g_assert_nonnull(e);
    g_assert_true(e->in_new);
    g_assert_cmpint(e->size, ==, 14);
    g_assert_true(maildir_read(box->md, e, 100, &bytes, &error));
    g_assert_cmpmem("H: 1\nB: 2\n\nhi\n", 14, g_bytes_get_data(bytes, NULL), 14);

    g_assert_true(deliver(box, "", "1.a", NULL));
    g_assert_false(deliver(box, "Sent", "2.a", "S"));
    g_assert_true(is_there(box, "anna/.Sent/cur/2.a:2,S"));
    g_assert_true(is_there(box, "anna/.Sent/maildirfolder"));
    g_assert_true(is_there(box, "anna/.Sent/tmp"));
    g_assert_true(deliver(box, "Sent", "2.a", "S"));
    g_assert_cmpstr(maildir_mailbox(box->md), ==, "anna");
}

/* What a person's client did to the mail meanwhile, and whether we know it again. */
static const struct {
    const char *moved_to;
    bool redo, want_was_there;
} agains[] = {
    {"anna/new/7.x", true, true},          {"anna/new/7.x", false, true},
    {"anna/cur/7.x", false, false},        {"anna/cur/7.x:2,", true, true},
    {"anna/cur/7.x:2,FRS", true, true},    {"anna/.Done/cur/7.x:2,S", true, true},
    {"anna/.Done/new/7.x", true, true},    {"anna/cur/7.x:2,Sab", true, true},
    {"anna/cur/7.x:2,S", false, false},    {"anna/.Done/cur/7.x:2,S", false, false},
    {"anna/new/7.xy", true, false},        {"anna/cur/7.:2,S", true, false},
    {"anna/cur/7.x,S=9:2,S", true, false}, {"anna/tmp/7.x", true, false},
};

static void
test_again(Box *box, gconstpointer data)
{
    for (size_t i = 0; i < G_N_ELEMENTS(agains); i++) {
        g_autofree char *base = g_strdup_printf("%zu7.x", i);
        const char *slash = strrchr(agains[i].moved_to, '/') + 1;
        g_autofree char *to = g_strdup_printf("%.*s%zu%s", (int)(slash - agains[i].moved_to),
                                              agains[i].moved_to, i, slash);
        g_autofree char *from = g_strdup_printf("anna/new/%s", base);

        deliver(box, "Done", "0.make", NULL);
        g_assert_false(deliver(box, "", base, NULL));
        if (strcmp(from, to) != 0)
            rename_in(box, from, to);
        maildir_set_redo(box->md, agains[i].redo);
        g_test_message("row %zu: '%s'", i, to);
        g_assert_cmpint(deliver(box, "", base, NULL), ==, agains[i].want_was_there);
        /* What we delivered ourselves since the listing is known too. */
        g_assert_true(deliver(box, "", base, NULL));
    }
}

static void
test_many(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    MaildirItem items[150];
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    deliver(box, "", "100", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++) {
        g_ptr_array_add(names, g_strdup_printf("%u", i < 149 ? i : 3));
        items[i] = (MaildirItem){.folder = i % 2 ? "" : "Sent",
                                 .base = names->pdata[i],
                                 .flags = i % 2 ? NULL : "",
                                 .head = "",
                                 .bytes = names->pdata[i],
                                 .len = strlen(names->pdata[i])};
    }
    g_assert_true(maildir_deliver_many(box->md, items, G_N_ELEMENTS(items), &error));
    g_assert_no_error(error);
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++)
        g_assert_cmpint(items[i].was_there, ==, i == 100 || i == 149);
    g_autoptr(GPtrArray) inbox = scan(box, "", false, NULL);
    g_autoptr(GPtrArray) sent = scan(box, "Sent", false, NULL);
    g_assert_cmpuint(inbox->len, ==, 75);
    g_assert_cmpuint(sent->len, ==, 74);
    g_autoptr(GPtrArray) sent_new = scan(box, "Sent", true, NULL);
    g_assert_cmpuint(sent_new->len, ==, 0);
    g_assert_true(maildir_deliver_many(box->md, NULL, 0, &error));
}

/* A mail with flags of its own, under the target name, is not written over. */
static void
test_keeps_existing(Box *box, gconstpointer data)
{
    put(box, "anna/cur/5.k:2,S");
    maildir_set_redo(box->md, false);
    g_assert_true(deliver(box, "", "5.k", "S"));
    g_autoptr(MaildirEntry) e = find(box, "5.k");
    g_assert_cmpint(e->size, ==, 2);
    unsigned foreign = 0;
    g_autoptr(GPtrArray) all = scan(box, "", false, &foreign);
    g_assert_cmpuint(all->len, ==, 1);
}

static const struct {
    const char *folder, *base, *flags;
} refused[] = {
    {"", "", NULL},      {"", "a/b", NULL},   {"", ".a", NULL},    {"", "a\nb", NULL},
    {"", "a:2,S", NULL}, {"../x", "a", NULL}, {".x", "a", NULL},   {"a/b", "a", NULL},
    {"\x01", "a", NULL}, {"", "a", "s"},      {"", "a", "S/../x"}, {"", "..", NULL},
};

static void
test_refused(Box *box, gconstpointer data)
{
    g_autofree char *long_name = g_strnfill(300, 'a');
    g_autoptr(GError) error = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GError) e = NULL;
        g_assert_false(maildir_deliver(box->md, refused[i].folder, refused[i].base,
                                       refused[i].flags, "", "x", 1, NULL, &e));
        g_assert_true(err_is(e, ERR_NEVER));
    }
    g_assert_false(maildir_deliver(box->md, "", long_name, NULL, "", "x", 1, NULL, &error));
    g_assert_true(err_is(error, ERR_NEVER));
    for (const char *const *m = (const char *const[]){"", "..", "a/b", ".x", NULL}; *m; m++) {
        g_autoptr(GError) e = NULL;
        Maildir *md = NULL;
        g_assert_false(maildir_open(box->root_fd, *m, true, &md, &e));
        g_assert_true(err_is(e, ERR_NEVER));
    }
    g_autoptr(GError) absent = NULL;
    Maildir *md = NULL;
    g_assert_false(maildir_open(box->root_fd, "nobody", false, &md, &absent));
    g_assert_false(is_there(box, "nobody"));
    g_autoptr(GPtrArray) none = scan(box, "NoSuchFolder", false, NULL);
    g_assert_cmpuint(none->len, ==, 0);
}

static void
make_socket(Box *box, const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    g_snprintf(addr.sun_path, sizeof addr.sun_path, "%s/%s", box->root, path);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&addr, sizeof addr), ==, 0);
}

static void
test_scan_foreign(Box *box, gconstpointer data)
{
    static const char *const want[] = {"note", "9.a", "10.a", "10.b"};
    unsigned foreign = 0;

    g_assert_cmpint(mkfifoat(box->root_fd, "anna/new/fifo", 0600), ==, 0);
    g_assert_cmpint(mkdirat(box->root_fd, "anna/new/dir", 0700), ==, 0);
    g_assert_cmpint(symlinkat("/etc/passwd", box->root_fd, "anna/cur/link:2,S"), ==, 0);
    make_socket(box, "anna/cur/sock");
    put(box, "anna/new/.hidden");
    put(box, "anna/new/10.b");
    put(box, "anna/new/9.a");
    put(box, "anna/cur/10.a:2,TSFx");
    put(box, "anna/cur/note");

    g_autoptr(GPtrArray) all = scan(box, "", false, &foreign);
    g_assert_cmpuint(foreign, ==, 5);
    g_assert_cmpuint(all->len, ==, G_N_ELEMENTS(want));
    for (unsigned i = 0; i < all->len; i++)
        g_assert_cmpstr(((MaildirEntry *)all->pdata[i])->base, ==, want[i]);
    g_assert_cmpstr(((MaildirEntry *)all->pdata[2])->flags, ==, "FST");

    g_autoptr(GPtrArray) fresh = scan(box, "", true, &foreign);
    g_assert_cmpuint(fresh->len, ==, 2);
    g_assert_null(find(box, "fifo"));
    g_assert_null(find(box, "link"));
}

static const struct {
    const char *folder, *name;
    bool in_new;
    const char *want_base; /* NULL: no mail */
} looks[] = {
    {"", "1.a", true, "1.a"},      {"", "2.a:2,S", false, "2.a"},
    {"", "1.a", false, NULL},      {"", "fifo", true, NULL},
    {"", ".hidden", true, NULL},   {"", "../cur/2.a:2,S", true, NULL},
    {"Absent", "1.a", true, NULL},
};

static void
test_look(Box *box, gconstpointer data)
{
    put(box, "anna/new/1.a");
    put(box, "anna/new/.hidden");
    put(box, "anna/cur/2.a:2,S");
    g_assert_cmpint(mkfifoat(box->root_fd, "anna/new/fifo", 0600), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(MaildirEntry) e = NULL;

        maildir_look(box->md, looks[i].folder, looks[i].in_new, looks[i].name, &e, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(e ? e->base : NULL, ==, looks[i].want_base);
    }
}

/* A folder that a client removed between two deliveries fails one, and is made for the next. */
static void
test_removed_folder(Box *box, gconstpointer data)
{
    static const char *const gone[] = {"new", "cur", "tmp"};
    g_autoptr(GError) error = NULL;
    bool was_there;

    maildir_set_redo(box->md, false);
    deliver(box, "Done", "1.a", NULL);
    g_assert_cmpint(unlinkat(box->root_fd, "anna/.Done/new/1.a", 0), ==, 0);
    g_assert_cmpint(unlinkat(box->root_fd, "anna/.Done/maildirfolder", 0), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(gone); i++) {
        g_autofree char *path = g_strdup_printf("anna/.Done/%s", gone[i]);
        g_assert_cmpint(unlinkat(box->root_fd, path, AT_REMOVEDIR), ==, 0);
    }
    g_assert_cmpint(unlinkat(box->root_fd, "anna/.Done", AT_REMOVEDIR), ==, 0);

    g_assert_false(
        maildir_deliver(box->md, "Done", "2.a", NULL, "", "x\n", 2, &was_there, &error));
    g_assert_nonnull(error);
    g_assert_false(deliver(box, "Done", "2.a", NULL));
    g_assert_true(is_there(box, "anna/.Done/new/2.a"));
}

static void
test_folders(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) names = NULL;

    deliver(box, "Sent", "1", NULL);
    deliver(box, "Active", "2", NULL);
    g_assert_cmpint(mkdirat(box->root_fd, "anna/.git", 0700), ==, 0);
    g_assert_cmpint(mkdirat(box->root_fd, "anna/plain", 0700), ==, 0);
    g_assert_cmpint(mkdirat(box->root_fd, "anna/plain/cur", 0700), ==, 0);
    g_assert_cmpint(symlinkat(".Sent", box->root_fd, "anna/.Link"), ==, 0);
    g_assert_true(maildir_folders(box->md, &names, &error));
    g_assert_cmpuint(names->len, ==, 2);
    g_assert_cmpstr(names->pdata[0], ==, "Active");
    g_assert_cmpstr(names->pdata[1], ==, "Sent");
}

static unsigned
count_descriptors(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    unsigned n = 0;

    while (g_dir_read_name(dir))
        n++;
    return n;
}

/* A server opens mailboxes for months. */
static void
test_close(Box *box, gconstpointer data)
{
    unsigned before = count_descriptors();
    g_autoptr(GError) error = NULL;

    for (int i = 0; i < 2; i++) {
        Maildir *md = NULL;
        g_assert_true(maildir_open(box->root_fd, "bob", true, &md, &error));
        g_assert_true(maildir_deliver(md, "Done", "1", NULL, "", "x\n", 2, NULL, &error));
        g_assert_cmpuint(count_descriptors(), >, before);
        maildir_close(md);
        g_assert_cmpuint(count_descriptors(), ==, before);
    }
}

static const struct {
    const char *name, *add, *remove, *want;
} flaggings[] = {
    {"new/1.f", "S", "", "cur/1.f:2,S"},          {"new/1.f", "", "", "cur/1.f:2,"},
    {"cur/1.f:2,S", "FR", "", "cur/1.f:2,FRS"},   {"cur/1.f:2,FRS", "", "RS", "cur/1.f:2,F"},
    {"cur/1.f:2,Sab", "F", "S", "cur/1.f:2,Fab"}, {"cur/1.f", "T", "", "cur/1.f:2,T"},
    {"cur/1.f:2,S", "S", "", "cur/1.f:2,S"},      {".D/new/1.f", "S", "", ".D/cur/1.f:2,S"},
};

static void
test_flag(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    deliver(box, "D", "0", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(flaggings); i++) {
        g_autofree char *from = g_strconcat("anna/", flaggings[i].name, NULL);
        g_autofree char *to = g_strconcat("anna/", flaggings[i].want, NULL);
        put(box, from);
        g_assert_true(
            maildir_flag(box->md, "1.f", flaggings[i].add, flaggings[i].remove, &error));
        g_test_message("row %zu", i);
        g_assert_true(is_there(box, to));
        g_assert_cmpint(unlinkat(box->root_fd, to, 0), ==, 0);
    }
    g_assert_true(maildir_flag(box->md, "1.f", "S", "", &error));
    g_assert_false(maildir_flag(box->md, "1.f", "q", "", &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

static void
test_move(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    put(box, "anna/cur/1.m:2,RSa");
    put(box, "anna/new/2.m");
    g_assert_true(maildir_move(box->md, "1.m", "Done", &error));
    g_assert_true(maildir_move(box->md, "2.m", "Done", &error));
    g_assert_true(is_there(box, "anna/.Done/cur/1.m:2,RSa"));
    g_assert_true(is_there(box, "anna/.Done/new/2.m"));
    g_assert_true(maildir_move(box->md, "1.m", "Done", &error));
    g_assert_true(maildir_move(box->md, "1.m", "", &error));
    g_assert_true(is_there(box, "anna/cur/1.m:2,RSa"));
    g_assert_true(maildir_move(box->md, "gone", "Done", &error));
    g_assert_no_error(error);
    g_assert_false(maildir_move(box->md, "1.m", "../x", &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

static void
test_move_flagged(Box *box, gconstpointer data)
{
    static const struct {
        const char *at, *base, *add, *want;
    } cases[] = {
        {"anna/new/1.v", "1.v", "RS", "anna/.Done/cur/1.v:2,RS"},
        {"anna/cur/2.v:2,Fa", "2.v", "S", "anna/.Done/cur/2.v:2,FSa"},
        {"anna/.Done/new/3.v", "3.v", "RS", "anna/.Done/cur/3.v:2,RS"},
        {"anna/.Done/cur/4.v:2,S", "4.v", "R", "anna/.Done/cur/4.v:2,RS"},
        {"anna/.Done/cur/5.v:2,RS", "5.v", "S", "anna/.Done/cur/5.v:2,RS"},
        {"anna/new/6.v", "6.v", "", "anna/.Done/new/6.v"},
    };
    g_autoptr(GError) error = NULL;

    g_assert_true(maildir_make_folder(box->md, "Done", &error));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(box, cases[i].at);
        for (int again = 0; again < 2; again++) {
            maildir_move_flagged(box->md, cases[i].base, "Done", cases[i].add, &error);
            g_assert_no_error(error);
            g_assert_true(is_there(box, cases[i].want));
        }
        g_assert_true(is_there(box, cases[i].at) == g_str_equal(cases[i].at, cases[i].want));
    }
    g_assert_false(maildir_move_flagged(box->md, "1.v", "Done", "q", &error));
    g_assert_true(err_is(error, ERR_NEVER));
}

/* A file that is written in its place is not read before its writer is done; one of ours is
 * whole as soon as it has its name. */
static void
test_unfinished(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = NULL;
    bool unfinished = false;
    auto_fd fd = openat(box->root_fd, "anna/new/1.w", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    g_assert_cmpint(write(fd, "From: a@b\n", 10), ==, 10);
    g_autoptr(MaildirEntry) e = find(box, "1.w");
    g_assert_true(maildir_read_finished(box->md, e, 100, &unfinished, &bytes, &error));
    g_assert_true(unfinished);
    g_assert_null(bytes);
    cleanup_fd(&fd);
    g_assert_true(maildir_read_finished(box->md, e, 100, &unfinished, &bytes, &error));
    g_assert_false(unfinished);
    g_assert_cmpuint(g_bytes_get_size(bytes), ==, 10);
    g_clear_pointer(&bytes, g_bytes_unref);

    deliver(box, "", "2.w", NULL);
    g_autoptr(MaildirEntry) ours = find(box, "2.w");
    g_assert_true(maildir_read_finished(box->md, ours, 100, &unfinished, &bytes, &error));
    g_assert_false(unfinished);
    g_assert_nonnull(bytes);
}

static void
test_read(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = NULL;

    deliver(box, "", "1.r", NULL);
    g_autoptr(MaildirEntry) e = find(box, "1.r");
    g_assert_false(maildir_read(box->md, e, 13, &bytes, &error));
    g_assert_true(err_is(error, ERR_LIMIT));
    g_clear_error(&error);

    rename_in(box, "anna/new/1.r", "anna/cur/1.r:2,DPT");
    g_assert_true(maildir_read(box->md, e, 14, &bytes, &error));
    g_assert_cmpuint(g_bytes_get_size(bytes), ==, 14);
    g_clear_pointer(&bytes, g_bytes_unref);

    g_assert_cmpint(unlinkat(box->root_fd, "anna/cur/1.r:2,DPT", 0), ==, 0);
    g_assert_true(maildir_read(box->md, e, 14, &bytes, &error));
    g_assert_null(bytes);
    g_assert_no_error(error);
}

static void
test_sweep(Box *box, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    unsigned removed = 0;

    put(box, "anna/tmp/old");
    put(box, "anna/tmp/fresh");
    put(box, "anna/new/1.s");
    g_assert_cmpint(utimensat(box->root_fd, "anna/tmp/old", old, 0), ==, 0);
    g_assert_cmpint(utimensat(box->root_fd, "anna/new/1.s", old, 0), ==, 0);
    g_assert_true(maildir_sweep(box->md, 2000 * G_USEC_PER_SEC, &removed, &error));
    g_assert_cmpuint(removed, ==, 1);
    g_assert_true(is_there(box, "anna/tmp/fresh"));
    g_assert_true(is_there(box, "anna/new/1.s"));
}

static void
test_name(void)
{
    g_autofree char *a = maildir_name(INT64_C(1700000000123456));
    g_autofree char *b = maildir_name(INT64_C(1700000000123456));

    g_assert_true(g_str_has_prefix(a, "1700000000.M123456P"));
    g_assert_cmpstr(a, !=, b);
    g_assert_null(strpbrk(a, "/:"));
}

/* Dies at a point of one delivery; the redo leaves one mail and no other trace. */
static void
test_crash(Box *box, gconstpointer data)
{
    const char *point = data;
    pid_t pid = fork();

    g_assert_cmpint(pid, >=, 0);
    if (pid == 0) {
        g_setenv("POSTRIDER_DIE_AT", point, TRUE);
        crash_armed = -1;
        (void)maildir_deliver(box->md, "Sent", "1.c", NULL, "", "x\n", 2, NULL, NULL);
        _exit(0);
    }
    int status = 0;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status));
    g_assert_cmpint(deliver(box, "Sent", "1.c", NULL), ==,
                    strcmp(point, "maildir-written") != 0);
    g_autoptr(GPtrArray) all = scan(box, "Sent", false, NULL);
    g_assert_cmpuint(all->len, ==, 1);
}

/* Another program that reads its mail: new to cur, flags on and off, and back, without rest. */
static void
be_restless(Box *box)
{
    static const char *const places[] = {"new/8.s",      "cur/8.s:2,",   "cur/8.s:2,S",
                                         "cur/8.s:2,DS", "cur/8.s:2,PT", ".Done/cur/8.s:2,DP"};
    auto_fd anna = openat(box->root_fd, "anna", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unsigned at = 0;

    for (unsigned i = 1;; i++) {
        unsigned to = (at + 1 + i / 7 % 3) % G_N_ELEMENTS(places);
        if (to != at && renameat(anna, places[at], anna, places[to]) < 0)
            _exit(1);
        at = to;
    }
}

static void
test_find_restless(Box *box, gconstpointer data)
{
    deliver(box, "Done", "0.make", NULL);
    for (unsigned i = 0; i < 300; i++) {
        g_autofree char *path = g_strdup_printf("anna/cur/%u.other:2,S", i);
        put(box, path);
    }
    deliver(box, "", "8.s", NULL);
    pid_t pid = fork();
    g_assert_cmpint(pid, >=, 0);
    if (pid == 0)
        be_restless(box);

    unsigned missed = 0;
    for (unsigned i = 0; i < 3000; i++) {
        g_autoptr(MaildirEntry) e = find(box, "8.s");
        missed += e == NULL;
    }
    g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
    int status = 0;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status));
    g_assert_cmpuint(missed, ==, 0);
    g_assert_null(find(box, "absent"));
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*run)(Box *, gconstpointer);
        const char *data;
    } tests[] = {
        {"/maildir/deliver", test_deliver, NULL},
        {"/maildir/again", test_again, NULL},
        {"/maildir/many", test_many, NULL},
        {"/maildir/keeps-existing", test_keeps_existing, NULL},
        {"/maildir/refused", test_refused, NULL},
        {"/maildir/scan-foreign", test_scan_foreign, NULL},
        {"/maildir/look", test_look, NULL},
        {"/maildir/removed-folder", test_removed_folder, NULL},
        {"/maildir/folders", test_folders, NULL},
        {"/maildir/close", test_close, NULL},
        {"/maildir/flag", test_flag, NULL},
        {"/maildir/move", test_move, NULL},
        {"/maildir/move-flagged", test_move_flagged, NULL},
        {"/maildir/read", test_read, NULL},
        {"/maildir/unfinished", test_unfinished, NULL},
        {"/maildir/sweep", test_sweep, NULL},
        {"/maildir/crash/written", test_crash, "maildir-written"},
        {"/maildir/crash/renamed", test_crash, "maildir-renamed"},
        {"/maildir/crash/flushed", test_crash, "maildir-flushed"},
        {"/maildir/find-restless", test_find_restless, NULL},
    };

    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, Box, tests[i].data, box_setup, tests[i].run, box_teardown);
    g_test_add_func("/maildir/name", test_name);
    return g_test_run();
}
