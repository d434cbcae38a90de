#pragma once

/*
 * Where the parts of a context come from: the same text for the same mail, note or attachment,
 * when it is shown and when `show JOB@N --context` asks for it again. What `from` says in a
 * manifest:
 *
 *   note               a version of a note
 *   mail               one mail: headers, list of attachments, text
 *   attachment, file   an attachment as text, or as a file that the model sees
 *   state              what the step before left: :working_note, :results, :tried, :unavailable
 *   words              our own, by name
 *
 * The colon keeps our names apart from keys of notes.
 */
#include "engine/context/context.h"
#include "mail/message.h"
#include "steps/state.h"
#include "store/mail/messages.h"

/* May a brain be shown this attachment? As text by its content or by the extension of its name,
 * as a mail, else by its type and size if the brain takes that (CONTEXT_IMAGES…). */
bool source_readable(const MsgPart *part, unsigned takes);
/* The size up to which a file of this type can be shown. */
size_t source_size_max(const char *media_type);

/* One mail in full with its attachments listed; *ret NULL: its file is gone. Caller frees. The
 * mail's own text begins behind *ret_head bytes. */
bool source_mail(Engine *engine,
                 const MsgRow *row,
                 unsigned takes,
                 char **ret,
                 size_t *ret_head,
                 GError **error);
/* In place of a file name: the mail's own text. No file has such a name. */
#define SOURCE_TEXT "/text"

typedef struct SourceFile {
    bool there;       /* the mail has such an attachment */
    char *text;       /* readable as text; a forwarded mail is its headers, the list of its
                         attachments and its text */
    const char *type; /* what its first bytes say that it is, a type that brains take; NULL:
                         none such. Static */
    GBytes *data;     /* of such a type */
} SourceFile;
void source_file_clear(SourceFile *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SourceFile, source_file_clear)
/* An attachment of a mail by its name, or SOURCE_TEXT, for a brain that takes these types; m
 * may be NULL. */
void source_part(const Message *m, const char *filename, unsigned takes, SourceFile *ret);
/* The text from this byte on, or from the character that the byte belongs to. Caller frees. */
char *source_page(const char *text, int64_t offset);

/* What became of the last step: lines of the commit, then of ours. Caller frees. */
char *source_results(const GPtrArray *lines, const StepState *state);

/* Our own words; NULL: none of that name. Static. */
#define SOURCE_RULES ":rules"
const char *source_words(const char *name);

/* ModeOps.recall. */
ContextRecall source_recall;
