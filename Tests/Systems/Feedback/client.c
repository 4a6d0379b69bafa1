/* A program of libfeedback: gives an event's feedback, and prints the reason for its end. client EVENT TIMEOUT */
#include <libfeedback.h>
#include <stdio.h>
#include <stdlib.h>

static void ended(LfbEvent *event, GMainLoop *loop)
{
    printf("ended %d\n", lfb_event_get_end_reason(event));
    g_main_loop_quit(loop);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    if (argc != 3 || !lfb_init("org.ringer.test", &error))
        return 2;
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    LfbEvent *event = lfb_event_new(argv[1]);
    lfb_event_set_timeout(event, atoi(argv[2]));
    g_signal_connect(event, "feedback-ended", G_CALLBACK(ended), loop);
    if (!lfb_event_trigger_feedback(event, &error)) {
        printf("error %s\n", error->message);
        return 1;
    }
    g_main_loop_run(loop);
    lfb_uninit();
    return 0;
}
