#pragma once

/*
 * Mail to measure with: the same bytes for the same number, on every machine. The mix is 30 %
 * plain, 15 % quoted-printable, 15 % text and HTML, 20 % with a JSON file, 10 % with a binary
 * one, 5 % forwarded, 5 % with pictures inside HTML; words are spread as in real text (few are
 * frequent, many are rare); two of three mails answer an earlier one. All are from strangers,
 * so no job starts.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum CorpusKind {
    CORPUS_MIXED, /* 2 to 20 KB, 11 on average */
    CORPUS_SMALL, /* plain, about 1 KB */
} CorpusKind;

/* Mail number n; caller frees. */
GString *corpus_mail(CorpusKind kind, unsigned n);
/* Base name of its file; caller frees. */
char *corpus_name(unsigned n);
/* Writes mails [from, to) into a folder that exists, not flushed. Adds to *bytes; NULL is fine.
 */
bool corpus_write(CorpusKind kind,
                  const char *dir,
                  unsigned from,
                  unsigned to,
                  int64_t *bytes,
                  GError **error);
