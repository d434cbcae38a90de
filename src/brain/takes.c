/*
 * Which files a brain's model can be shown. What `takes` says counts; without it the model's
 * name is looked up here, for the few families whose models all see. A model that is not
 * listed sees nothing: a question with a picture that it can't take would fail as a whole.
 */
#include "brain/brain.h"

typedef struct Family {
    BrainKind kind;
    const char *word; /* somewhere in the model's name, in any case */
    unsigned takes;
} Family;

static const Family families[] = {
    {BRAIN_ANTHROPIC, "claude", BRAIN_IMAGES | BRAIN_PDF},
    {BRAIN_OPENAI, "gpt-", BRAIN_IMAGES | BRAIN_PDF},
    {BRAIN_OPENAI, "llava", BRAIN_IMAGES},
    {BRAIN_OPENAI, "pixtral", BRAIN_IMAGES},
    {BRAIN_OPENAI, "gemma3", BRAIN_IMAGES},
    {BRAIN_OPENAI, "gemma-3", BRAIN_IMAGES},
    {BRAIN_OPENAI, "minicpm-v", BRAIN_IMAGES},
    {BRAIN_OPENAI, "moondream", BRAIN_IMAGES},
    {BRAIN_OPENAI, "vision", BRAIN_IMAGES},
    {BRAIN_OPENAI, "-vl", BRAIN_IMAGES},
    {BRAIN_OPENAI, "2.5vl", BRAIN_IMAGES},
};

static unsigned
by_model(const ConfBrain *conf)
{
    g_autofree char *model = g_ascii_strdown(conf->model ? conf->model : "", -1);

    if (strstr(model, "gpt-oss")) /* of the name, not of the family */
        return BRAIN_NOTHING;
    for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
        if (families[i].kind == conf->kind && strstr(model, families[i].word))
            return families[i].takes;
    }
    return BRAIN_NOTHING;
}

/* Only what is asked by HTTP has a way to send a file along. */
static bool
has_a_way(const ConfBrain *conf)
{
    return conf->kind == BRAIN_ANTHROPIC || conf->kind == BRAIN_OPENAI;
}

unsigned
brain_takes_all(const ConfBrain *conf)
{
    if (!has_a_way(conf))
        return BRAIN_NOTHING;
    return conf->takes ? conf->takes & (BRAIN_IMAGES | BRAIN_PDF) : by_model(conf);
}

unsigned
brain_takes_type(const char *media_type)
{
    static const char *const images[] = {"image/jpeg", "image/png", "image/gif", "image/webp",
                                         NULL};

    if (g_strv_contains(images, media_type))
        return BRAIN_IMAGES;
    return g_str_equal(media_type, "application/pdf") ? BRAIN_PDF : BRAIN_NOTHING;
}

bool
brain_takes(const ConfBrain *conf, const char *media_type)
{
    return (brain_takes_all(conf) & brain_takes_type(media_type)) != 0;
}
