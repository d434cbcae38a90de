#include "plan/file/plan.h"
#include "base/err.h"
#include "base/json.h"
#include "base/json_plain.h"

#define HEAD "\"version\":\"1.0\",\"plan_file\":\"p.md\""

static void
test_parse(void)
{
    static const struct {
        const char *text;
        const char *want_error; /* NULL: it is a plan; a part of the message */
        bool want_damage;
    } rows[] = {
        {"{" HEAD ",\"todos\":[]}", NULL, false},
        {"{" HEAD ",\"todos\":[{\"id\":\"SC-1\",\"status\":\"pending\",\"claim\":null}]}", NULL, false},
        {"", "line 1", true},
        {"{", "line 1", true},
        {"[]", "is no JSON object", true},
        {"{" HEAD ",\"todos\":[],\"todos\":[]}", "duplicate", true},
        {"{" HEAD ",\"todos\":[]}x", "line 1", true},
        {"{\"plan_file\":\"p.md\",\"todos\":[]}", "version: is missing", false},
        {"{\"version\":\"2.0\",\"plan_file\":\"p.md\",\"todos\":[]}", "version: '2.0'", false},
        {"{\"version\":1.0,\"plan_file\":\"p.md\",\"todos\":[]}", "version: must be a string", false},
        {"{\"version\":\"1.0\",\"plan_file\":\"/p.md\",\"todos\":[]}", "plan_file: '/p.md'", false},
        {"{\"version\":\"1.0\",\"plan_file\":\"a/../../p.md\",\"todos\":[]}", "plan_file:", false},
        {"{" HEAD "}", "todos: is missing", false},
        {"{" HEAD ",\"todos\":{}}", "todos: must be an array", false},
        {"{" HEAD ",\"todos\":[1]}", "todos[0]: must be an object", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"SC-1\"}]}", "todos[0].status: is missing", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"1\",\"status\":\"pending\"}]}", "todos[0].id: '1'", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"A\",\"status\":\"open\"}]}", "todos[0].status: 'open'", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"A\",\"status\":\"pending\",\"iteration\":1.5}]}",
         "todos[0].iteration", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"A\",\"status\":\"pending\",\"after\":[\"A\"]}]}", "ring", false},
        {"{" HEAD ",\"todos\":[{\"id\":\"A\",\"status\":\"pending\",\"after\":[1]}]}", "after[0]", false},
        {"{" HEAD ",\"todos\":[],\"status\":\"asleep\"}", "status: 'asleep'", false},
        {"{" HEAD ",\"todos\":[],\"max_iterations\":0}", "max_iterations", false},
        {"{" HEAD ",\"todos\":[],\"iteration_count\":-1}", "iteration_count", false},
        {"{" HEAD ",\"todos\":[],\"sessions\":[{}]}", "sessions[0].id", false},
        {"{" HEAD ",\"todos\":[],\"sessions\":{}}", "sessions: must be an array", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GBytes) bytes = g_bytes_new_static(rows[i].text, strlen(rows[i].text));
        g_autoptr(GError) error = NULL;
        g_autoptr(Plan) plan = NULL;
        bool ok = plan_parse(bytes, &plan, &error);

        g_test_message("%s", rows[i].text);
        g_assert_cmpint(ok, ==, rows[i].want_error == NULL);
        if (!ok)
            g_assert_nonnull(strstr(error->message, rows[i].want_error));
        g_assert_cmpint(!ok && err_is(error, ERR_DAMAGE), ==, rows[i].want_damage);
    }
}

/* Todos that wait for each other in each way that two thousand of them can, in a time that nobody notices. */
static void
test_rings(void)
{
    g_autoptr(Plan) plan =
        plan_new(&(PlanNew){.branch = "", .plan_file = "p", .max_iterations = 7});
    json_t *first = NULL;

    for (int i = 0; i < 2000; i++) {
        g_autofree char *id = g_strdup_printf("T-%d", i);
        json_t *todo = plan_add_todo(plan, id, NULL, NULL), *after = json_array();

        for (int back = 1; back <= 3 && i - back >= 0; back++) {
            g_autofree char *other = g_strdup_printf("T-%d", i - back);
            json_array_append_new(after, json_string(other));
        }
        json_object_set_new(todo, "after", after);
        first = first ? first : todo;
    }
    g_assert_true(plan_check_todos(plan, NULL));
    json_array_append_new(json_object_get(first, "after"), json_string("T-1999"));
    g_assert_false(plan_check_todos(plan, NULL));
}

static void
test_kept(void)
{
    const char *text = "{\"version\":\"1.0\",\"mine\":[1,{\"a\":2.5}],\"plan_file\":\"p\",\"todos\":"
                       "[{\"id\":\"A\",\"x\":null,\"status\":\"pending\"}]}";
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
    g_autoptr(Plan) plan = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_true(plan_parse(bytes, &plan, &error));
    plan_set_number(plan->members, "revision", 3);
    g_autofree char *out = plan_format(plan);
    g_autoptr(GBytes) again = g_bytes_new(out, strlen(out));
    g_autoptr(Plan) copy = NULL;
    g_assert_true(plan_parse(again, &copy, &error));
    g_assert_true(json_equal(plan->members, copy->members));
    g_assert_true(json_is_null(json_object_get(plan_find_todo(copy, "A"), "x")));
    g_assert_cmpint((int)json_array_size(json_object_get(copy->members, "mine")), ==, 2);
}

/* What a plan with everything in it looks like on disk is read by the quick reader: hooks wait for that. */
static void
test_is_plain(void)
{
    g_autoptr(Plan) plan = plan_new(&(PlanNew){
        .branch = "main", .plan_file = "PLAN.md", .level = LEVEL_POLITE, .max_iterations = 7});
    json_t *todo = plan_add_todo(plan, "SC-1", "Say \"h\303\244\" \\ and\ngo", "tester");

    json_object_set_new(todo, "after", json_pack("[s]", "SC-2"));
    json_object_set_new(todo, "claim", json_pack("{s:i, s:s}", "pid", 7, "boot", "x"));
    (void)plan_add_todo(plan, "SC-2", "", NULL);
    g_autofree char *out = plan_format(plan);
    g_autoptr(json_t) members = json_read_plain(out, strlen(out));
    g_assert_true(members && json_equal(members, plan->members));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/parse", test_parse);
    g_test_add_func("/plan/rings", test_rings);
    g_test_add_func("/plan/kept", test_kept);
    g_test_add_func("/plan/is-plain", test_is_plain);
    return g_test_run();
}
