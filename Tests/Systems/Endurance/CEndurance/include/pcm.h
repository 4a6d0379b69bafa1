#ifndef ENDURANCE_PCM_H
#define ENDURANCE_PCM_H

// A PCM of 48,000 Hz and two channels; NULL where it cannot be opened.
void *endurance_pcm_open(const char *name, int is_capture);

// Plays or records 40 ms. Returns 0, or the error of alsa-lib.
int endurance_pcm_pass(void *pcm, int is_capture);

void endurance_pcm_close(void *pcm);

#endif
