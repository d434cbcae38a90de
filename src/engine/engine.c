#include "engine/engine.h"
#include "engine/face.h"
#include "engine/mode.h"
#include "store/spaces.h"

bool
engine_open(Home *home, const EngineParts *parts, Engine **ret, GError **error)
{
    g_autoptr(Engine) engine = g_new0(Engine, 1);
    engine->home = home;
    engine->modes = parts->modes;
    engine->faces = parts->faces;
    if (!db_open(home, DB_WRITE, &engine->db, error) || !faces_open(engine, error) ||
        !spaces_keep(engine->db, error))
        return false;
    *ret = g_steal_pointer(&engine);
    return true;
}

void
engine_close(Engine *engine)
{
    if (!engine)
        return;
    db_close(engine->db);
    engine_clear(engine);
    g_free(engine);
}

void
engine_clear(Engine *engine)
{
    g_clear_pointer(&engine->roles, g_hash_table_unref);
    faces_forget(engine);
}

const ModeOps *
engine_mode(const Engine *engine, const ConfRole *role)
{
    for (const ModeOps *const *m = engine->modes; role && m && *m; m++) {
        if ((*m)->mode == role->mode)
            return *m;
    }
    return NULL;
}

const FaceOps *
engine_face(const Engine *engine, const char *name)
{
    for (const FaceOps *const *f = engine->faces; f && *f; f++) {
        if (g_str_equal((*f)->name, name))
            return *f;
    }
    return NULL;
}
