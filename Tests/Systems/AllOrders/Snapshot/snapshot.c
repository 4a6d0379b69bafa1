#define _GNU_SOURCE
#include "snapshot.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The runtime's.
extern void *swift_retain_n(void *, uint32_t);
extern const void *swift_getTypeByMangledNameInContext(const char *, size_t, const void *, const void *const *);

// The linker's.
extern char __executable_start, etext;

// glibc's own functions, under the names that it exports for this.
extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { grain = 16, small = 1024, classes = small / grain + 32 };

struct block {
    size_t class;
    struct block *next; // In a list of free blocks.
};

// At the beginning of the region, so that it is saved with it.
struct region {
    size_t used;
    struct block *free[classes];
};

static char *base;
static size_t capacity;
static bool is_in_use;
static size_t (*libc_usable_size)(void *);

// What Swift's runtime makes once and keeps, such as metadata, must not be in the region, where a copy from before would undo
// it. These are the ways into the runtime that may make something.
struct pair {
    void *first, *second;
};

#define KEPT_FUNCTIONS(function) \
    function(swift_once) function(swift_checkMetadataState) function(swift_getAssociatedConformanceWitness) \
    function(swift_getAssociatedTypeWitness) function(swift_getForeignTypeMetadata) \
    function(swift_getFunctionTypeMetadata1) function(swift_getGenericMetadata) \
    function(swift_getSingletonMetadata) function(swift_getTupleTypeMetadata2) \
    function(swift_getTypeByMangledNameInContext2) function(swift_getTypeByMangledNameInContextInMetadataState2) \
    function(swift_getWitnessTable)

#define DEFINE(name) \
    static struct pair (*runtime_##name)(void *, void *, void *, void *, void *, void *); \
    struct pair name(void *a, void *b, void *c, void *d, void *e, void *f) { \
        bool was_in_use = is_in_use; \
        is_in_use = false; \
        struct pair result = runtime_##name(a, b, c, d, e, f); \
        is_in_use = was_in_use; \
        return result; \
    }
KEPT_FUNCTIONS(DEFINE)

#define FIND(name) *(void **)&runtime_##name = dlsym(RTLD_NEXT, #name);
__attribute__((constructor)) static void find(void) {
    *(void **)&libc_usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    KEPT_FUNCTIONS(FIND)
}

static bool is_inside(const void *place) { return (const char *)place >= base && (const char *)place < base + capacity; }

static size_t class_of(size_t bytes) {
    if (bytes <= small) return (bytes + grain - 1) / grain;
    return small / grain + (64 - __builtin_clzl(bytes - 1)) - 10;
}

static size_t size_of(size_t class) {
    return class <= small / grain ? (class ? class : 1) * grain : (size_t)1 << (class - small / grain + 10);
}

static void *take(size_t bytes) {
    struct region *region = (struct region *)base;
    size_t class = class_of(bytes ? bytes : 1);
    struct block *block = region->free[class];
    if (block) {
        region->free[class] = block->next;
    } else {
        size_t size = sizeof(size_t) * 2 + size_of(class);
        if (region->used + size > capacity) abort();
        block = (struct block *)(base + region->used);
        region->used += size;
        block->class = class;
    }
    return (char *)block + sizeof(size_t) * 2;
}

static void give_back(void *place) {
    struct region *region = (struct region *)base;
    struct block *block = (struct block *)((char *)place - sizeof(size_t) * 2);
    block->next = region->free[block->class];
    region->free[block->class] = block;
}

static size_t usable(void *place) {
    return size_of(((struct block *)((char *)place - sizeof(size_t) * 2))->class);
}

void *malloc(size_t bytes) { return is_in_use ? take(bytes) : __libc_malloc(bytes); }

void free(void *place) {
    if (is_inside(place)) {
        give_back(place);
    } else {
        // What is outside would be freed again after it was restored: it has to be kept.
        if (is_in_use && place) {
            static const char text[] = "snapshot: what is not in the region is freed there: snapshot_keep\n";
            if (write(2, text, sizeof text - 1) < 0) abort();
            abort();
        }
        __libc_free(place);
    }
}

void *calloc(size_t count, size_t bytes) {
    if (!is_in_use) return __libc_calloc(count, bytes);
    void *place = take(count * bytes);
    return memset(place, 0, count * bytes);
}

void *realloc(void *place, size_t bytes) {
    if (!place) return malloc(bytes);
    if (!is_inside(place)) return __libc_realloc(place, bytes);
    size_t old = usable(place);
    if (bytes <= old) return place;
    void *new = malloc(bytes);
    memcpy(new, place, old);
    give_back(place);
    return new;
}

void *memalign(size_t alignment, size_t bytes) {
    return is_in_use && alignment <= grain ? take(bytes) : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **place, size_t alignment, size_t bytes) {
    *place = memalign(alignment, bytes);
    return *place ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *place) {
    if (!place) return 0;
    return is_inside(place) ? usable(place) : libc_usable_size(place);
}

static void *map(size_t bytes, int sharing) {
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) abort();
    return place;
}

void snapshot_make(size_t bytes) {
    base = map(bytes, MAP_PRIVATE);
    capacity = bytes;
    ((struct region *)base)->used = (sizeof(struct region) + grain - 1) / grain * grain;
}

void snapshot_use(bool is_used) { is_in_use = is_used; }

void snapshot_keep(const void *object) { swift_retain_n((void *)object, 1 << 28); }

size_t snapshot_size(void) { return ((struct region *)base)->used; }

size_t snapshot_save(void *place) {
    size_t bytes = snapshot_size();
    memcpy(place, base, bytes);
    return bytes;
}

void snapshot_restore(const void *place, size_t bytes) { memcpy(base, place, bytes); }

void *snapshot_shared(size_t bytes) { return map(bytes, MAP_SHARED); }

int snapshot_fork(void) { return fork(); }

int snapshot_insert(uint64_t *table, unsigned bits, uint64_t key) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t step = 0, place = key & mask; step < mask / 2; step++, place = (place + 1) & mask) {
        uint64_t there = __atomic_load_n(&table[place], __ATOMIC_RELAXED);
        if (there == 0
            && __atomic_compare_exchange_n(&table[place], &there, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 1;
        if (there == key) return 0;
    }
    return -1;
}

uint64_t snapshot_add(uint64_t *counter, uint64_t value) {
    return __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}

bool snapshot_is_code(uintptr_t address) {
    return address >= (uintptr_t)&__executable_start && address < (uintptr_t)&etext;
}

// What the runtime's metadata of a closure's context says.
struct context_metadata {
    uintptr_t kind;
    uint32_t first;
    const struct captures {
        uint32_t types, sources, bindings;
        int32_t names[]; // Of types, each from its own place.
    } *captures;
};

struct layout {
    const void *functions[8];
    size_t size, stride;
    uint32_t flags;
};

// The length of a type's name, in which addresses may stand.
static size_t length(const char *name) {
    const char *end = name;
    while (*end) end += *end >= 0x18 && *end <= 0x1f ? 1 + sizeof(void *) : *end > 0 && *end <= 0x17 ? 5 : 1;
    return end - name;
}

size_t snapshot_captures(const void *context, struct snapshot_capture *captures, size_t most) {
    enum { local_variables = 0x400, function = 0x302, is_not_trivial = 0x10000 };
    const struct context_metadata *metadata = *(void *const *)context;
    // An object is the context of its methods.
    if (metadata->kind != local_variables || metadata->captures->bindings > 0) return 0;
    size_t offset = metadata->first, count = 0;
    for (uint32_t index = 0; index < metadata->captures->types && count < most; index++) {
        const char *name = (const char *)&metadata->captures->names[index] + metadata->captures->names[index];
        const void *type = swift_getTypeByMangledNameInContext(name, length(name), NULL, NULL);
        // Functions as the compiler lowers them have no metadata; their names end so.
        bool is_function = type ? *(const uintptr_t *)type == function : length(name) > 0 && name[length(name) - 1] == '_';
        if (!type && !is_function) break;
        static const struct layout function_layout = {.size = 2 * sizeof(void *), .flags = 0x7 | is_not_trivial};
        const struct layout *layout = type ? ((const struct layout *const *)type)[-1] : &function_layout;
        size_t alignment = layout->flags & 0xff;
        offset = (offset + alignment) & ~alignment;
        captures[count++] = (struct snapshot_capture){
            .type = type, .offset = offset, .size = layout->size, .is_function = is_function,
            .is_trivial = !(layout->flags & is_not_trivial)};
        offset += layout->size;
    }
    return count;
}
