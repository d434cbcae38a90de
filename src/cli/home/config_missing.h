#pragma once

/* Finds what postrider.conf names and what is missing on this machine: key files, scripts,
 * folders, programs. */
#include "base/home.h"

/* char *, one line each: "[brain x]: key-file 'secrets/x' is not there". Empty: nothing is
 * missing. Caller unrefs. */
GPtrArray *config_missing(const Home *home);
