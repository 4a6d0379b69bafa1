#ifndef ENDURANCE_H
#define ENDURANCE_H

#include "library.h"
#include "pcm.h"

#include <stddef.h>

// How many bytes of its stack the calling thread uses, from the stack's beginning to the caller's frame.
size_t endurance_stack_depth(void);

// How many bytes are allocated, in all arenas.
size_t endurance_heap(void);

#endif
