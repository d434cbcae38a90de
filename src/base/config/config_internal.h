#pragma once

/*
 * The inside of base/config/config.h, for the files that make a Config:
 *
 *   text --config_read.c--> sections of entries --config.c--> Config
 *              |                                                |
 *        config_value.c: each value by itself             config_fit.c: all of them together
 *
 * config_keys.c is the table of all keys, config_find.c looks up in the result, config_edit.c
 * changes one value in the text.
 */
#include "base/config/config.h"

typedef struct ConfEntry {
    const ConfKey *key;
    const char *value;
    unsigned line; /* 0: not from the file */
} ConfEntry;

typedef struct ConfSection {
    const char *kind;      /* "role" */
    const char *name;      /* "envoy"; "" for sections that have none */
    const char *title;     /* "role envoy" */
    unsigned line;         /* 0: not in the file */
    GArray *entries;       /* of ConfEntry */
    GStringChunk *strings; /* where all of these strings live */
} ConfSection;

/* In the order of the file; the sections that have no name are all there, at the end where the
 * file lacks them. Strings live in the chunk. Elements are freed with the array. */
GPtrArray *conf_read(const char *text,
                     size_t len,
                     const char *file_name,
                     GStringChunk *strings,
                     GPtrArray *warnings, /* char *, as in Config */
                     GError **error);
/* NULL when there is none; name "" for sections that have none. */
ConfSection *conf_find_section(const GPtrArray *sections, const char *kind, const char *name);
/* The caller has seen that there is none of that name. */
ConfSection *conf_add_section(GPtrArray *sections,
                              GStringChunk *strings,
                              const char *kind,
                              const char *name,
                              unsigned line);

/* NULL when there is none. */
const ConfEntry *conf_find(const ConfSection *section, const char *key);
/* The value in the file, else the default. The key must be one of the section's. */
const char *conf_value(const ConfSection *section, const char *key);
/* As conf_value(), without looking for the key in the table. */
const char *conf_value_of(const ConfSection *section, const ConfKey *key);
/* The line to blame: the key's, else the section's. */
unsigned conf_line(const ConfSection *section, const char *key);
/* Where nothing is set, or only an empty value: this one. */
void conf_set_default(ConfSection *section, const char *key, const char *value);

/* "[role  envoy]" to "role" and "envoy", in place; false when the brackets are not right. */
bool conf_split_title(char *line, char **ret_kind, char **ret_name);

/* The key of that name in sections of a kind; NULL when there is none. */
const ConfKey *conf_key(const char *kind, const char *name);
/* NULL when the value does for its key; else what is expected. Caller frees. */
char *conf_complaint(const ConfKey *key, const char *value);
/* The words of a list; caller frees with g_strfreev(). */
char **conf_split(const char *value);

/* ERR_CONFIG with file and line in front; line 0: the file alone. Always false. */
bool conf_refuse(const char *file_name, unsigned line, GError **error, const char *fmt, ...)
    G_GNUC_PRINTF(4, 5);

/* The local parts as they are, the domains in any case. */
bool conf_same_address(const char *a, const char *b);
/* As text_did_you_mean(), of n records of that size which begin with their names. */
char *conf_hint(const char *word, const void *records, unsigned n, size_t size);

/* ERR_CONFIG for the first thing that does not fit the others. The config was made from these
 * sections. warnings gets lines (char *) about what may be meant so. */
bool conf_fits(const Config *config,
               const GPtrArray *sections,
               const char *file_name,
               GPtrArray *warnings,
               GError **error);
