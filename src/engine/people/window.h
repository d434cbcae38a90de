#pragma once

/*
 * A tmux window in which somebody can watch a job: it runs `postrider watch JOB`, or what the
 * job's face says instead (FaceOps.watched), and never the agent, so that closing the window,
 * or tmux itself, touches no work. The home has a tmux server of its own, whose socket lies in
 * state/: nobody else uses it, and no program behind a wall reaches it. It has one session,
 * `postrider`; a window ends when its job rests, and the server ends with its last window.
 */
#include "engine/engine.h"

#define WINDOW_SOCKET "state/tmux"

/* Opens the window of this job unless there is one. watch: the arguments of `postrider watch`;
 * role and the last of them name the window. Waits for each call of tmux, for at most two
 * seconds; what goes wrong is logged and keeps no job from its work. */
void window_open(const Home *home, const char *role, const char *const *watch);
