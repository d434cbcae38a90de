#pragma once

/* Do two roles think alike? A writer and its reviewer that are asked by one model overlook the
 * same. */
#include "base/config/config.h"

/* The brain that is asked for the second role, if it has the model of the one that is asked for
 * the first, whether by the settings or for want of a key; else NULL, as for persons and
 * panels. */
const ConfBrain *config_one_mind(const Config *config, const char *a, const char *b);
