#pragma once

/* Finds what postrider.conf names and what is missing on this machine: files of keys, passwords,
 * certificates and instructions, scripts, folders, programs; and brains that name no model. Starts
 * nothing. A file as credential:NAME is systemd's, and not looked at. */
#include "base/home.h"

/* char *, one line each: "[brain x]: key-file 'secrets/x' is not there". Empty: nothing is
 * missing. Caller unrefs. */
GPtrArray *config_missing(const Home *home);
