#include "cli/faces.h"
#include "letter/mode_letter.h"
#include "plan/face_plan.h"
#include "report/face_report.h"
#include "steps/mode_steps.h"
#include "workflow/face_workflow.h"

static const ModeOps *const modes[] = {&mode_letter, &mode_steps, NULL};
static const FaceOps *const faces[] = {&face_report, &face_plan, &face_workflow, NULL};
const EngineParts cli_parts = {.modes = modes, .faces = faces};
