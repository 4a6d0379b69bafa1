/* What the implementation of ringer.h in Swift needs of C. */
#ifndef RINGER_THREAD_ERROR_H
#define RINGER_THREAD_ERROR_H

#include <stddef.h>

/* Keeps the calling thread's last failure: so many bytes of UTF-8, shortened to whole characters where there are too
 * many. */
void ringer_keep_error(const char *bytes, size_t count);

/* Copies bytes of UTF-8 to a text of so much room, shortened to whole characters, with a zero at the end. */
void ringer_copy_text(char *text, size_t room, const char *bytes, size_t count);

/* getpid() without the system call, of which every call of ringer.h would have one: a child asks anew. */
int ringer_process(void);

#endif
