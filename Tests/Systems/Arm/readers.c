/*
 * Gives a reader of sound files, Fuzz/FuzzSoundFile.swift, each file that is named, and then so many damaged ones: numbers of 16,
 * 32 and 64 bits in them become large or small, bytes change, ends are cut off. The same in every run. Something
 * of what is named has to be a sound, which it is not where the library of its codec is missing.
 *
 *     readers COUNT FILE...
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int fuzz_accepted(void);

/* As in Fuzz/run.sh, but for a few longer files. */
enum { LONGEST = 4096 };

static volatile unsigned long input;

static void trapped(int number)
{
    char line[80];

    (void)!write(2, line, snprintf(line, sizeof line, "signal %d at input %lu\n", number, input));
    _exit(1);
}

static uint32_t below(uint32_t limit)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((state >> 32) * limit) >> 32);
}

static void damage(uint8_t *bytes, size_t *count)
{
    static const uint64_t numbers[] = {0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x3FFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
        0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF};
    size_t size = (size_t)2 << below(3), at, is_little = below(2);
    uint64_t number = numbers[below(sizeof numbers / sizeof *numbers)] + below(5) - 2;

    switch (below(4)) {
    case 0:
        bytes[below(*count)] = (uint8_t)below(256);
        break;
    case 1:
        if (below(8) == 0) *count = below(*count) + 1;
        break;
    default:
        if (*count < 64) break;
        at = below(below(2) ? 64 : *count) & ~1u;
        for (size_t byte = 0; byte < size && at + byte < *count; byte++)
            bytes[at + byte] = (uint8_t)(number >> 8 * (is_little ? byte : size - 1 - byte));
    }
}

int main(int count, char **arguments)
{
    unsigned long rounds = strtoul(arguments[1], NULL, 10);
    uint8_t (*files)[LONGEST] = calloc(count, LONGEST), bytes[LONGEST];
    size_t *sizes = calloc(count, sizeof *sizes);
    int sounds;

    signal(SIGILL, trapped);
    signal(SIGTRAP, trapped);
    signal(SIGSEGV, trapped);
    signal(SIGABRT, trapped);
    for (int index = 2; index < count; index++, input++) {
        FILE *file = fopen(arguments[index], "rb");
        if (!file || (sizes[index] = fread(files[index], 1, LONGEST, file)) == 0) {
            fprintf(stderr, "%s: cannot be read, or is empty\n", arguments[index]);
            return 1;
        }
        fclose(file);
        LLVMFuzzerTestOneInput(files[index], sizes[index]);
    }
    sounds = fuzz_accepted();
    if (sounds == 0) {
        fprintf(stderr, "none of the files is a sound\n");
        return 1;
    }
    for (unsigned long round = 0; round < rounds; round++, input++) {
        int index = 2 + (int)below((uint32_t)count - 2);
        size_t size = sizes[index];
        memcpy(bytes, files[index], size);
        for (uint32_t times = 1 + below(6); times > 0; times--) damage(bytes, &size);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    printf("%d files, of which %d are sounds, and %lu damaged ones, of which %d are\n", count - 2, sounds, rounds, fuzz_accepted() - sounds);
}
