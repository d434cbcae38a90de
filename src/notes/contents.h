#pragma once

/* The note that says where everything is; one per home. */
#define CONTENTS_KEY "CONTENTS"
