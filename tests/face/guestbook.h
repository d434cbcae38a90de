#pragma once

/* A face for tests: a guest book. Whoever writes of a visit is entered, greeted ten minutes later, and
 * may SIGN. The desk, which has no brain, parks for an hour and then answers; other roles see the
 * guests of their job on the page. The book is a file, a view of the store. */
#include "engine/face.h"

extern const FaceOps face_guestbook;
