// libsoxr, as Swift sees it.
#pragma once
#include <soxr.h>
