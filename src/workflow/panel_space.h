#pragma once

/*
 * What the members of a panel say to each other is mail of a space that nobody else is in (store/spaces.h). What a panel has
 * decided about a kind of artifact is told to a space which that kind's panel of writers and panel of reviewers share.
 *
 *   PANEL-internal       members of the panel: spec-reviewer-panel-internal@; of a panel without settings panel-N-internal@
 *   KIND-discussion      the panels of writers and reviewers of the kind, and their members: spec-discussion@
 *
 * A space of the same name in the settings stays as it is, with its own members. Who is not among them says nothing there:
 * neither the panel nor its members. The same where somebody else has the address of the space: none is made then.
 *
 * All is written in the caller's transaction. That nothing is said is no error.
 */
#include "engine/run/commit.h"
#include "store/panel_rows.h"

/* Makes the space of the members; their roles must be there already. It takes as many mails as its rounds need; more would
 * be a loop. */
bool panel_space_open(
    Txn *txn, const PanelRow *p, const PanelMembers *members, unsigned rounds, GError **error);
/* One mail of each member whose ballot of this round came in time, with the ballot's text. For the transaction that reveals
 * the ballots, where another round follows. */
bool panel_space_tell(Engine *engine,
                      Txn *txn,
                      const PanelRow *p,
                      const PanelMembers *members,
                      const BallotRows *all,
                      unsigned round,
                      GError **error);
/* A mail of the primary: what the panel writes now, or has decided. */
bool panel_space_announce(Engine *engine,
                          Txn *txn,
                          const PanelRow *p,
                          const PanelMembers *members,
                          const char *text,
                          GError **error);
/* What the panel has decided, in a thread of its own; makes the space too. Nothing where the panel's name in the settings is
 * not KIND-writer-panel or KIND-reviewer-panel. */
bool panel_discussion_tell(Engine *engine,
                           Txn *txn,
                           const PanelRow *p,
                           const char *what,
                           const char *text,
                           GError **error);
/* True for a mail in a space whose sender or recipient is a panel of the settings. Such a mail is work for nobody. */
bool panel_space_is_word(const Engine *engine, const MsgNew *in);
