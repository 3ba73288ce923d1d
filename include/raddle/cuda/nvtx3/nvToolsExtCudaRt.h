// Naming streams and events has no effect either.
#include "../nvToolsExt.h"
