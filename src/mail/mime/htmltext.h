#pragma once

/*
 * What a reader of an HTML mail would see, as text. Not a browser: one pass over the bytes, no
 * tree, no recursion, no memory beyond the result, so that no page is too deep or too broken.
 *
 * Head, script, style and comments are left out, and so are elements that hide what they hold
 * (mail/mime/htmlhide.h). Entities are decoded, white space is
 * joined, block elements stand on lines of their own, quotes get "> ". Links are not followed
 * and images are not named.
 */

/* html is valid UTF-8, so is the result; caller frees. At most max bytes; *cut is set when
 * there was more, *hidden when the page hides text from its reader. */
char *htmltext_read(const char *html, size_t max, bool *cut, bool *hidden);
