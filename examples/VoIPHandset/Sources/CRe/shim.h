#include <re.h>
