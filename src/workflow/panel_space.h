#pragma once

/*
 * What the members of a panel say to each other is mail of a space that nobody else is in (store/spaces.h), and what a panel has
 * decided is told to a space of both panels of a kind of artifact.
 *
 *   PANEL-internal       members of the panel: spec-reviewer-panel-internal@; of a panel without settings panel-N-internal@
 *   KIND-discussion      the panels of writers and reviewers of the kind, and their members: spec-discussion@
 *
 * A space of the same name in the settings has its own members. The panel then says what it has decided to them if it is one
 * of them, and its members, who are none, say nothing there.
 */
#include "engine/run/commit.h"
#include "store/panel_rows.h"

/* Makes the space of the members, whose roles are there. As many mails as its rounds need fit into it: more is a loop. */
bool panel_space_open(Engine *engine,
                      Txn *txn,
                      const PanelRow *p,
                      const PanelMembers *members,
                      unsigned rounds,
                      GError **error);
/* One mail of each member whose ballot of this round is in: in the transaction that reveals them, where another round follows. */
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
/* What the panel has decided, in a thread of its own; nothing where it is none of a kind. */
bool panel_discussion_tell(Engine *engine,
                           Txn *txn,
                           const PanelRow *p,
                           const char *what,
                           const char *text,
                           GError **error);
/* Is this mail a panel's word in a space, or one to a panel there? It is work for nobody. */
bool panel_space_is_word(const Engine *engine, const MsgNew *in);
