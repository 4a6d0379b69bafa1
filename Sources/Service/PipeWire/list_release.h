/* What is done once for all streams that there are, without the service: --list and --release. */
#ifndef RINGER_LIST_RELEASE_H
#define RINGER_LIST_RELEASE_H

#include <pipewire/pipewire.h>

#include "category.h"

/* The program as PipeWire knows it, while it runs. */
#define PROGRAM_NAME "ringer-pipewire"

enum list_release { LIST_STREAMS, RELEASE_STREAMS };

/* Prints what PipeWire's streams are judged as, and what cannot be silenced; or gives all of them the volume that they have without
   this program. Returns the exit status. */
int list_release(struct pw_main_loop *loop, struct pw_core *core, const struct rules *rules, enum list_release what);

#endif
