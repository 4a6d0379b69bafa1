/* The loop of minimal.c in a program of libuv's; add `libuv` to pkg-config's packages. */
#define _POSIX_C_SOURCE 200809L
#include "minimal.h"

#include <signal.h>
#include <uv.h>

static int result;

static void take_events(uv_poll_t *poll, int status, int events)
{
    (void)events;
    result = status < 0 ? status : minimal_take_events(poll->data);
    if (result < 0)
        uv_stop(poll->loop);
}

static void end(uv_signal_t *signal, int number)
{
    (void)number;
    uv_stop(signal->loop);
}

static void close_handle(uv_handle_t *handle, void *unused)
{
    (void)unused;
    uv_close(handle, NULL);
}

int minimal_run(struct minimal *firmware, int descriptor)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    uv_loop_t loop;
    uv_poll_t poll;
    uv_signal_t signals[3];

    result = uv_loop_init(&loop);
    if (result < 0)
        return result;
    result = uv_poll_init(&loop, &poll, descriptor);
    poll.data = firmware;
    if (result == 0)
        result = uv_poll_start(&poll, UV_READABLE, take_events);
    for (int index = 0; result == 0 && index < 3; index++) {
        uv_signal_init(&loop, &signals[index]);
        result = uv_signal_start(&signals[index], end, numbers[index]);
    }
    if (result == 0)
        uv_run(&loop, UV_RUN_DEFAULT);
    uv_walk(&loop, close_handle, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return result;
}
