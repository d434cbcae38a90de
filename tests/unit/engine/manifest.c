/* What a step was shown counts by its least trusted part. */
#include "engine/context/manifest.h"
#include "base/err.h"
#include "store/note/note_versions.h"
#include "testwork.h"

static void
put_note(TestWork *w, const char *key, Trust label)
{
    const NoteBy by = {.author = "x", .label = label};
    g_autoptr(GBytes) body = g_bytes_new_static("text\n", 5);
    Txn txn = test_begin(w->engine.db);

    g_assert_true(note_put(&txn, key, body, NOTE_ANY, &by, NULL, NULL));
    test_commit(&txn);
}

static char *
names(GBytes *manifest)
{
    g_autoptr(ManifestParts) parts = NULL;
    g_autoptr(GError) error = NULL;
    GString *s = g_string_new(NULL);

    manifest_parts(manifest, &parts, &error);
    g_assert_no_error(error);
    LIST_EACH(const ManifestPart, part, parts)
        g_string_append_printf(s, "%s:%d ", part->id, (int)part->version);
    return g_string_free(s, FALSE);
}

#define SHOWN(id, more) "{\"id\":\"" id "\",\"shown\":5,\"bytes\":9" more "}"

static void
test_parts(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *manifest, *want;
        Trust want_floor;
    } cases[] = {
        {"{\"parts\":[]}", "", TRUST_OPERATOR},
        {"{\"parts\":[" SHOWN("m@x", "") "]}", "m@x:0 ", TRUST_PRINCIPAL},
        {"{\"parts\":[" SHOWN("a/b", ",\"version\":1") "]}", "a/b:1 ", TRUST_ANYONE},
        {"{\"parts\":[" SHOWN("a/b", ",\"version\":2") "]}", "a/b:2 ", TRUST_OPERATOR},
        {"{\"parts\":[" SHOWN("a/b", ",\"version\":2") "," SHOWN("m@x", "") "]}",
         "a/b:2 m@x:0 ", TRUST_PRINCIPAL},
        {"{\"parts\":[" SHOWN("m@x", ",\"from\":\"words\"") "]}", "", TRUST_OPERATOR},
        {"{\"parts\":[{\"id\":\"m@x\",\"shown\":0,\"bytes\":9}]}", "", TRUST_OPERATOR},
        {"{\"parts\":[],\"read\":[{\"id\":\"a/b\",\"version\":1}]}", "a/b:1 ", TRUST_OPERATOR},
    };

    work_take_in(w, "envoy",
                 "From: ann@example.org\nTo: envoy@example.org\nSubject: s\n"
                 "Message-ID: <m@x>\n\nGo.\n",
                 TRUST_PRINCIPAL, MSG_STORED);
    put_note(w, "a/b", TRUST_ANYONE);
    put_note(w, "a/b", TRUST_OPERATOR);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GBytes) manifest =
            g_bytes_new_static(cases[i].manifest, strlen(cases[i].manifest));
        g_autoptr(GError) error = NULL;
        g_autofree char *got = names(manifest);
        Trust floor = TRUST_OPERATOR;

        g_test_message("%s", cases[i].manifest);
        g_assert_cmpstr(got, ==, cases[i].want);
        manifest_floor(&w->engine, "envoy", manifest, &floor, &error);
        g_assert_no_error(error);
        g_assert_cmpint(floor, ==, cases[i].want_floor);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/manifest/parts", TestWork, NULL, work_open, test_parts, work_close);
    return g_test_run();
}
