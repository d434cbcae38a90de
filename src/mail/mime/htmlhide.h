#pragma once

/*
 * Which elements of an HTML mail hide what they hold from its reader: by their own style or a
 * class of the page's style sheet. Hidden is what is not displayed, has no size, is moved off
 * the page, or has the colour of what is behind it. Rules for some screens only (@media) are
 * left alone: honest mail has them.
 *
 * A plain record; zeroed it knows nothing yet. Nothing fails, and nothing grows.
 */

#define HTMLHIDE_CLASSES 32u

typedef struct HtmlHide {
    char classes[HTMLHIDE_CLASSES][32]; /* lower case; that hide */
    unsigned n_classes;
    bool painted; /* something has a background of its own: white text may be seen */
} HtmlHide;

/* Learns which classes hide, from the text of a <style>. */
void htmlhide_read_style(HtmlHide *h, const char *css, size_t len);
/* True when the element with these attributes (the text of its opening tag, up to its end) is
 * hidden from a reader. To be asked for each tag in the order of the page. */
bool htmlhide_hides(HtmlHide *h, const char *attrs, size_t len);
