// A C library that is loaded when the first of its functions is called.
#ifndef RINGER_CLINUX_LIBRARY_LOADER_H
#define RINGER_CLINUX_LIBRARY_LOADER_H

#include <pthread.h>

/// A library, and how it is loaded.
struct ringer_library {
    /// Sets `handle`, or leaves it NULL. Called once.
    void (*load)(void);
    pthread_once_t once;
    void *handle;
};

/// The address of the library's function `name`, which `known` stores; NULL if the library is missing, or too old to have
/// the function. Loads the library if necessary. May be called on any thread. The corresponding C function is `dlsym`.
void *ringer_library_function(struct ringer_library *library, const char *name, void *_Atomic *known);

#define HIDDEN __attribute__((visibility("hidden")))

/// Defines a function that calls the function of that name in the file's `library`. The compiler compares its type with the
/// library's header. It is hidden: nothing but Ringer is bound to it. It returns `otherwise` if the library does not have it.
#define FORWARD(type, name, parameters, arguments, otherwise)                                    \
    HIDDEN type name parameters                                                                  \
    {                                                                                            \
        static void *_Atomic known;                                                              \
        __typeof__(&name) function = ringer_library_function(&library, #name, &known);           \
        return function ? function arguments : (otherwise);                                      \
    }

/// The same for a function that returns nothing.
#define FORWARD_VOID(name, parameters, arguments)                                                \
    HIDDEN void name parameters                                                                  \
    {                                                                                            \
        static void *_Atomic known;                                                              \
        __typeof__(&name) function = ringer_library_function(&library, #name, &known);           \
        if (function)                                                                            \
            function arguments;                                                                  \
    }

#endif
