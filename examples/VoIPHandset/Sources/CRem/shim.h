#include <re.h>
#include <rem.h>
