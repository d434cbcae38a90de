#pragma once

/*
 * What every part of the engine is handed: the home, the store, and the faces that the program
 * was built with. Plain data, made once per process by engine_open(); nothing here is global.
 */
#include "base/home.h"
#include "store/db.h"

typedef struct FaceOps FaceOps; /* engine/face.h */

typedef struct Engine {
    Home *home;
    Db *db;
    const FaceOps *const *faces; /* ends with NULL; the last real one takes what is left */
} Engine;

/* Opens the store for writing and brings an unfinished past in order (engine/checkpoint/recover.h). The
 * engine borrows home and faces. */
bool engine_open(Home *home, const FaceOps *const *faces, Engine **ret, GError **error);
void engine_close(Engine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Engine, engine_close)

/* What a part returns in place of an exit status when the settings were changed since it began: the
 * program is to begin again, which may be another one now (cli/cli.h). */
#define ENGINE_AGAIN 256

/* "steps"; NULL: no such face. */
const FaceOps *engine_face(const Engine *engine, const char *name);
