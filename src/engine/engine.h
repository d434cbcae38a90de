#pragma once

/*
 * What every part of the engine is handed: the home, the store, and the modes and faces that
 * the program was built with. Plain data, made once per process by engine_open(); nothing here
 * is global.
 */
#include "base/home.h"
#include "store/db.h"

typedef struct ModeOps ModeOps; /* engine/mode.h */
typedef struct FaceOps FaceOps; /* engine/face.h */

/* What a program was built with, each list ended by NULL. */
typedef struct EngineParts {
    const ModeOps *const *modes;
    const FaceOps *const *faces;
} EngineParts;

typedef struct Engine {
    Home *home;
    Db *db;
    const ModeOps *const *modes; /* NULL: none, as for one that only settles files */
    const FaceOps *const *faces;
    GHashTable
        *roles; /* name -> ConfRole: of the store (engine/role.h); NULL: none was asked for */
    GHashTable
        *mails; /* mails that are kept for this claim (engine/mail_load.h); NULL: none */
    size_t mails_size; /* of them */
    GPtrArray *sights; /* what faces saw for these mails (engine/face.h); NULL: nothing */
} Engine;

/* Opens the store for writing, brings the tables of the faces up to date, and writes the spaces
 * of the settings into the store. What an earlier process left unfinished is not looked at
 * here, but by recover_sweep() (engine/checkpoint/recover.h). The engine borrows home and
 * parts. */
bool engine_open(Home *home, const EngineParts *parts, Engine **ret, GError **error);
void engine_close(Engine *engine);
/* Frees what an engine holds that was made by hand over somebody else's store, and leaves the
 * store open. */
void engine_clear(Engine *engine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Engine, engine_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Engine, engine_close)

/* What a part returns in place of an exit status when the settings were changed since it began:
 * the program is to begin again, which may be another one now (cli/cli.h). */
#define ENGINE_AGAIN 256

/* The mode in which the brain of this role is asked; NULL: this program does not have that
 * mode, or role is NULL. */
const ModeOps *engine_mode(const Engine *engine, const ConfRole *role);
/* The face of this name; NULL: there is no such face, as for "". */
const FaceOps *engine_face(const Engine *engine, const char *name);
