/* What we say to an IMAP server: no value can become a command, names are mUTF-7,
 * and sets of UIDs are what they say. */
#include "wire/imap_command.h"
#include "base/err.h"
#include "wire/imap.h"
#include "wire/imap_name.h"

/* The command as it would go out, literals by {n} and their bytes. */
static char *
written(const ImapCommand *command)
{
    GString *out = g_string_new(NULL);

    for (unsigned i = 0; i < imap_command_n_pieces(command); i++) {
        GBytes *literal = imap_command_literal(command, i);
        g_string_append(out, imap_command_text(command, i));
        if (literal) {
            g_string_append_printf(out, "{%zu}", g_bytes_get_size(literal));
            g_string_append_len(out, g_bytes_get_data(literal, NULL),
                                (gssize)g_bytes_get_size(literal));
        }
    }
    return g_string_free(out, false);
}

static const struct {
    const char *name, *value, *want;
} strings[] = {
    {"plain", "abc", "X \"abc\""},
    {"empty", "", "X \"\""},
    {"blanks", "a b", "X \"a b\""},
    {"quote", "a\"b", "X \"a\\\"b\""},
    {"backslash", "a\\", "X \"a\\\\\""},
    {"wildcards and braces", "a{5}*%()", "X \"a{5}*%()\""},
    {"line end", "a\"\r\nP9 DELETE INBOX", "X {19}a\"\r\nP9 DELETE INBOX"},
    {"bare CR", "a\rb", "X {3}a\rb"},
    {"bare LF", "a\nb", "X {3}a\nb"},
    {"UTF-8", "\xc3\xa9", "X {2}\xc3\xa9"},
    {"bytes", "\xff\xfe", "X {2}\xff\xfe"},
    {"tab", "a\tb", "X {3}a\tb"},
    {"DEL", "a\x7f", "X {2}a\x7f"},
};

static void
test_strings(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(strings); i++) {
        g_autoptr(ImapCommand) command = imap_command_new("X");
        imap_command_string(command, strings[i].value);
        g_autofree char *got = written(command);
        g_test_message("%s", strings[i].name);
        g_assert_cmpstr(got, ==, strings[i].want);
        g_assert_true(imap_command_check(command, NULL));
    }
    g_autofree char *longer = g_strnfill(1001, 'x');
    g_autoptr(ImapCommand) command = imap_command_new("X");
    imap_command_string(command, longer);
    g_autofree char *got = written(command);
    g_assert_true(g_str_has_prefix(got, "X {1001}xxx"));
}

static const struct {
    const char *name;
    unsigned flags;
    const char *keyword, *want; /* NULL: refused */
} flags[] = {
    {"none", 0, NULL, "X ()"},
    {"two", IMAP_SEEN | IMAP_DELETED, NULL, "X (\\Seen \\Deleted)"},
    {"keyword", IMAP_SEEN, "$Done", "X (\\Seen $Done)"},
    {"keyword alone", 0, "$Done", "X ($Done)"},
    {"a command in a keyword", 0, "a) X", NULL},
    {"a line end in a keyword", 0, "a\r\nP9 NOOP", NULL},
    {"a system flag as a keyword", 0, "\\Deleted", NULL},
    {"8 bit", 0, "\xc3\xa9", NULL},
    {"an empty keyword", 0, "", NULL},
};

static void
test_flags(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autoptr(ImapCommand) command = imap_command_new("X");
        g_autoptr(GError) error = NULL;
        imap_command_flags(command, flags[i].flags, flags[i].keyword);
        g_autofree char *got = written(command);
        g_test_message("%s", flags[i].name);
        g_assert_cmpint(imap_command_check(command, &error), ==, flags[i].want != NULL);
        if (flags[i].want)
            g_assert_cmpstr(got, ==, flags[i].want);
        else
            g_assert_true(err_is(error, ERR_NEVER));
    }
}

/* --- names --- */

static const struct {
    const char *name, *utf8;
    const char *want; /* NULL: no name */
} encoded[] = {
    {"ASCII", "INBOX", "INBOX"},
    {"RFC 3501", "~peter/mail/\xe5\x8f\xb0\xe5\x8c\x97/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
     "~peter/mail/&U,BTFw-/&ZeVnLIqe-"},
    {"ampersand", "R&D", "R&-D"},
    {"umlaut", "Entw\xc3\xbcrfe", "Entw&APw-rfe"},
    {"beyond 16 bits", "\xf0\x9f\x98\x80", "&2D3eAA-"},
    {"umlaut and ampersand", "\xc3\xbc&", "&APw-&-"},
    {"every length", "\xc3\xbc\xc3\xbc\xc3\xbc", "&APwA,AD8-"},
    {"nothing", "", NULL},
    {"line end", "a\r\nP9 NOOP", NULL},
    {"no UTF-8", "a\xff", NULL},
    {"C1", "a\xc2\x85", NULL},
};

static const char *const undecodable[] = {
    "&A-",        "R&D",   "&", "&A", "&APw", "&APw=-", "&2D0-", "&AGE-", /* "a" needs no run */
    "&APx-",      /* bits that are left over */
    "&APw-&APw-", /* one run would do */
    "\xc3\xbc",   "a\x01", "",
};

static void
test_names(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(encoded); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *wire = imap_name_encode(encoded[i].utf8, &error);
        g_test_message("%s", encoded[i].name);
        g_assert_cmpstr(wire, ==, encoded[i].want);
        g_assert_cmpint(wire == NULL, ==, err_is(error, ERR_NEVER));
        if (wire) {
            g_autofree char *back = imap_name_decode(wire);
            g_assert_cmpstr(back, ==, encoded[i].utf8);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(undecodable); i++) {
        g_test_message("'%s'", undecodable[i]);
        g_assert_null(imap_name_decode(undecodable[i]));
    }
}

/* --- sets --- */

static const struct {
    const char *name, *text, *want; /* NULL: no set */
    uint64_t want_count;
} sets[] = {
    {"one", "7", "7", 1},
    {"range", "3:5", "3:5", 3},
    {"backwards", "5:3", "3:5", 3},
    {"neighbours", "1,2,3,5", "1:3,5", 4},
    {"any order", "9,1:3,2:5,8", "1:5,8:9", 7},
    {"same twice", "4,4,4", "4", 1},
    {"open", "7:*", "7:*", UINT32_MAX - 6},
    {"last", "*", "*", 1},
    {"largest", "4294967295", "*", 1},
    {"0", "0", NULL, 0},
    {"0 in a range", "0:5", NULL, 0},
    {"too large", "4294967296", NULL, 0},
    {"words", "a", NULL, 0},
    {"nothing", "", NULL, 0},
    {"comma", "1,", NULL, 0},
    {"two commas", "1,,2", NULL, 0},
    {"colon", "1:", NULL, 0},
    {"blank", "1 2", NULL, 0},
};

static void
test_sets(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        g_auto(ImapSet) set = {0};
        bool ok = imap_set_parse(sets[i].text, strlen(sets[i].text), &set);
        g_autofree char *got = ok ? imap_set_format(&set) : NULL;
        g_test_message("%s", sets[i].name);
        g_assert_cmpstr(got, ==, sets[i].want);
        g_assert_cmpuint(imap_set_count(&set), ==, sets[i].want_count);
    }
}

static char *
set_after(const char *text, void (*change)(ImapSet *set))
{
    g_auto(ImapSet) set = {0};

    if (*text)
        g_assert_true(imap_set_parse(text, strlen(text), &set));
    change(&set);
    return imap_set_format(&set);
}

static void
remove_some(ImapSet *set)
{
    imap_set_remove(set, 3);
    imap_set_remove(set, 5);
    imap_set_remove(set, 99);
    imap_set_remove(set, 0);
}

static void
keep_some(ImapSet *set)
{
    g_auto(ImapSet) other = {0};
    imap_set_add(&other, 2, 4);
    imap_set_add(&other, 8, UINT32_MAX);
    imap_set_keep(set, &other);
}

static void
take_four(ImapSet *set)
{
    g_auto(ImapSet) taken = imap_set_take(set, 4, 2);
    g_assert_cmpuint(imap_set_count(&taken), <=, 4);
}

static const struct {
    const char *name, *text, *want;
    void (*change)(ImapSet *set);
} changes[] = {
    {"remove", "1:5", "1:2,4", remove_some},
    {"remove one", "3", "", remove_some},
    {"remove of nothing", "", "", remove_some},
    {"keep", "1:10,20", "2:4,8:10,20", keep_some},
    {"keep of nothing", "5:7", "", keep_some},
    {"take from a range", "1:10", "5:10", take_four},
    {"take ranges", "1,3,5,7", "5,7", take_four},
    {"take all", "1:4", "", take_four},
    {"take across", "1:3,10:20", "11:20", take_four},
};

static void
test_set_changes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *got = set_after(changes[i].text, changes[i].change);
        g_test_message("%s", changes[i].name);
        g_assert_cmpstr(got, ==, changes[i].want);
    }
    /* An open range is one thing, however much is asked. */
    g_auto(ImapSet) open = {0};
    imap_set_add(&open, 7, UINT32_MAX);
    g_auto(ImapSet) taken = imap_set_take(&open, 4, 2);
    g_autofree char *got = imap_set_format(&taken);
    g_assert_cmpstr(got, ==, "7:*");
    g_assert_true(imap_set_is_empty(&open));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/imap-command/strings", test_strings);
    g_test_add_func("/wire/imap-command/flags", test_flags);
    g_test_add_func("/wire/imap-command/names", test_names);
    g_test_add_func("/wire/imap-command/sets", test_sets);
    g_test_add_func("/wire/imap-command/changes of sets", test_set_changes);
    return g_test_run();
}
