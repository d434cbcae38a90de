#pragma once

/*
 * uuencode, the encoding of files before MIME: a line "begin 644 NAME", lines of data, a line
 * "end". It stands in the text of old mail and of programs, and as a Content-Transfer-Encoding.
 */

/* A file in uuencode; pointers into the text that holds it. */
typedef struct UuFile {
    const char *begin, *end;     /* all of its lines */
    const char *data, *data_end; /* the lines of data */
    const char *name;            /* as it stands, in whatever charset */
    size_t name_len;
} UuFile;

/* The first file in the text that is whole, from its begin line to its end line. A line between
 * them that can be no data makes it text. */
bool uu_find(const char *text, size_t len, UuFile *ret);

/* Writes the bytes of the lines of data to out, which has room for len bytes, and returns how
 * many they are. Blanks that were lost at the end of a line are blanks again. A line that can
 * be no data is skipped, and so is one that would make more bytes than the text has characters;
 * both set *damaged (never cleared). */
size_t uu_decode(const char *data, size_t len, uint8_t *out, bool *damaged);
