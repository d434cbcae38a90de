#pragma once

/*
 * Text with places in it, such as "the briefing of {date}". A place is a name in braces:
 * [a-z][a-z0-9_-]*, in any case. A template is read once, from the left: a value that holds
 * braces stays text and is never expanded again. Braces around anything else, and names that
 * nobody knows, stay as they are, so that JSON and code in a template need no escape.
 */

/* One piece of a template: text as it stands, or a place. */
typedef struct TemplatePiece {
    const char *text; /* borrowed from the template; of a place with its braces */
    size_t len;
    const char *name; /* of a place, without braces; NULL: it is text */
    size_t name_len;
} TemplatePiece;

/* The piece at *io_at, which moves behind it. False at the end. */
bool template_next(const char **io_at, TemplatePiece *ret);
/* Is this the place of that name? */
bool template_is(const TemplatePiece *piece, const char *name);

/* A value for a name. */
typedef struct TemplateValue {
    const char *name, *value;
} TemplateValue;
/* What stands in this piece's place: the value, or the piece itself where no value has its
 * name. values ends with a NULL name. */
void
template_put(GString *out, const TemplatePiece *piece, const TemplateValue *values);
/* The whole of it; caller frees. */
char *template_expand(const char *text, const TemplateValue *values);
/* The same where places have two pairs of braces, as {{DATE}}, and single braces are text. */
char *template_expand_double(const char *text, const TemplateValue *values);
