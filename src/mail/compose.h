#pragma once

/*
 * Mail that we write. Header values are checked (no CR, LF, NUL or other control characters:
 * the call fails), folded at 78, encoded as RFC 2047 and 2231; bodies go as quoted-printable or
 * base64 where they must, so every line is below 998 and 7 bit; line ends are LF here and CRLF
 * on a wire. The same calls give the same bytes: boundaries derive from the content, the date
 * is given.
 *
 *   compose_new -> set, add -> compose_freeze: bytes and Message-ID, for ever
 */
#include "base/digest.h"
#include "mail/address.h"
#include "mail/msgid.h"

typedef struct Compose Compose;

Compose *compose_new(void);
void compose_free(Compose *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Compose, compose_free)

bool compose_from(Compose *c, const char *name, const char *spec, GError **error);
/* ERR_LIMIT above LIMIT_RECIPIENTS; ERR_NEVER for an address that is none. A repeat is dropped.
 */
bool compose_to(Compose *c, const char *name, const char *spec, GError **error);
bool compose_cc(Compose *c, const char *name, const char *spec, GError **error);
bool compose_subject(Compose *c, const char *subject, GError **error);
/* Puts "Re: " in front unless it is there. */
bool compose_subject_reply(Compose *c, const char *parent_subject, GError **error);
void compose_date(Compose *c, int64_t wall_us);
/* What the mail answers: ids without brackets, references oldest first. Of more than are read
 * (LIMIT_REFERENCES), or than one header can hold, the first and the newest are kept. */
bool compose_thread(Compose *c,
                    const char *in_reply_to,
                    const GPtrArray *references,
                    GError **error);
/* Keeps that many References: the first and the newest, and all that the mail answers. */
void compose_cut_references(Compose *c, unsigned most);
/* After compose_thread(): this mail is answered beside the first (mail/parents.h). ERR_LIMIT:
 * In-Reply-To, which is never folded, has no place for its id. */
bool compose_answer_too(Compose *c, const char *id, GError **error);
/* Has the mail's own id stand last in References too: where a server puts another Message-ID on
 * the mail, answers still name ours. The id is minted over the mail without this entry. */
void compose_refer_to_self(Compose *c);
/* Any other header (Auto-Submitted, X-…). Names that the calls above own are refused. */
bool compose_header(Compose *c, const char *name, const char *value, GError **error);
/* The text/plain body, UTF-8; a last newline is added where it is missing. */
void compose_text(Compose *c, const char *text);
/* The same as HTML (mail/markdown.h), in UTF-8; it stands behind the text in a
 * multipart/alternative. NULL: none. */
void compose_html(Compose *c, const char *html);
/* Folders in the name are dropped. content_type NULL: from the name's extension, else
 * text/plain for UTF-8 text, else octet-stream. The content comes back byte by byte. ERR_LIMIT
 * above LIMIT_ATTACHMENT_BYTES. */
bool compose_attach(Compose *c,
                    const char *filename,
                    const char *content_type,
                    GBytes *content,
                    GError **error);

/* What bare names in From, To, Cc and Bcc mean ("envoy", "root"): the address, which the caller
 * frees, or NULL with an error. field is the header's name, lower case. */
typedef char *ComposeWho(void *data, const char *field, const char *name, GError **error);

/*
 * A person's own mail (sendmail -t), with LF or CRLF: headers and body stay byte for byte (with
 * LF), but an mbox "From " line, Bcc, Message-ID, all X-Postrider headers and those of the
 * workflow (X-Event-Type, X-Artifacts, X-Workflow-State, X-Session-Id) are taken out. With who,
 * bare names are replaced by `Name <address>` (the name of "root (Cron Daemon)" is its
 * comment), and a text that does not begin with a header is all body, in UTF-8; without, it is
 * refused. *ret_rest is the mail without its Message-ID line, *ret_msgid the id (NULL: none
 * that is valid, mint one over the rest), *ret_bcc the addresses of Bcc. A missing Date stays
 * missing. ERR_NEVER for a line among the headers that is none.
 */
bool compose_raw(const void *raw,
                 size_t len,
                 ComposeWho *who,
                 void *data,
                 GBytes **ret_rest,
                 char **ret_msgid,
                 Addresses **ret_bcc,
                 GError **error);

/* All bytes but the Message-ID line. NULL with ERR_NEVER without sender or date, ERR_LIMIT
 * above LIMIT_MESSAGE_BYTES. */
GBytes *compose_format(const Compose *c, GError **error);
/* The Message-ID, where it is to be this one: an id of a form that others know. NULL: one is
 * minted. */
void compose_msgid(Compose *c, const char *msgid);
bool compose_brings_msgid(const Compose *c);
/* The mail is an event of the workflow, of this role: its id is minted in that form
 * (mail/msgid.h). Where the text has this mark, which nobody else can write, its id stands. */
void compose_event(Compose *c, const char *role, const char *mark);
/* Formats, mints, and puts the Message-ID line first. */
bool compose_freeze(const Compose *c,
                    const Key *key,
                    MailKind kind,
                    uint64_t generation,
                    int64_t number,
                    const char *domain,
                    GBytes **ret_bytes,
                    char **ret_msgid,
                    GError **error);
/* MIME type by file extension, "text/plain" when unknown. Static. */
const char *compose_type_of(const char *filename);

/* What was set, for whoever files the mail; borrowed. */
const char *compose_get_from(const Compose *c);
const char *compose_get_subject(const Compose *c);
/* The id of the mail that this mail answers; "": it answers nothing; NULL: its References alone
 * tell. */
const char *compose_get_parent(const Compose *c);
/* Ids without brackets, oldest first. Borrowed. */
const GPtrArray *compose_get_references(const Compose *c);
/* The specs of To and Cc, in order; elements are char *. Caller unrefs. */
GPtrArray *compose_recipients(const Compose *c);
