#pragma once

/* Names of attachments, as we show them and offer them for saving. They are never a path: what
 * is stored goes by digest. */

/* The name without its folders, control and invisible characters, blanks at both ends, and dots
 * at its end. A name that is a device on some systems gets a "_" in front. A name of more than
 * 200 bytes is cut, and keeps its extension. NULL when nothing is left. Caller frees. */
char *filename_clean(const char *name);
/* "part-3.png" for the third part, an image/png; caller frees. */
#define FILENAME_MADE "part-"
char *filename_make_up(unsigned number, const char *content_type);
/* "a.txt" and 2 give "a (2).txt"; caller frees. */
char *filename_numbered(const char *name, unsigned number);
