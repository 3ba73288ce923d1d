// The same header under its newer name.
#include "../nvToolsExt.h"
