#pragma once

/*
 * Briefings (docs/briefings.md): a mail that a role sends once per date, and what people answer to it. The
 * conversation of a date is one job; recording a reply is part of intake's commit, a response part of
 * the step's. Files in reports/ are views of the rows (store/report.h).
 */
#include "engine/face.h"

extern const FaceOps face_report;
