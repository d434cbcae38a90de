#pragma once

/* The tables of what a brain may answer (answer_schema.c), and reading by them (answer.c). */
#include "steps/answer.h"

typedef enum AnswerType {
    ANSWER_NAME,      /* char *: a line that must be there */
    ANSWER_LINE,      /* char * */
    ANSWER_TEXT,      /* char *, prose */
    ANSWER_RAW,       /* char *, as it is */
    ANSWER_NUMBER,    /* int64_t */
    ANSWER_TIME,      /* int64_t, wall microseconds */
    ANSWER_CHOICE,    /* an enum: one of the words */
    ANSWER_EITHER,    /* bool: is it the second word? Left out it is the first */
    ANSWER_LINES,     /* GPtrArray of char * */
    ANSWER_ADDRESSES, /* the same, with one address in each */
    ANSWER_LIST,      /* GPtrArray of the struct of another table */
    ANSWER_OBJECT,    /* the struct of another table itself; read by hand */
} AnswerType;

typedef struct AnswerTable AnswerTable;
typedef struct AnswerField {
    const char *name, *about; /* about: what the schema says; of an enum its words do */
    AnswerType type;
    size_t offset;
    const char *const *words; /* ends with NULL */
    size_t max;               /* bytes of a text */
    const char *item;         /* what each line of a list is */
    const AnswerTable *of;    /* what each entry of a list is */
} AnswerField;
struct AnswerTable {
    const AnswerField *fields;
    size_t n, size;
    GDestroyNotify free; /* an entry */
};
extern const AnswerTable answer_table, answer_wait_table;
extern const char *const answer_fors[], *const answer_thens[];

/* Frees what the fields of an entry hold. */
void answer_clear(const AnswerTable *table, void *entry);
