#pragma once

/*
 * What is known about mail providers: `preset = gmail` in an [account] stands for the settings
 * below, each of which a line of the file overrides. Beside settings a preset has what a person
 * must know to log in there. All strings are static.
 */

typedef struct PresetKey {
    const char *key, *value; /* of [account]; as it would be written */
} PresetKey;

typedef struct Preset {
    const char *name;
    const char *about; /* one line, for a menu */
    const char
        *authserv_id;      /* whose Authentication-Results to believe; "": pairing learns it */
    const char *login;     /* what to use as password, and where to get it */
    const PresetKey *keys; /* ends with a NULL key */
    const char *authserv_fields; /* of [trust]: "several"; NULL: one */
} Preset;
extern const Preset presets[]; /* ends with a NULL name */

/* NULL when there is none of that name. */
const Preset *preset_find(const char *name);
/* NULL when the preset says nothing about the key; preset may be NULL. */
const char *preset_value(const Preset *preset, const char *key);
/* Names for suggestions; NULL-terminated, static. */
const char *const *preset_names(void);
