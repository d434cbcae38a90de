#pragma once

/*
 * The shape of a noun: one table that says which members a struct has, which column each is
 * read from, and which member of its JSON it is. Rows are read (store/rows.h), freed and shown
 * by it, so that the command line, the agent port and whoever comes next say the same about the
 * same mail.
 *
 *     static const Field fields[] = {
 *         {"id", "id", FIELD_INT, offsetof(Schedule, id)},
 *         {"role", "role", FIELD_TEXT, offsetof(Schedule, role)},
 *     };
 *     const Shape schedule_shape = {SHAPE("schedule", Schedule, schedules, fields)};
 *
 * Members of the JSON come in the order of the table. No SQL but the names of columns stands
 * here.
 */
#include "base/list.h"
#include <jansson.h>

/* What a member is in C, and so how it is read, freed and shown. */
typedef enum FieldType {
    FIELD_INT,       /* int64_t, or an id: a number */
    FIELD_ID,        /* the same: 0 is null */
    FIELD_NUMBER,    /* int, unsigned or uint32_t */
    FIELD_BOOL,      /* bool */
    FIELD_TEXT,      /* char *: "" for NULL in the table */
    FIELD_TEXT_NULL, /* char *: NULL for NULL */
    FIELD_LITERAL,   /* const char *: neither stored nor freed */
    FIELD_MSGID,     /* char *: shown in angle brackets */
    FIELD_WORD,      /* an enum whose words the tables hold */
    FIELD_TIME,      /* int64_t, microseconds: 0 is null */
    FIELD_NEVER,     /* the same: NULL in the table is USEC_NEVER */
    FIELD_MONEY,     /* int64_t, millionths: shown in dollars */
    FIELD_SPAN,      /* int64_t, microseconds: shown in milliseconds */
    FIELD_DIGEST,    /* Digest: not shown */
    FIELD_BYTES,     /* GBytes *: not shown */
} FieldType;

/* The words of an enum, by its values. */
typedef struct Words {
    const char *const *names;
    int n;
    int unknown; /* what a word of a later version reads as: what does the least */
} Words;
int words_find(const Words *words, const char *name); /* -1: there is no such word */
/* The value of a word, in *ret_enum; false: there is no such word. */
bool words_parse(const Words *words, const char *name, void *ret_enum);
/* For a header: declares PREFIX_all (the words of an enum), PREFIX_name() (the word of a value)
 * and PREFIX_parse() (the value of a word; false: there is no such word). */
#define WORDS_OF(Enum, prefix)                                                                 \
    extern const Words prefix##_all;                                                           \
    G_GNUC_UNUSED static inline const char *prefix##_name(Enum value)                          \
    {                                                                                          \
        return prefix##_all.names[value];                                                      \
    }                                                                                          \
    G_GNUC_UNUSED static inline bool prefix##_parse(const char *name, Enum *ret)               \
    {                                                                                          \
        return words_parse(&prefix##_all, name, ret);                                          \
    }

enum {
    FIELD_HEAVY = 1,  /* read only by the whole shape */
    FIELD_IF_SET = 2, /* no member where it is 0, false or NULL */
};

typedef struct Field {
    const char *name; /* in JSON; NULL: not shown */
    const char
        *column; /* what is selected for it (store/rows.c knows some by more than a name);
                         * NULL: not stored */
    FieldType type;
    size_t offset;
    const Words *words;
    unsigned flags;
    json_t *(*made)(const void *row); /* where the type alone does not tell; NULL */
    const char *always;               /* the same text for every row; NULL */
} Field;

typedef struct Shape {
    const char *table; /* or its alias: whose columns they are; NULL: each says it */
    const Field *fields;
    size_t n, size;
    GDestroyNotify free;
    bool whole; /* reads heavy fields too */
} Shape;
/* Names of types can't stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* Its table, its struct, the list of them, its fields. */
#define SHAPE(from, Row, list, all)                                                            \
    .table = from, .fields = all, .n = G_N_ELEMENTS(all), .size = sizeof(Row),                 \
    .free = list##_free_element

/* Frees a row with all that its fields hold; NULL is fine. */
void shape_free(const Shape *shape, void *row);
/* A row as a JSON object. Caller unrefs what this and the calls below return. */
json_t *shape_json(const Shape *shape, const void *row);
/* The rows of a LIST_OF, or of a GPtrArray, as a JSON array. */
json_t *shape_list_json(const Shape *shape, const void *list);
/* A row as an object of these members alone, in this order; names end with NULL. */
json_t *shape_pick(const Shape *shape, const void *row, ...) G_GNUC_NULL_TERMINATED;
/* An array of texts: of a GPtrArray of char *. */
json_t *shape_texts(const GPtrArray *texts);
/* "2026-11-15T09:30:00Z"; null for 0 and USEC_NEVER. */
json_t *shape_time(int64_t wall_us);

/* A shape of one file alone: its name, its table, its struct, its fields. */
#define SHAPE_HERE(name, from, Row, all)                                                       \
    static void name##_free(void *row);                                                        \
    static const Shape name = {.table = from,                                                  \
                               .fields = all,                                                  \
                               .n = G_N_ELEMENTS(all),                                         \
                               .size = sizeof(Row),                                            \
                               .free = name##_free};                                           \
    static void name##_free(void *row)                                                         \
    {                                                                                          \
        shape_free(&name, row);                                                                \
    }

/* Row, its free and autoptr, and the type of a list of them, for a header. */
#define SHAPE_OF(Row, prefix, List, list)                                                      \
    extern const Shape prefix##_shape;                                                         \
    static inline void prefix##_free(Row *one)                                                 \
    {                                                                                          \
        shape_free(&prefix##_shape, one);                                                      \
    }                                                                                          \
    G_DEFINE_AUTOPTR_CLEANUP_FUNC(Row, prefix##_free)                                          \
    LIST_OF(List, list, Row, prefix##_free)

/* NOLINTEND(bugprone-macro-parentheses) */
