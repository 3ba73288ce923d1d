// Scans live beside the reductions.
#include "reduce.h"
