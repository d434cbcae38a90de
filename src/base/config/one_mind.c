#include "base/config/one_mind.h"

/* The brain that is asked for a role; NULL: none is, as for a person. */
static const ConfBrain *
mind_of(const Config *config, const char *name)
{
    const ConfRole *role = config_role(config, name);
    const ConfBrain *brain = role && !role->person ? config_brain(config, role->brain) : NULL;

    return brain ? config_stand_in(config, brain) : NULL;
}

const ConfBrain *
config_one_mind(const Config *config, const char *a, const char *b)
{
    const ConfBrain *x = mind_of(config, a), *y = mind_of(config, b);

    return x && y && (x == y || (*x->model && g_str_equal(x->model, y->model))) ? y : NULL;
}
