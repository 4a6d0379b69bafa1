/* Sinks of loopbacks and filters: what goes into them was judged, and comes out of the streams of their group. */
#ifndef RINGER_SINK_H
#define RINGER_SINK_H

#include "stream.h"

/* Begins to follow a node of the class Audio/Sink; without memory its group does not pass. */
void sink_new(struct context *context, uint32_t id);
/* Forgets the sink of this number, if there is one. */
void sink_remove(struct context *context, uint32_t id);
/* Whether a sink is of this group; none is of NULL. */
bool sinks_have(const struct context *context, const char *group);

#endif
