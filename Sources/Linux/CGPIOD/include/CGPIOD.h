// GPIO lines through one interface for libgpiod 1.x (kernel ABI v1) and 2.x (kernel ABI v2).
//
// The two have the same file name and no common calls. The choice is made when compiling: only 1.x defines
// GPIOD_LINE_BULK_MAX_LINES. Every function that fails returns -1 or NULL and sets errno.
#ifndef RINGER_CGPIOD_H
#define RINGER_CGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An open chip.
typedef struct ringer_gpio_chip ringer_gpio_chip;
/// A requested line, with all that belongs to the request.
typedef struct ringer_gpio_request ringer_gpio_request;

/// The bias of an input: what pulls it to a level while it is not driven.
typedef enum {
    RINGER_GPIO_BIAS_AS_IS,
    RINGER_GPIO_BIAS_PULL_UP,
    RINGER_GPIO_BIAS_PULL_DOWN,
    RINGER_GPIO_BIAS_DISABLED,
} ringer_gpio_bias;

/// How an input is read.
typedef struct {
    ringer_gpio_bias bias;
    bool active_low;
    /// The kernel's debounce period in microseconds. Ignored if ringer_gpio_kernel_debounces() is false.
    uint32_t debounce;
} ringer_gpio_input;

/// One edge of an input.
typedef struct {
    /// Nanoseconds on CLOCK_MONOTONIC.
    int64_t at;
    /// The line's number of this edge, from 1; 0 if the kernel does not number edges (ABI v1).
    uint32_t sequence;
    /// Whether the line became active.
    bool active;
} ringer_gpio_edge;

/// Whether edges have timestamps of CLOCK_MONOTONIC with a kernel of this release, such as "5.10.160": since Linux 5.7.
bool ringer_gpio_stamps_are_monotonic(const char *release);

/// The moment on CLOCK_MONOTONIC of an edge whose timestamp is of either clock; `monotonic` and `realtime` are the
/// clocks' times now.
int64_t ringer_gpio_edge_time(int64_t stamp, int64_t monotonic, int64_t realtime);

/// Whether the kernel debounces: with libgpiod 2.x only.
bool ringer_gpio_kernel_debounces(void);

/// The version of libgpiod in use.
const char *ringer_gpio_library_version(void);

/// Opens the chip at `path`. Fails with ENOTTY or ENODEV if it is not a chip.
ringer_gpio_chip *ringer_gpio_chip_open(const char *path);
void ringer_gpio_chip_close(ringer_gpio_chip *chip);

/// The chip's name, such as "gpiochip0", or its label, while the chip is open; never NULL.
const char *ringer_gpio_chip_name(ringer_gpio_chip *chip);
const char *ringer_gpio_chip_label(ringer_gpio_chip *chip);

/// The offset of the first line of that name. Fails with ENOENT if there is none.
int ringer_gpio_chip_find_line(ringer_gpio_chip *chip, const char *name);

/// The line's consumer, at most `size` bytes with the final zero; empty if nobody holds the line.
int ringer_gpio_chip_consumer(ringer_gpio_chip *chip, unsigned int offset, char *consumer, size_t size);

/// Requests a line as an input and reports its edges in both directions from now on. The chip may be closed afterwards.
ringer_gpio_request *ringer_gpio_request_input(ringer_gpio_chip *chip, unsigned int offset,
                                               const ringer_gpio_input *input);

/// Requests a line as an output, inactive at first. The chip may be closed afterwards.
ringer_gpio_request *ringer_gpio_request_output(ringer_gpio_chip *chip, unsigned int offset, bool active_low);

void ringer_gpio_request_release(ringer_gpio_request *request);

/// The descriptor that is readable while there are edges. The request closes it.
int ringer_gpio_request_fd(ringer_gpio_request *request);

/// The line's level: 1 active, 0 inactive.
int ringer_gpio_request_get(ringer_gpio_request *request);
int ringer_gpio_request_set(ringer_gpio_request *request, bool active);

/// Reads the pending edges, at most RINGER_GPIO_EDGES, and returns how many. Blocks if there are none.
enum { RINGER_GPIO_EDGES = 16 };
int ringer_gpio_request_read(ringer_gpio_request *request, ringer_gpio_edge *edges);

#endif
