// GPIO lines in one shape, whichever libgpiod is installed: 1.x (kernel ABI v1) or 2.x (kernel ABI v2).
//
// The two share a file name and no calls. Which one it is, is settled when compiling: GPIOD_LINE_BULK_MAX_LINES is
// defined by 1.x alone. Every function that fails returns -1 or NULL and leaves the reason in errno.
#ifndef RINGER_CGPIOD_H
#define RINGER_CGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An open chip.
typedef struct ringer_gpio_chip ringer_gpio_chip;
/// A line that was requested, with everything that it needs to stay so.
typedef struct ringer_gpio_request ringer_gpio_request;

/// What pulls an input to a level when nothing drives it.
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
    /// Microseconds that the kernel debounces. Ignored where ringer_gpio_kernel_debounces() is false.
    uint32_t debounce;
} ringer_gpio_input;

/// One edge of an input.
typedef struct {
    /// Nanoseconds on CLOCK_MONOTONIC.
    int64_t at;
    /// The line's number of this edge, counted from 1; 0 where the kernel does not number them (ABI v1).
    uint32_t sequence;
    /// Whether the line became active.
    bool active;
} ringer_gpio_edge;

/// Whether the kernel debounces for this libgpiod: 2.x only.
bool ringer_gpio_kernel_debounces(void);

/// The version of libgpiod in use.
const char *ringer_gpio_library_version(void);

/// Opens the chip at `path`. ENOTTY or ENODEV where it is none.
ringer_gpio_chip *ringer_gpio_chip_open(const char *path);
void ringer_gpio_chip_close(ringer_gpio_chip *chip);

/// The chip's name, such as "gpiochip0", or its label; at most `size` bytes with the final zero.
int ringer_gpio_chip_name(ringer_gpio_chip *chip, char *name, size_t size);
int ringer_gpio_chip_label(ringer_gpio_chip *chip, char *label, size_t size);

/// The offset of the first line of that name. ENOENT where there is none.
int ringer_gpio_chip_find_line(ringer_gpio_chip *chip, const char *name);

/// Who holds the line: its consumer's name, empty where nobody does.
int ringer_gpio_chip_consumer(ringer_gpio_chip *chip, unsigned int offset, char *consumer, size_t size);

/// Requests a line as an input whose edges, both ways, are reported from now on. The chip may be closed afterwards.
ringer_gpio_request *ringer_gpio_request_input(ringer_gpio_chip *chip, unsigned int offset,
                                               const ringer_gpio_input *input);

/// Requests a line as an output, inactive at first. The chip may be closed afterwards.
ringer_gpio_request *ringer_gpio_request_output(ringer_gpio_chip *chip, unsigned int offset, bool active_low);

void ringer_gpio_request_release(ringer_gpio_request *request);

/// The descriptor that becomes readable when there are edges. It stays the request's.
int ringer_gpio_request_fd(ringer_gpio_request *request);

/// The line's level: 1 active, 0 inactive.
int ringer_gpio_request_get(ringer_gpio_request *request);
int ringer_gpio_request_set(ringer_gpio_request *request, bool active);

/// Reads the edges that are there, RINGER_GPIO_EDGES at most, and returns how many. Waits where there are none.
enum { RINGER_GPIO_EDGES = 16 };
int ringer_gpio_request_read(ringer_gpio_request *request, ringer_gpio_edge *edges);

#endif
