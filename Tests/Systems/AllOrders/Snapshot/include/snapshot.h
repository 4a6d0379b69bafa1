// Memory that can be put back to what it was: while it is in use, malloc takes from one region, whose bytes are copied and
// restored as a whole. So a world of many objects is a value. One thread; and what runs processes for the search.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes the region, which is empty and not in use.
void snapshot_make(size_t bytes);

// Whether malloc takes from the region from now on. What is in the region is freed there at any time.
void snapshot_use(bool is_used);

// Keeps an object of Swift's that is not in the region, but that what is there refers to: its count of references is not
// restored, and would reach zero one day.
void snapshot_keep(const void *object);

// How many bytes of the region were ever given out: what a copy takes.
size_t snapshot_size(void);

// Copies the region to `place`, which has room for `snapshot_size()` bytes, and back.
size_t snapshot_save(void *place);
void snapshot_restore(const void *place, size_t bytes);

// Memory that is shared with children of fork, zeroed and not committed before it is used.
void *snapshot_shared(size_t bytes);

// fork(2), which Swift hides.
int snapshot_fork(void);

// Puts `key`, which is not 0, into a table of 1 << `bits` keys, unless it is in there. Any process.
// Returns 1 if it was put in, 0 if it was there, -1 if the table is full.
int snapshot_insert(uint64_t *table, unsigned bits, uint64_t key);

// Adds to a counter that processes share, and returns what it was before.
uint64_t snapshot_add(uint64_t *counter, uint64_t value);

// Whether `address` is in the program's own code.
bool snapshot_is_code(uintptr_t address);

// A value that a closure captured.
struct snapshot_capture {
    const void *type; // Its metadata.
    size_t offset, size; // In the closure's context.
    bool is_function, is_trivial;
};

// What the closure with this context captured, as far as its types are known without its caller's. Returns how many values.
size_t snapshot_captures(const void *context, struct snapshot_capture *captures, size_t most);
