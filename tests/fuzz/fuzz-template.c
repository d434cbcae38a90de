/* A template without values stays as it is; with values nothing is expanded twice. */
#include "base/template.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const TemplateValue none[] = {{NULL, NULL}};
    static const TemplateValue self[] = {{"date", "{date}"}, {"thread", "{date}"}, {NULL, NULL}};
    g_autofree char *text = g_strndup(len > 0 ? (const char *)data : "", len);
    g_autofree char *same = template_expand(text, none);
    g_autofree char *once = template_expand(text, self);

    g_assert_cmpstr(same, ==, text);
    g_assert_null(strstr(once, "{thread}"));
    return 0;
}
