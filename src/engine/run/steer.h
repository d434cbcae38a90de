#pragma once

/*
 * Mail that comes while a program works: one that can be told in the middle of its turn
 * (Claude) is told at once, as on its page. The mail counts as shown when the program has taken
 * it up, and is settled by its answer; what it did not take up is the next run's. One mail is
 * under way at a time, so that files of attachments have the names that the page gives them.
 * Mail that would lower the floor of the round waits for the next run, which knows what that
 * means.
 */
#include "engine/run/think.h"

typedef struct Port Port;
typedef struct Steer {
    const Think *ask;
    BrainCall *call;
    Port *port;
    MsgRow *sent; /* told, and not taken up yet; NULL: none */
    char *uuid;   /* of that line */
    bool more;    /* there may be mail that was not told yet */
} Steer;

/* Looks for mail that came since, and tells the program of it. *ret_told: what the mail was
 * about, for people; NULL: no mail was told. Caller frees. */
bool steer_look(Steer *s, char **ret_told, GError **error);
/* To be called when the program has taken up a line: the mail counts as shown from now on.
 * ERR_NEVER: the claim is gone. */
bool steer_taken(Steer *s, const char *uuid, GError **error);
void steer_clear(Steer *s);
