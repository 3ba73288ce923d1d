// The one translation unit that holds toml++'s function bodies.
#define TOML_IMPLEMENTATION
#include "machine/toml.h"
