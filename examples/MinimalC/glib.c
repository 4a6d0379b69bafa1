/* The loop of minimal.c in a program of GLib's; add `glib-2.0` to pkg-config's packages. */
#include "minimal.h"

#include <glib-unix.h>

static GMainLoop *loop;
static int result;

static gboolean take_events(gint descriptor, GIOCondition condition, gpointer firmware)
{
    (void)descriptor, (void)condition;
    result = minimal_take_events(firmware);
    if (result < 0)
        g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

static gboolean end(gpointer unused)
{
    (void)unused;
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

int minimal_run(struct minimal *firmware, int descriptor)
{
    guint sources[4];

    loop = g_main_loop_new(NULL, FALSE);
    sources[0] = g_unix_fd_add(descriptor, G_IO_IN, take_events, firmware);
    sources[1] = g_unix_signal_add(SIGTERM, end, NULL);
    sources[2] = g_unix_signal_add(SIGINT, end, NULL);
    sources[3] = g_unix_signal_add(SIGHUP, end, NULL);
    g_main_loop_run(loop);
    for (int index = 0; index < 4; index++)
        g_source_remove(sources[index]);
    g_main_loop_unref(loop);
    return result;
}
