#pragma once

/*
 * Templates of roles, built in from share/roles/NAME.role: a first line that says what such a role
 * does, then parts behind lines "--- PART": settings (lines of its section), task (its
 * instructions), script (a brain of its own), mail SUBJECT (a first mail to try it with).
 */

typedef struct RoleTemplate {
    const char *name, *text;
} RoleTemplate;

/* The template of this name; NULL: there is no such template. Static. */
const RoleTemplate *role_template_find(const char *name);
/* Their names; NULL-terminated, static. */
const char *const *role_template_names(void);
/* What such a role does; caller frees. */
char *role_template_about(const RoleTemplate *t);
/* The text of a part, without the part's own line; NULL: the template has no such part.
 * *ret_title (may be NULL): what stands behind the part's name in that line. Caller frees
 * both. */
char *role_template_part(const RoleTemplate *t, const char *part, char **ret_title);
