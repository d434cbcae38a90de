#pragma once

/* What postrider.conf names and the machine has not got: key files, scripts, folders, programs. */
#include "base/home.h"

/* char *, one line each: "[brain x]: key-file 'secrets/x' is not there". Empty: all is there. Caller
 * unrefs. */
GPtrArray *config_missing(const Home *home);
