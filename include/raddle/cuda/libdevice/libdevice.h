// Raddle's device math library: definitions of every function that clang's
// __clang_cuda_libdevice_declares.h declares, in place of NVIDIA's libdevice. Include it after
// clang's headers in a CUDA compilation, or alone in plain C++, where the same code runs on the
// host. Accuracies are those of the CUDA C++ Programming Guide.
#pragma once

#include "bessel.h"
#include "conversions.h"
#include "double_exponential.h"
#include "double_logarithm.h"
#include "double_trigonometric.h"
#include "error_function.h"
#include "expm1.h"
#include "fast_intrinsics.h"
#include "float_exponential.h"
#include "float_logarithm.h"
#include "float_trigonometric.h"
#include "floating_point_utilities.h"
#include "gamma.h"
#include "hyperbolic.h"
#include "integer_intrinsics.h"
#include "inverse_error_function.h"
#include "inverse_trigonometric.h"
#include "modified_bessel.h"
#include "power.h"
#include "remainder.h"
#include "roots_and_norms.h"
#include "rounded_arithmetic.h"
#include "simd_video.h"
