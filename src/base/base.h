#pragma once

/*
 * What every file of the project may use without including it: meson.build puts this header before
 * each. So files include what they need beyond errors, text, scope-bound descriptors and these few
 * of libc.
 */
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
