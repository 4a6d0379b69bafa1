// sd-bus and sd-daemon of libsystemd or libelogind, loaded when the first of its functions is called: a program that may use the
// service starts without the library too.
#include "CSDBus.h"

#include <dlfcn.h>
#include <errno.h>
#include <library_loader.h>

static struct ringer_library library;

static void load(void)
{
    library.handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library.handle)
        library.handle = dlopen("libelogind.so.0", RTLD_NOW | RTLD_LOCAL);
}

static struct ringer_library library = {.load = load, .once = PTHREAD_ONCE_INIT};

// The connection.
FORWARD(int, sd_bus_new, (sd_bus * *bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_set_address, (sd_bus * bus, const char *address), (bus, address), -ELIBACC)
FORWARD(int, sd_bus_set_bus_client, (sd_bus * bus, int yes), (bus, yes), -ELIBACC)
FORWARD(int, sd_bus_start, (sd_bus * bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_open_system, (sd_bus * *bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_open_user, (sd_bus * *bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_get_fd, (sd_bus * bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_get_events, (sd_bus * bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_get_timeout, (sd_bus * bus, uint64_t *deadline), (bus, deadline), -ELIBACC)
FORWARD(int, sd_bus_set_method_call_timeout, (sd_bus * bus, uint64_t microseconds), (bus, microseconds), -ELIBACC)
FORWARD(int, sd_bus_process, (sd_bus * bus, sd_bus_message **message), (bus, message), -ELIBACC)
FORWARD(int, sd_bus_flush, (sd_bus * bus), (bus), -ELIBACC)
FORWARD(int, sd_bus_get_unique_name, (sd_bus * bus, const char **name), (bus, name), -ELIBACC)
FORWARD(int, sd_bus_request_name, (sd_bus * bus, const char *name, uint64_t flags), (bus, name, flags), -ELIBACC)
FORWARD(int, sd_bus_get_n_queued_write, (sd_bus * bus, uint64_t *count), (bus, count), -ELIBACC)
FORWARD_VOID(sd_bus_close, (sd_bus * bus), (bus))
FORWARD(sd_bus *, sd_bus_unref, (sd_bus * bus), (bus), NULL)
FORWARD(sd_bus_slot *, sd_bus_slot_unref, (sd_bus_slot * slot), (slot), NULL)

// Handlers.
FORWARD(int, sd_bus_add_filter,
    (sd_bus * bus, sd_bus_slot **slot, sd_bus_message_handler_t handler, void *data), (bus, slot, handler, data),
    -ELIBACC)
FORWARD(int, sd_bus_add_fallback,
    (sd_bus * bus, sd_bus_slot **slot, const char *prefix, sd_bus_message_handler_t handler, void *data),
    (bus, slot, prefix, handler, data), -ELIBACC)
FORWARD(int, sd_bus_add_match_async,
    (sd_bus * bus, sd_bus_slot **slot, const char *match, sd_bus_message_handler_t handler,
        sd_bus_message_handler_t installed, void *data),
    (bus, slot, match, handler, installed, data), -ELIBACC)
FORWARD(int, sd_bus_call_async,
    (sd_bus * bus, sd_bus_slot **slot, sd_bus_message *message, sd_bus_message_handler_t handler, void *data,
        uint64_t microseconds),
    (bus, slot, message, handler, data, microseconds), -ELIBACC)

// Messages.
FORWARD(int, sd_bus_send, (sd_bus * bus, sd_bus_message *message, uint64_t *cookie), (bus, message, cookie), -ELIBACC)
FORWARD(int, sd_bus_message_new_method_call,
    (sd_bus * bus, sd_bus_message **message, const char *destination, const char *path, const char *interface,
        const char *member),
    (bus, message, destination, path, interface, member), -ELIBACC)
FORWARD(int, sd_bus_message_new_signal,
    (sd_bus * bus, sd_bus_message **message, const char *path, const char *interface, const char *member),
    (bus, message, path, interface, member), -ELIBACC)
FORWARD(int, sd_bus_message_new_method_return, (sd_bus_message * call, sd_bus_message **message), (call, message),
    -ELIBACC)
FORWARD(int, sd_bus_message_new_method_error,
    (sd_bus_message * call, sd_bus_message **message, const sd_bus_error *error), (call, message, error), -ELIBACC)
FORWARD(sd_bus_message *, sd_bus_message_ref, (sd_bus_message * message), (message), NULL)
FORWARD(sd_bus_message *, sd_bus_message_unref, (sd_bus_message * message), (message), NULL)
FORWARD(int, sd_bus_message_set_destination, (sd_bus_message * message, const char *name), (message, name), -ELIBACC)
FORWARD(int, sd_bus_message_set_auto_start, (sd_bus_message * message, int yes), (message, yes), -ELIBACC)
FORWARD(int, sd_bus_message_get_expect_reply, (sd_bus_message * message), (message), 0)
FORWARD(int, sd_bus_message_get_type, (sd_bus_message * message, uint8_t *type), (message, type), -ELIBACC)
FORWARD(const char *, sd_bus_message_get_sender, (sd_bus_message * message), (message), NULL)
FORWARD(const char *, sd_bus_message_get_path, (sd_bus_message * message), (message), NULL)
FORWARD(const char *, sd_bus_message_get_interface, (sd_bus_message * message), (message), NULL)
FORWARD(const char *, sd_bus_message_get_member, (sd_bus_message * message), (message), NULL)
FORWARD(const char *, sd_bus_message_get_signature, (sd_bus_message * message, int complete), (message, complete), NULL)
FORWARD(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message * message), (message), NULL)
FORWARD(int, sd_bus_message_peek_type, (sd_bus_message * message, char *type, const char **contents),
    (message, type, contents), -ELIBACC)
FORWARD(int, sd_bus_message_enter_container, (sd_bus_message * message, char type, const char *contents),
    (message, type, contents), -ELIBACC)
FORWARD(int, sd_bus_message_exit_container, (sd_bus_message * message), (message), -ELIBACC)
FORWARD(int, sd_bus_message_read_basic, (sd_bus_message * message, char type, void *value), (message, type, value),
    -ELIBACC)
FORWARD(int, sd_bus_message_rewind, (sd_bus_message * message, int complete), (message, complete), -ELIBACC)
FORWARD(int, sd_bus_message_skip, (sd_bus_message * message, const char *types), (message, types), -ELIBACC)
FORWARD(int, sd_bus_message_append_basic, (sd_bus_message * message, char type, const void *value),
    (message, type, value), -ELIBACC)
FORWARD(int, sd_bus_message_open_container, (sd_bus_message * message, char type, const char *contents),
    (message, type, contents), -ELIBACC)
FORWARD(int, sd_bus_message_close_container, (sd_bus_message * message), (message), -ELIBACC)

// The service manager.
FORWARD(int, sd_watchdog_enabled, (int unset_environment, uint64_t *microseconds), (unset_environment, microseconds),
    -ELIBACC)
FORWARD(int, sd_notify, (int unset_environment, const char *state), (unset_environment, state), -ELIBACC)
