#pragma once

/*
 * From a composed mail to the outbox: the one way in. Recipients are routed (local Maildir or
 * SMTP), a copy goes to the sender's Sent folder, the Message-ID is minted and the bytes are
 * frozen, all in the caller's transaction. The address of a space is a delivery to each of its
 * members but the writer (store/spaces.h); for a writer who may not write there it is an
 * address that nobody has. Faces and agents never come here; they make proposals.
 */
#include "engine/engine.h"
#include "mail/compose.h"
#include "store/out/outbox.h"

typedef struct Post {
    JobId job;
    int round, step;
    ThreadId thread;
    MsgId answers; /* which mail of the job; {0}: none */
    EffectId after;
    const char *held;    /* NULL: goes out */
    Trust level;         /* of the sender; stands in the origin line */
    const Trust *floor;  /* of the step whose words these are; NULL: they are ours */
    const char *mailbox; /* sender's own, for the copy in Sent; NULL: no copy */
    bool copy_only;      /* it is filed in Sent, and nobody else gets it */
} Post;

/* As the role of a job writes in its round and thread; the words are ours. */
typedef struct Job Job; /* store/job/jobs.h */
Post post_of_job(const Job *job);

/* Posts a composed mail. *ret_msgid: without brackets; caller frees. ret_id and ret_msgid may
 * be NULL. */
bool post_compose(Engine *engine,
                  Txn *txn,
                  MailKind kind,
                  Compose *mail,
                  const Post *post,
                  OutId *ret_id,
                  char **ret_msgid,
                  GError **error);
/* Posts a person's own bytes (sendmail): rest is the mail without its Message-ID line; msgid
 * NULL: an id is minted. */
bool post_raw(Engine *engine,
              Txn *txn,
              GBytes *rest,
              const char *msgid,
              const char *from,
              const char *subject,
              const char *const *rcpts,
              const Post *post,
              GError **error);

/* Mails that were held (ids, char *) are on their way after all: faces hear of it
 * (engine/face.h). What has left the outbox is passed over. */
bool post_released(Engine *engine, Txn *txn, const GPtrArray *ids, GError **error);

/* The headers of the mail with this id, which a role has or we sent; *ret NULL: it is not here.
 * May read its file, so no transaction is open. Caller frees. */
bool post_parent(Engine *engine, const char *id, Message **ret, GError **error);
/* The mail answers the one with this id: In-Reply-To, and the whole References where that mail
 * is here. parent: from post_parent(). */
bool post_thread(Compose *mail, const char *id, const Message *parent, GError **error);
/* It answers all of these (mail/parents.h), which are looked up here. *ret_subject: of the
 * first, NULL: it is not here; caller frees; may be NULL. */
bool post_thread_all(
    Engine *engine, Compose *mail, const GPtrArray *ids, char **ret_subject, GError **error);

/* A long body of a role's mail is noticed, and never cut (`email-body-warn-chars`). */
void post_guard_length(const Config *config, const char *body, const char *const *rcpts);

/* The level of trust of a sender, by an address of this home: principal for the owner and
 * persons, role for roles, else anyone. */
Trust post_level_of(const Engine *engine, const char *spec);
