/*
 * The messages of Python's own email tests, read by us and by Python (py_headers.py): Subject,
 * From and To must come out the same. Where they do not, Python's reading is the odd one, and
 * the file is listed with the reason.
 */
#include "mail/message.h"
#include <jansson.h>
#include <sys/wait.h>

#define EXIT_SKIP 77

static const struct {
    const char *file, *field, *why;
} exceptions[] = {
    {"msg_05.txt", "from", "a word without a domain is no address"},
    {"msg_05.txt", "to", "a word without a domain is no address"},
    {"msg_15.txt", "to", "a word without a domain is no address"},
    {"msg_27.txt", "subject", "Python keeps the tabs of folded lines, we show blanks"},
    {"msg_43.txt", "from", "Python reads '<>' as the address of a person"},
};

static const char *
exception_for(const char *file, const char *field)
{
    for (size_t i = 0; i < G_N_ELEMENTS(exceptions); i++)
        if (strcmp(exceptions[i].file, file) == 0 && strcmp(exceptions[i].field, field) == 0)
            return exceptions[i].why;
    return NULL;
}

/* The script's output; NULL with a reason to skip. */
static json_t *
ask_python(const char **ret_why)
{
    g_autofree char *script = g_test_build_filename(G_TEST_DIST, "mail", "py_headers.py", NULL);
    const char *argv[] = {"python3", script, NULL};
    g_autofree char *out = NULL;
    int status = 0;

    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, NULL,
                      &status, NULL)) {
        *ret_why = "there is no python3 here";
        return NULL;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
        *ret_why = "Python's tests are not installed (Debian: libpython3-testsuite)";
        return NULL;
    }
    g_assert_cmpint(status, ==, 0);
    json_t *list = json_loads(out, 0, NULL);
    g_assert_nonnull(list);
    return list;
}

/* "name|spec" per address, a line each. */
static char *
describe_ours(const Addresses *list)
{
    GString *s = g_string_new(NULL);

    for (unsigned i = 0; i < list->len; i++) {
        const Address *a = list->pdata[i];
        g_string_append_printf(s, "%s|%s\n", a->name, a->spec);
    }
    return g_string_free(s, FALSE);
}

/* The same from Python's lists; domains in lower case, as ours are. */
static char *
describe_theirs(const json_t *list)
{
    GString *s = g_string_new(NULL);

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        g_autofree char *spec = g_strdup(json_string_value(json_array_get(pair, 1)));
        for (char *c = strrchr(spec, '@'); c && *c; c++)
            *c = g_ascii_tolower(*c);
        g_string_append_printf(s, "%s|%s\n", json_string_value(json_array_get(pair, 0)), spec);
    }
    return g_string_free(s, FALSE);
}

static void
compare(const char *file, const char *field, const char *ours, const char *theirs)
{
    const char *why = exception_for(file, field);

    if (why) {
        g_test_message("%s, %s: %s", file, field, why);
        g_assert_cmpstr(ours, !=, theirs); /* else the exception is no longer needed */
        return;
    }
    g_test_message("%s, %s", file, field);
    g_assert_cmpstr(ours, ==, theirs);
}

static void
check_file(const json_t *entry)
{
    const char *path = json_string_value(json_object_get(entry, "file"));
    g_autofree char *file = g_path_get_basename(path), *raw = NULL;
    gsize len;

    g_assert_true(g_file_get_contents(path, &raw, &len, NULL));
    g_autoptr(Message) m = message_parse(raw, len, MESSAGE_TEXT, NULL);
    g_autoptr(Addresses) from = addresses_new_view();
    if (m->from)
        addresses_add(from, m->from);
    g_autofree char *our_from = describe_ours(from), *our_to = describe_ours(m->to);
    g_autofree char *their_from = describe_theirs(json_object_get(entry, "from"));
    g_autofree char *their_to = describe_theirs(json_object_get(entry, "to"));
    compare(file, "subject", m->subject, json_string_value(json_object_get(entry, "subject")));
    compare(file, "from", our_from, their_from);
    compare(file, "to", our_to, their_to);
}

static void
test_python(void)
{
    const char *why = NULL;
    json_t *list = ask_python(&why);

    if (!list) {
        g_test_skip(why);
        return;
    }
    g_assert_cmpuint(json_array_size(list), >=, 40);
    for (size_t i = 0; i < json_array_size(list); i++)
        check_file(json_array_get(list, i));
    json_decref(list);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/corpus/python", test_python);
    return g_test_run();
}
