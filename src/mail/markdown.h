#pragma once

/*
 * Markdown as HTML, for the second part of a mail whose first part is that very Markdown. A
 * reader of either part must learn the same, because a person who says yes to a mail has read
 * the text:
 *
 *  - every letter and digit of the text is shown, in the same order, and nothing else;
 *  - where a link leads is always shown, and a picture is a link to it: nothing is loaded;
 *  - raw HTML is text, entities stay as they are written, reference definitions are no links.
 *
 * A text for which that can't be kept (a list that Markdown would number anew, "2*3*4" which it
 * would read as emphasis) has no HTML. Nothing here depends on a mail.
 */

/* May this be a link that works? Asked for http, https and mailto only; nothing else ever
 * is. */
typedef bool MarkdownLink(const char *url, void *data);

/* HTML for a body, without <body>; NULL: this text has none. *ret_seen is what its reader
 * reads, without markup. Caller frees both. */
char *markdown_html(const char *text, MarkdownLink *may, void *data, char **ret_seen);
/* A whole page around it, with a footer (plain text) below it; NULL: none. Caller frees. */
char *markdown_page(const char *html, const char *footer);
