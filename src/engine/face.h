#pragma once

/*
 * A face is what a mail means: a kind of work that leads its own jobs. A plain conversation has none
 * (Job.face is ""). How a brain is asked is the mode's affair (engine/mode.h). The engine knows faces
 * only by this table; cli lists them. No face sees another, a mode, a socket or a key.
 */
#include "engine/run/commit.h"

struct FaceOps {
    const char *name; /* report, plan, workflow */
    /* Does it lead the new job of this stored mail? First true wins. */
    bool (*claims)(const Engine *engine, const MsgNew *in, const Message *m);
};
