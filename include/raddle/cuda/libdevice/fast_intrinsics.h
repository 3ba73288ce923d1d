// The fast intrinsics (__sinf, __expf, __powf ...): one or two instructions of the special function
// unit with the accuracy that the CUDA programming guide documents for them, and no care for
// special cases.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE float __nv_fast_sinf(float a) { return sin_approx(a); }
RADDLE_LIBDEVICE float __nv_fast_cosf(float a) { return cos_approx(a); }
RADDLE_LIBDEVICE void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = sin_approx(a);
  *cosine = cos_approx(a);
}
RADDLE_LIBDEVICE float __nv_fast_tanf(float a) { return div_approx(sin_approx(a), cos_approx(a)); }

RADDLE_LIBDEVICE float __nv_fast_log2f(float a) { return lg2_approx(a); }
RADDLE_LIBDEVICE float __nv_fast_logf(float a) { return mul(lg2_approx(a), 0x1.62e430p-1f); }
RADDLE_LIBDEVICE float __nv_fast_log10f(float a) { return mul(lg2_approx(a), 0x1.344136p-2f); }

RADDLE_LIBDEVICE float __nv_fast_expf(float a) { return ex2_approx(mul(a, 0x1.715476p+0f)); }
RADDLE_LIBDEVICE float __nv_fast_exp10f(float a) { return ex2_approx(mul(a, 0x1.a934f0p+1f)); }
RADDLE_LIBDEVICE float __nv_fast_powf(float a, float b) {
  return ex2_approx(mul(b, lg2_approx(a)));
}
RADDLE_LIBDEVICE float __nv_fast_fdividef(float a, float b) { return div_approx(a, b); }

}  // namespace raddle::libdevice
