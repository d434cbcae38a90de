/* What the program of this folder is built with. */
#include "cli/faces.h"
#include "guestbook.h"
#include "letter/mode_letter.h"
#include "steps/mode_steps.h"

static const ModeOps *const modes[] = {&mode_letter, &mode_steps, NULL};
static const FaceOps *const faces[] = {&face_guestbook, NULL};
const EngineParts cli_parts = {.modes = modes, .faces = faces};
