#pragma once

/*
 * A tmux window in which somebody can watch a job: it runs `postrider watch JOB`, or what the job's face says instead
 * (FaceOps.watched), and never the agent, so that closing it, or tmux itself, touches no work. The tmux server is one of the home's own, whose
 * socket lies in state/: it is nobody else's, and no program behind a wall reaches it. It has one session,
 * `postrider`; a window ends when its job rests, and the server with its last window.
 */
#include "engine/engine.h"

#define WINDOW_SOCKET "state/tmux"

/* Opens the window of this job unless there is one. watch: the arguments of `postrider watch`; role and the last of them
 * name the window. It is done when this returns, in a moment or after
 * two seconds at most; what goes wrong is logged and keeps no job from its work. */
void window_open(const Home *home, const char *role, const char *const *watch);
