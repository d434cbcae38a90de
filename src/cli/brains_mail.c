/* Brains and accounts of `postrider-mail`: those that need no network library. */
#include "brain/brain.h"
#include "cli/net.h"

const BrainOps *const brain_kinds[] = {&brain_command,  &brain_claude, &brain_codex,
                                       &brain_opencode, &brain_script, NULL};
const NetAccount net_account = NULL;
const NetSubmit net_submit = {NULL, NULL};
