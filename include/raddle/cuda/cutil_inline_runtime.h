// All of CUTIL is inline here.
#include "cutil.h"
