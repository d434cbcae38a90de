/* Which files which model is shown. */
#include "brain/brain.h"

const BrainOps *const brain_kinds[] = {&brain_command, &brain_script, NULL};

static const struct {
    const char *kind, *model;
    BrainTakes said; /* the setting; 0: none */
    unsigned want;
} cases[] = {
    {"anthropic", "claude-opus-5-5", 0, BRAIN_IMAGES | BRAIN_PDF},
    {"anthropic", "Claude-X", 0, BRAIN_IMAGES | BRAIN_PDF},
    {"anthropic", "qwen3", 0, BRAIN_NOTHING}, /* a local server that speaks Messages */
    {"openai", "gpt-6", 0, BRAIN_IMAGES | BRAIN_PDF},
    {"openai", "gpt-oss-120b", 0, BRAIN_NOTHING},
    {"openai", "qwen2.5-vl-7b", 0, BRAIN_IMAGES},
    {"openai", "llama3.2-vision", 0, BRAIN_IMAGES},
    {"openai", "llama-3.3", 0, BRAIN_NOTHING},
    {"openai", "", 0, BRAIN_NOTHING},
    {"openai", "llama-3.3", BRAIN_IMAGES, BRAIN_IMAGES},
    {"openai", "llama-3.3", BRAIN_PDF, BRAIN_PDF},
    {"openai", "gpt-6", BRAIN_NO_FILE, BRAIN_NOTHING},
    {"openai", "gpt-6", BRAIN_NO_FILE | BRAIN_IMAGES, BRAIN_IMAGES},
    {"command", "claude-opus-5-5", BRAIN_IMAGES, BRAIN_NOTHING}, /* its files lie in a folder */
    {"script", "", BRAIN_IMAGES, BRAIN_NOTHING},
};

static void
test_models(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ConfBrain conf = {
            .kind = brain_kind_parse(cases[i].kind), .model = cases[i].model, .takes = cases[i].said};
        g_test_message("%s %s %u", cases[i].kind, cases[i].model, cases[i].said);
        g_assert_cmpuint(brain_takes_all(&conf), ==, cases[i].want);
        g_assert_cmpint(brain_takes(&conf, "image/png"), ==,
                        (cases[i].want & BRAIN_IMAGES) != 0);
        g_assert_cmpint(brain_takes(&conf, "application/pdf"), ==,
                        (cases[i].want & BRAIN_PDF) != 0);
        g_assert_false(brain_takes(&conf, "image/svg+xml"));
        g_assert_false(brain_takes(&conf, "text/plain"));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/takes/models", test_models);
    return g_test_run();
}
