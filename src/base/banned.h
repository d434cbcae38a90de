#pragma once

/* Calls that this project does without. Using one does not compile: meson.build puts this
 * before every file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#define strcpy(d, s) sorry_strcpy_is_banned_use_g_strlcpy_or_GString
#undef strcat
#define strcat(d, s) sorry_strcat_is_banned_use_GString
#undef strncpy
#define strncpy(d, s, n) sorry_strncpy_is_banned_use_g_strlcpy
#undef sprintf
#define sprintf sorry_sprintf_is_banned_use_g_strdup_printf
#undef vsprintf
#define vsprintf sorry_vsprintf_is_banned_use_g_strdup_vprintf
#undef system
#define system(c) sorry_system_is_banned_use_base_proc
#undef popen
#define popen(c, m) sorry_popen_is_banned_use_base_proc
#undef gmtime
#define gmtime(t) sorry_gmtime_is_banned_use_gmtime_r
#undef strtok
#define strtok(s, d) sorry_strtok_is_banned_use_g_strsplit
