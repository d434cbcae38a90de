/* A program that prints its answer and nothing else. */
#include "brain/stream.h"

const StreamParser stream_plain = {.raw = true};
