#pragma once

/*
 * The face that takes every mail which no other face wants; it stands last in the list. How a brain
 * works decides which half of it is at work: a program gets a letter and writes one (letter.h), a
 * model is led through steps (loop.h).
 */
#include "engine/face.h"

extern const FaceOps face_steps; /* "steps" */
