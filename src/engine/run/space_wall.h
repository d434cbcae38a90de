#pragma once

/*
 * What may not pass from one space to somebody outside of it (store/spaces.h), whatever carries
 * it: a mail with its subject, its parent and its files, a note, an act.
 *
 *   - the id of a mail of the space, or its left side;
 *   - a link to a note of it: spaces/NAME/...;
 *   - a line of 40 characters or more, or 40 characters in a row of one, that the job was shown
 *     there: in mail of the space, whether it came or was written by the job itself, in notes
 *     of the space, and in notes of its own folder that a job of the space wrote. White space
 *     and marks of quoting do not count, nor where a line is broken.
 *
 * Shown is what stands in the manifests of the job's steps, which have what a program read
 * through its port (manifest_add_reads()), and all mail of the job. A line that mail of no
 * space has shown to the job too is nobody's secret. The owner is outside of no space. What a
 * face decides for a role without a brain, such as the reveal of a panel, is its own affair.
 *
 * Looking for lines costs as much as reading what the job was shown, and happens only where
 * somebody outside would read the text.
 */
#include "engine/run/commit.h"

/* Who will read it: exactly one way is set. */
typedef struct WallReaders {
    const GPtrArray *to;  /* addr-specs, char * */
    const char *note;     /* whoever may see this key */
    bool everybody;       /* whoever is here */
} WallReaders;

typedef struct SpaceWall SpaceWall;
/* Prepares the looking. *ret NULL with true: these readers may have everything. */
bool space_wall_new(Engine *engine,
                    const Job *job,
                    const StepInput *in,
                    const WallReaders *readers,
                    SpaceWall **ret,
                    GError **error);
void space_wall_free(SpaceWall *wall);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SpaceWall, space_wall_free)
/* What of the text may not pass, in words for its writer: "it carries a line of the space
 * '...': ..."; NULL: nothing. Caller frees. wall NULL: nothing is forbidden. */
bool space_wall_look(SpaceWall *wall, const char *text, char **ret_why, GError **error);

/* The same for a whole mail, or for the change of a note, of a proposal. */
bool space_wall_mail(Engine *engine,
                     const Job *job,
                     const StepInput *in,
                     const ProposedMail *mail,
                     const GPtrArray *to,
                     char **ret_why,
                     GError **error);
bool space_wall_note(Engine *engine,
                     const Job *job,
                     const StepInput *in,
                     const ProposedNote *note,
                     char **ret_why,
                     GError **error);

/* The names (char *) of the spaces of what a step was shown, by its manifest. Caller unrefs. */
bool space_wall_shown(Engine *engine, GBytes *manifest, GPtrArray **ret, GError **error);
