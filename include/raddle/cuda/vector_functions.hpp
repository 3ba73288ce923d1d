// CUDA keeps the definitions apart from the declarations; here they are one file.
#include "vector_functions.h"
