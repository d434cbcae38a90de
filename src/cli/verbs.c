#include "cli/cli.h"
#include "cli/cmds.h"

#define VERB(...) {__VA_ARGS__},
#define FORM(name, run, args, words, summary) {name, run, 0, args, words, NULL, summary, NULL},
const Verb verbs[] = {
#include "cli/verbs.def"
    {NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL}};

const char *
verb_form(const Verb *row, const char *verb)
{
    size_t len = strlen(verb);
    return strncmp(row->name, verb, len) == 0 && row->name[len] == ' ' ? row->name + len + 1
                                                                       : NULL;
}

const Verb *
verb_find(const char *verb, const char *form)
{
    for (const Verb *v = verbs; v->name; v++) {
        if (form ? g_strcmp0(verb_form(v, verb), form) == 0
                 : v->group && g_str_equal(v->name, verb))
            return v;
    }
    return NULL;
}

GPtrArray *
verb_names(const char *verb)
{
    GPtrArray *names = g_ptr_array_new();
    for (const Verb *v = verbs; v->name; v++) {
        const char *name = verb ? verb_form(v, verb) : v->group ? v->name : NULL;
        if (name)
            g_ptr_array_add(names, (char *)name);
    }
    g_ptr_array_add(names, NULL);
    return names;
}

char *
verb_usage(const Verb *row)
{
    if (!(row->flags & VERB_FORMS))
        return g_strconcat(row->name, *row->args ? " " : "", row->args, NULL);
    g_autoptr(GPtrArray) forms = verb_names(row->name);
    g_autofree char *all = g_strjoinv("|", (char **)forms->pdata);
    return g_strdup_printf("%s %s ...", row->name, all);
}

const char *
verb_program(const char *verb, const Config *config, const char *account)
{
    const Verb *v = verb_find(verb, NULL);
    bool net = v->flags & VERB_NET;
    if (v->flags & VERB_SETUP)
        return "postrider-setup";
    if (v->flags & VERB_ASKS)
        net = net || config_asks_by_net(config);
    if (v->flags & VERB_SENDS)
        net = net || config_way_out(config, NULL);
    for (unsigned i = 0; v->flags & VERB_VISITS && i < config->n_accounts; i++) {
        const ConfAccount *a = &config->accounts[i];
        net = net || (config_is_imap(a) && (!account || g_str_equal(a->name, account)));
    }
    return net ? "postrider-net" : "postrider-mail";
}
