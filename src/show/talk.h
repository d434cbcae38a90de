#pragma once

/*
 * A conversation as a tree: `mail thread`. For display only: which mail belongs together was decided
 * by ids in the store; the shape comes from RFC 5256's algorithm over it.
 */
#include "engine/engine.h"
#include "view/mail_rows.h"

/* The conversation of a mail that came in or, with `in` NULL, of the mail take_out that was written.
 * *ret_tree is a list of mails (mail_json()), each with its `replies`, and `resolved_by` where
 * it asked for a review or for an answer: "" while that is open. In a mail that nobody has, all other members are null. With
 * parents each mail also has `parents`, the ids of all mails that it answers, the first of
 * which it hangs below; every mail is opened for that. */
bool talk_json(Engine *engine,
               const MsgRow *in,
               OutRow *take_out,
               bool parents,
               json_t **ret_tree,
               GError **error);
