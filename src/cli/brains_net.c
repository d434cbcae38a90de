/* Brains and accounts of `postrider-net`: all kinds. */
#include "brain/brain.h"
#include "cli/net.h"

const BrainOps *const brain_kinds[] = {&brain_command,   &brain_claude, &brain_codex,
                                       &brain_opencode,  &brain_script, &brain_anthropic,
                                       &brain_openai, NULL};
const NetAccount net_account = remote_main;
const NetSubmit net_submit = {submit_main, submit_pass};
