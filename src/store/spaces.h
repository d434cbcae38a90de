#pragma once

/*
 * Spaces: an address that means several mailboxes, and a wall around what is said there.
 *
 *     space_put()    makes it, or gives it these members     spec-writer-panel-internal@workflow.local
 *        |
 *     a mail to its address -> one delivery per member, the writer apart (engine/out/post.h); its rows of
 *        |                     outbox and message name the space, and so does its origin line (mail/origin.h)
 *        |
 *     its notes lie in spaces/NAME/ (store/viewer.h)
 *
 * (1) Members are names of roles and people. Only they, and the owner, may write to it: for
 *     anybody else its address is one that nobody has, and its mail and notes are not there.
 * (2) Being a member is taking part: a mail to the space joins the job that a member has on its
 *     thread, if that job is of this space or of none; else it begins one.
 * (3) Every read asks whether the reader is a member now. Who leaves sees nothing of it any
 *     more, and what was on its way to them is not delivered. A mail of a job of the space to
 *     members of it alone stays in the space too.
 * (4) What a job was shown of a space it carries to nobody outside of it:
 *     engine/run/space_wall.h.
 * (5) A lost store opens no wall. Mail keeps the name of its space by its origin line, a job by
 *     its checkpoint, a note by its key; the members come back from the settings ([space NAME])
 *     or from the face that wrote the row. Until then nobody is one.
 *
 * A face writes its spaces in its own transactions, by its name; those of the settings have
 * none. The usual names have the kind of the artifact in front: SPACE_WRITERS and its like.
 */
#include "base/ids.h"
#include "store/db.h"
#include "view/shape.h"

#define SPACE_NAME_MAX CONF_SPACE_NAME_MAX
#define SPACE_WRITERS "-writer-panel-internal"
#define SPACE_REVIEWERS "-reviewer-panel-internal"
#define SPACE_DISCUSSION "-discussion"

typedef struct Space {
    char *name;    /* what stands before the @ of its address; one part of a note's key */
    char *address; /* NAME@domain */
    char *face;    /* who wrote it; "": the settings */
    int talk;      /* mails of roles in one job of it without a word of a person; more is a loop */
} Space;
SHAPE_OF(Space, space, Spaces, spaces)

/* Makes a space, or changes one: afterwards it has these members (ended by NULL, each once) and
 * no others. talk 0: the usual limit. ERR_NEVER: name can't name a space, a role or person has
 * its address, the space is another face's, or a member is nobody here. */
bool space_put(Txn *txn,
               const char *name,
               const char *face,
               int talk,
               const char *const *members,
               GError **error);
/* Adds a member, or removes one. Joining twice, and leaving without being a member, change
 * nothing. ERR_NEVER: there is no such space or name. */
bool space_join(Txn *txn, const char *name, const char *member, GError **error);
bool space_leave(Txn *txn, const char *name, const char *member, GError **error);
/* Removes all members and the space itself; its mail and notes stay, for the operator. */
bool space_drop(Txn *txn, const char *name, GError **error);

/* The space of this name, or of this address. *ret NULL with true: there is none. */
bool space_find(Db *db, const char *name, Space **ret, GError **error);
bool space_at(Db *db, const char *address, Space **ret, GError **error);
/* All spaces of a member, by name; member NULL: all spaces. */
bool spaces_list(Db *db, const char *member, Spaces **ret, GError **error);
/* The names (char *) of the members, in order. */
bool space_members(Db *db, const char *name, GPtrArray **ret, GError **error);
bool space_has(Db *db, const char *name, const char *member, bool *ret, GError **error);
/* *ret: true when the owner of the address `from` may write to the space: a member, or this
 * home's owner. */
bool space_takes(Db *db, const char *name, const char *from, bool *ret, GError **error);
/* The space of this address; NULL: there is none, or the owner of the address `from` may not
 * write to it. */
bool space_for(Db *db, const char *address, const char *from, Space **ret, GError **error);

/* As config_unknown_here(), for a mail of `from`: a space to which `from` may write is known.
 * *ret NULL: the address is fine; caller frees. */
bool
address_unknown(Db *db, const char *address, const char *from, char **ret, GError **error);
/* *ret: true when mail to this address stays here: in a mailbox, or in those of a space. */
bool address_is_here(Db *db, const char *address, bool *ret, GError **error);
/* The name of the role or local person of this address, and the address of such a name. *ret
 * NULL: nobody here is called so; caller frees. */
bool member_at(Db *db, const char *address, char **ret, GError **error);
bool member_address(Db *db, const char *member, char **ret, GError **error);

/* The spaces of a job: of all mail that it got or wrote, and of what it was shown. Names,
 * char *, in order. */
bool job_spaces(Db *db, JobId job, GPtrArray **ret, GError **error);
bool job_space_add(Txn *txn, JobId job, const char *space, GError **error);
/* May mail of this space go on with that job? */
bool job_space_fits(Db *db, JobId job, const char *space, bool *ret, GError **error);

/* Is there any space, or anything that is of one? Where not, no wall has to be looked at. */
bool spaces_any(Db *db, bool *ret, GError **error);
/* The space of the mail with this id, or whose id begins so; NULL: of none, or there is no such
 * mail. Caller frees. */
bool mail_space(Db *db, const char *msgid, char **ret, GError **error);
/* The space of mail that was written here, by its number, if its id has this in it; else as
 * above. */
bool out_space(Db *db, OutId id, const char *part, char **ret, GError **error);
/* Is the key in the role's own folder, where nobody but the role sees it? */
bool note_is_own(Db *db, const char *role, const char *key);
/* Whose words are in this note: of one in spaces/ its space, of one in a role's own folder the
 * spaces of the jobs that wrote it; of any other none, since what it says had to be fit for
 * everybody. Names, char *. */
bool note_spaces(Db *db, const char *key, GPtrArray **ret, GError **error);

/* Those of the settings become rows; does nothing where they have not changed. */
bool spaces_keep(Db *db, GError **error);

/* In SQL: is a row of message with a role, or one that bears the name of a space and a role, of
 * no space, or is that role a member? */
#define SPACE_LETS(space, role)                                                                \
    "(" space " IS NULL OR EXISTS (SELECT 1 FROM space_member sm WHERE sm.space = " space      \
    " AND sm.member = " role "))"
