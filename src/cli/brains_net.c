/* Brains of `postrider-net`: all kinds. */
#include "base/banned.h"
#include "brain/brain.h"

const BrainOps *const brain_kinds[] = {&brain_command, &brain_script, &brain_anthropic,
                                       &brain_openai, NULL};
