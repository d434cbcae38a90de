#pragma once

/* Plans as a face: jobs that work on the plan of a project (plan/plan_work.h), begun by `plan run`. */
#include "engine/face.h"

extern const FaceOps face_plan;
