#include "view/note_rows.h"
#include "view/mail_rows.h"

static const Field note_fields[] = {
    {"key", "key", FIELD_TEXT, offsetof(Note, key)},
    {"version", "version", FIELD_INT, offsetof(Note, version)},
    {"bytes", "size", FIELD_INT, offsetof(Note, size)},
    {"updated", "at_us", FIELD_TIME, offsetof(Note, updated_us)},
    {"author", "author", FIELD_TEXT, offsetof(Note, author)},
    {"label", "label", FIELD_WORD, offsetof(Note, label), &trust_words},
    {"deleted", "deleted", FIELD_BOOL, offsetof(Note, deleted), .flags = FIELD_IF_SET},
    {"renamed_from", "from_key", FIELD_TEXT_NULL, offsetof(Note, from_key),
     .flags = FIELD_IF_SET},
    {"job", "job", FIELD_ID, offsetof(Note, job), .flags = FIELD_IF_SET},
    {"step", "step", FIELD_NUMBER, offsetof(Note, step), .flags = FIELD_IF_SET},
    {NULL, "body", FIELD_BYTES, offsetof(Note, body), .flags = FIELD_HEAVY},
};
const Shape note_shape = {SHAPE("v", Note, notes, note_fields)};
const Shape note_whole = {SHAPE("v", Note, notes, note_fields), .whole = true};

static const Field hit_fields[] = {
    {"key", NULL, FIELD_TEXT, offsetof(NoteHit, key)},
    {"version", NULL, FIELD_INT, offsetof(NoteHit, version)},
    {"snippet", NULL, FIELD_TEXT, offsetof(NoteHit, snippet)},
};
const Shape note_hit_shape = {SHAPE(NULL, NoteHit, note_hits, hit_fields)};
