#include <sndfile.h>
#include <malloc.h>
