/* System Sound Services and Audio Session Services under Apple's names, for source that comes from a phone. New programs use
 * ringer.h. */
#ifndef RINGER_AUDIOTOOLBOX_H
#define RINGER_AUDIOTOOLBOX_H

#include <AudioToolbox/AudioServices.h>
#include <AudioToolbox/AudioSession.h>

#endif
