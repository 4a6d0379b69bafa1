/*
 * Loaded into a process with LD_PRELOAD, it writes how many bytes malloc has given out to each reader of the FIFO that
 * RINGER_TESTS_ALLOCATED names. Unlike resident memory, these do not grow with the number of threads that have run.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *answer(void *path)
{
    for (;;) {
        int fifo = open(path, O_WRONLY | O_CLOEXEC); /* returns when it is opened for reading */
        struct mallinfo2 memory = mallinfo2();

        dprintf(fifo, "%zu\n", memory.uordblks + memory.hblkhd);
        close(fifo);
    }
    return NULL;
}

__attribute__((constructor)) static void start(void)
{
    char *path = getenv("RINGER_TESTS_ALLOCATED");
    sigset_t all, before;
    pthread_t thread;

    if (path == NULL)
        return;
    /* SIGPIPE among them, where the reader has closed the FIFO. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_create(&thread, NULL, answer, path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
