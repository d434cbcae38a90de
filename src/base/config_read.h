#pragma once

/*
 * The inner half of base/config.h: the text as sections and checked entries, before anything is
 * known about what they mean together. For config.c only.
 */
#include "base/config.h"

typedef struct ConfEntry {
    const ConfKey *key;
    const char *value;
    unsigned line; /* 0: not from the file */
} ConfEntry;

typedef struct ConfSection {
    const char *kind;  /* "role" */
    const char *name;  /* "envoy"; "" for sections that have none */
    const char *title; /* "role envoy" */
    unsigned line;     /* 0: not in the file */
    GArray *entries;   /* of ConfEntry */
} ConfSection;

/* In the order of the file; the sections that have no name are all there, at the end where the
 * file lacks them. Strings live in the chunk. Elements are freed with the array. */
GPtrArray *conf_read(
    const char *text, size_t len, const char *file_name, GStringChunk *strings, GError **error);
ConfSection *conf_add_section(GPtrArray *sections,
                              GStringChunk *strings,
                              const char *kind,
                              const char *name,
                              unsigned line);

/* NULL when there is none. */
const ConfEntry *conf_find(const ConfSection *section, const char *key);
/* The value in the file, else the default. The key must be one of the section's. */
const char *conf_value(const ConfSection *section, const char *key);
/* The line to blame: the key's, else the section's. */
unsigned conf_line(const ConfSection *section, const char *key);
/* Where nothing is set, or only an empty value: this one. */
void conf_set_default(ConfSection *section,
                      GStringChunk *strings,
                      const char *key,
                      const char *value);

/* The words of a list; caller frees with g_strfreev(). */
char **conf_split(const char *value);
