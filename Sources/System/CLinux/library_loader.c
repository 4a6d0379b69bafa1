#include "library_loader.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

void *ringer_library_function(struct ringer_library *library, const char *name, void *_Atomic *known) {
    void *function = atomic_load_explicit(known, memory_order_acquire);
    if (function) return function;
    pthread_once(&library->once, library->load);
    if (!library->handle) return NULL;
    function = dlsym(library->handle, name);
    atomic_store_explicit(known, function, memory_order_release);
    return function;
}
