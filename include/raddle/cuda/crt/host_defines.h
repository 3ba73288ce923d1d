// The same as <host_defines.h>.
#include "../host_defines.h"
