/* What was wrapped once too often is what was meant; what can't be understood fails
 * openly. */
#include "notes/repair.h"
#include <glib.h>

#define FENCE "```"

typedef struct Case {
    const char *name, *raw, *want, *want_what; /* want NULL: refused */
} Case;

static const Case mended[] = {
    {"json string in a json fence", FENCE "json\n\"# Title\\n\\nText \\\"quoted\\\".\"\n" FENCE,
     "# Title\n\nText \"quoted\".", "a JSON string in a code fence"},
    {"json string in a plain fence", FENCE "\n\"a\\nb\"\n" FENCE, "a\nb",
     "a JSON string in a code fence"},
    {"without any escape", FENCE "json\n\"done\"\n" FENCE, "done",
     "a JSON string in a code fence"},
    {"blanks around it", "\n  " FENCE "json\n  \"a\\nb\"  \n" FENCE "\n\n", "a\nb",
     "a JSON string in a code fence"},
    {"tildes", "~~~json\n\"a\\nb\"\n~~~", "a\nb", "a JSON string in a code fence"},
    {"CRLF", FENCE "json\r\n\"a\\nb\"\r\n" FENCE "\r\n", "a\nb",
     "a JSON string in a code fence"},
    {"encoded twice", "\"# Title\\nText\"", "# Title\nText", "JSON inside JSON"},
    {"encoded three times", "\"\\\"# Title\\\\nText\\\"\"", "# Title\nText",
     "JSON inside JSON, JSON inside JSON"},
    {"unicode escapes", "\"Gr\\u00fc\\u00dfe\\n\"",
     "Gr\xc3\xbc\xc3\x9f"
     "e\n",
     "JSON inside JSON"},
    {"fence in the string", "\"" FENCE "markdown\\n# T\\n" FENCE "\"", "# T\n",
     "JSON inside JSON, a code fence around the note"},
    {"a note in a markdown fence", FENCE "markdown\n# Title\n\n- a\n" FENCE, "# Title\n\n- a\n",
     "a code fence around the note"},
    {"md, with code in it", FENCE "md\n# T\n" FENCE "py\nprint(1)\n" FENCE "\nend\n" FENCE,
     "# T\n" FENCE "py\nprint(1)\n" FENCE "\nend\n", "a code fence around the note"},
    {"four ticks", "````markdown\n# T\n" FENCE "\nx\n" FENCE "\n````",
     "# T\n" FENCE "\nx\n" FENCE "\n", "a code fence around the note"},
    {"code in a fence", FENCE "python\nprint(\"a\\n\")\n" FENCE, "print(\"a\\n\")\n",
     "a code fence around the note"},
    {"a file of code", FENCE "c\nint main(void)\n{\n    puts(\"\\n\");\n}\n" FENCE "\n",
     "int main(void)\n{\n    puts(\"\\n\");\n}\n", "a code fence around the note"},
    {"text in a plain fence", FENCE "\njust some output\n" FENCE, "just some output\n",
     "a code fence around the note"},
    {"JSON in a fence", FENCE "json\n{\"a\": \"b\\n\"}\n" FENCE, "{\"a\": \"b\\n\"}\n",
     "a code fence around the note"},
    {"an object around it", "{\"content\": \"# Title\\nText\"}", "# Title\nText",
     "a JSON object around the note"},
    {"both", FENCE "json\n{\"content\": \"# Title\\nText\"}\n" FENCE, "# Title\nText",
     "a code fence around the note, a JSON object around the note"},
    {"breaks as two characters", "# Title\\n\\nText.\\n- a\\n- b", "# Title\n\nText.\n- a\n- b",
     "line breaks written as \\n"},
    {"one break", "# Title\\nText", "# Title\nText", "line breaks written as \\n"},
    {"breaks beside bare quotes", "# T\\nSay \"hi\".\\n- x\\ty", "# T\nSay \"hi\".\n- x\ty",
     "line breaks written as \\n"},
    {"break at the end", "Done.\\n", "Done.\n", "line breaks written as \\n"},
    {"breaks and a real one at the end", "Done.\\nMore.\n", "Done.\nMore.",
     "line breaks written as \\n"},
    {"carriage returns", "# T\\r\\n\\r\\nSay \"x\"\\n- y", "# T\n\nSay \"x\"\n- y",
     "line breaks written as \\n"},
    {"code on one line", FENCE "python\\nprint(1)\\n" FENCE, "print(1)\n",
     "line breaks written as \\n, a code fence around the note"},
    {"escaped code inside", "# Code\\n\\n" FENCE "c\\nputs(\\\"a\\\\n\\\");\\n" FENCE,
     "# Code\n\n" FENCE "c\nputs(\"a\\n\");\n" FENCE, "line breaks written as \\n"},
    {"a list behind a letter", "Option B:\\n- cheap\\n- good", "Option B:\n- cheap\n- good",
     "line breaks written as \\n"},
    {"a table", "| a | b |\\n|---|---|\\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |",
     "line breaks written as \\n"},
};

/* Ordinary notes. */
static const char *const left_alone[] = {
    "",
    " ",
    "\n\n",
    "plain",
    "# Title\n\nText with a code fence:\n\n" FENCE "json\n\"a\\nb\"\n" FENCE "\n\nand more.\n",
    FENCE "json\n\"a\\nb\"\n" FENCE "\n\n" FENCE "json\n\"c\"\n" FENCE,
    "``md\n# T\n``",
    FENCE "\nA\n" FENCE "\ntext\n" FENCE "\nB\n" FENCE,
    FENCE "markdown\nA\n" FENCE "\ntext\n" FENCE "\nB\n" FENCE,
    "[\"a\\nb\"]",
    "{\"content\": \"a\", \"more\": 1}",
    "{\"content\": [\"a\"]}",
    FENCE "sh\necho -e A.\\nB\n" FENCE,
    FENCE "\n~~~\na\n~~~\n" FENCE,
    "\"To be, or not to be\"",
    "\"Quoted\" and not.",
    "\"One\" and \"two\"",
    "\"An open quotation\nthat goes on",
    "Lines end in \\n.",
    "Use \\n for a line break",
    "Ends with \\n",
    "Write `a\\nb` there.",
    "Call printf(\"Hello.\\n\") first.",
    "split on '\\n', then trim",
    "The folder is C:\\new\\notes",
    "C:\\new",
    "match \\d+\\nfoo",
    "\\nabla \\neq 0",
    "first line\nsecond with \\n in it\\n- and more",
    "- a\n- b\\n- c\n",
    "a\\",
    "\\",
    "\"",
    "\"\"",
    FENCE,
    FENCE "\n" FENCE,
    FENCE "json\n" FENCE,
    "~~~",
};

static const Case refused[] = {
    {"half a JSON string", "\"# Title\\nText", NULL, "it begins as a JSON string and is none"},
    {"bad escape", "\"a\\nb\\x\"", NULL, "it begins as a JSON string and is none"},
    {"half in a fence", FENCE "json\n\"# Title\\nText\n" FENCE, NULL,
     "it begins as a JSON string in a code fence and is none"},
    {"fence without an end", FENCE "json\n\"# Title\\nText\"", NULL,
     "it begins as a JSON string in a code fence and is none"},
    {"real breaks in the string", FENCE "json\n\"# Title\nText\"\n" FENCE, NULL,
     "it begins as a JSON string in a code fence and is none"},
    {"NUL", "\"a\\n\\u0000\"", NULL, "it begins as a JSON string and is none"},
    {"lone surrogate", "\"a\\n\\ud800\"", NULL, "it begins as a JSON string and is none"},
    {"not text", "a\xff", NULL, "it is no valid text (UTF-8)"},
};

static void
check(const Case *c)
{
    g_autofree char *what = NULL, *again_what = NULL;
    g_autofree char *got = note_repair(c->raw, &what);

    g_test_message("%s", c->name);
    g_assert_cmpstr(got, ==, c->want);
    g_assert_cmpstr(what, ==, c->want_what);
    if (!got)
        return;
    g_autofree char *again = note_repair(got, &again_what);
    g_assert_cmpstr(again, ==, got);
    g_assert_null(again_what);
}

static void
test_mended(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(mended); i++)
        check(&mended[i]);
}

static void
test_left_alone(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(left_alone); i++)
        check(&(Case){left_alone[i], left_alone[i], left_alone[i], NULL});
}

static void
test_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        check(&refused[i]);
}

/* Ten layers are no slip. */
static void
test_deep(void)
{
    g_autoptr(GString) text = g_string_new("# T\n\"x\"");
    g_autofree char *what = NULL;

    for (int i = 0; i < 8; i++) {
        g_autoptr(GString) outer = g_string_new("\"");
        for (const char *p = text->str; *p; p++) {
            if (*p == '"' || *p == '\\')
                g_string_append_c(outer, '\\');
            g_string_append(outer, *p == '\n' ? "\\n" : (char[]){*p, '\0'});
        }
        g_string_append_c(outer, '"');
        g_string_assign(text, outer->str);
    }
    g_assert_null(note_repair(text->str, &what));
    g_assert_cmpstr(what, ==, "it is wrapped too often");
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/repair/mended", test_mended);
    g_test_add_func("/repair/left-alone", test_left_alone);
    g_test_add_func("/repair/refused", test_refused);
    g_test_add_func("/repair/deep", test_deep);
    return g_test_run();
}
