#include "cli/home/role_template.h"

#include "cli/role_templates_data.h" /* made of share/roles */

const RoleTemplate *
role_template_find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(templates); i++) {
        if (g_str_equal(templates[i].name, name))
            return &templates[i];
    }
    return NULL;
}

const char *const *
role_template_names(void)
{
    static const char *names[G_N_ELEMENTS(templates) + 1];

    for (size_t i = 0; i < G_N_ELEMENTS(templates); i++)
        names[i] = templates[i].name;
    return names;
}

char *
role_template_about(const RoleTemplate *t)
{
    return g_strndup(t->text, strcspn(t->text, "\n"));
}

char *
role_template_part(const RoleTemplate *t, const char *part, char **ret_title)
{
    g_autofree char *line = g_strconcat("\n--- ", part, NULL);
    const char *at = strstr(t->text, line);

    if (!at)
        return NULL;
    at += strlen(line);
    const char *text = strchr(at, '\n') + 1;
    const char *end = strstr(text, "\n--- ");
    if (ret_title)
        *ret_title = g_strstrip(g_strndup(at, (size_t)(text - at)));
    return end ? g_strndup(text, (size_t)(end + 1 - text)) : g_strdup(text);
}
