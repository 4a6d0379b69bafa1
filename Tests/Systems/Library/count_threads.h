#ifndef RINGER_TESTS_COUNT_THREADS_H
#define RINGER_TESTS_COUNT_THREADS_H

#include <dirent.h>

/* How many threads the process has. */
static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int count = 0;

    while (folder && (entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

#endif
