/* Brains of `postrider-mail`: those that need no network library. */
#include "base/banned.h"
#include "brain/brain.h"

const BrainOps *const brain_kinds[] = {&brain_command, &brain_script, NULL};
