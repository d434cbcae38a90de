/* The form of an event, and behind a line "=" what was said: whatever they hold, the subject is one line, and what was
 * said is not expanded. */
#include "workflow/event_kind.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    g_autofree char *all = g_strndup(len > 0 ? (const char *)data : "", len);
    g_autofree char *valid = g_utf8_make_valid(all, -1), *subject = NULL, *text = NULL;
    char *said = strstr(valid, "\n=\n");
    g_autoptr(EventVars) vars = event_vars_new();

    if (said)
        *said = '\0';
    g_auto(GStrv) lines = g_strsplit(said ? said + 3 : "", "\n", 20);
    for (char **line = lines; *line; line++)
        (void)event_vars_add(vars, *line, NULL);
    event_vars_set(vars, "FROM_ROLE", "{{CONTEXT}}");
    event_expand(valid, vars, &subject, &text);
    g_assert_null(strchr(subject, '\n'));
    g_assert_true(!*text || text[strlen(text) - 1] == '\n');
    return 0;
}
