#include "view/note_rows.h"
#include "view/mail_rows.h"

#define AT(member) offsetof(Note, member)
static const Field note_fields[] = {
    {"key", "key", FIELD_TEXT, AT(key)},
    {"version", "version", FIELD_INT, AT(version)},
    {"bytes", "size", FIELD_INT, AT(size)},
    {"updated", "at_us", FIELD_TIME, AT(updated_us)},
    {"author", "author", FIELD_TEXT, AT(author)},
    {"label", "label", FIELD_WORD, AT(label), &trust_words},
    {"deleted", "deleted", FIELD_BOOL, AT(deleted), .flags = FIELD_IF_SET},
    {"renamed_from", "from_key", FIELD_TEXT_NULL, AT(from_key), .flags = FIELD_IF_SET},
    {"job", "job", FIELD_ID, AT(job), .flags = FIELD_IF_SET},
    {"step", "step", FIELD_NUMBER, AT(step), .flags = FIELD_IF_SET},
    {NULL, "body", FIELD_BYTES, AT(body), .flags = FIELD_HEAVY},
};
#undef AT
const Shape note_shape = {SHAPE("v", Note, notes, note_fields)};
const Shape note_whole = {SHAPE("v", Note, notes, note_fields), .whole = true};
