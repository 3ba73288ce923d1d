// The inverse error functions and the inverse normal distribution. With w = -log(1 - x^2) the ratio
// erfinv(x) / x is smooth in w near the middle and in sqrt(w) in the tails (Giles, "Approximating
// the erfinv function", GPU Computing Gems 2012); the coefficients are our own.
#pragma once

#include "double_logarithm.h"
#include "float_logarithm.h"
#include "primitives.h"

namespace raddle::libdevice {

// erfinv(x) / x - 1 as a function of w = -log(1 - x^2); without the one, the last product can be an
// fma.
RADDLE_LIBDEVICE_HELPER float inverse_error_rest(float w) {
  if (w < 5.0f) {
    const float d = w - 2.5f;
    return horner(d, 0.50140935f, 0.2466403f, -0.00417732f, -0.0012527485f, 0.00021825773f,
                  -4.959692e-06f, -3.4234142e-06f, 4.654174e-07f, 1.5984305e-08f, -8.73901e-09f,
                  4.6719323e-10f);
  }
  const float root = sqrt_rn(w);
  if (root < 4.0f) {
    const float d = root - 3.0f;
    return horner(d, 1.8329768f, 1.0016752f, 0.009445275f, -0.0076432694f, 0.005687982f,
                  -0.0035646518f, 0.0014738389f, -0.00012435691f, -0.00027503926f, 0.00016306252f,
                  -3.1109525e-05f);
  }
  const float d = root - 7.0f;
  return horner(d, 5.8690195f, 1.0085956f, -0.00051271723f, 6.364203e-06f, 6.1037176e-06f,
                -1.6661658e-06f, 3.0248108e-07f, -4.2901004e-08f, 9.346141e-09f, -2.3974818e-09f,
                2.5425423e-10f);
}
RADDLE_LIBDEVICE_HELPER double inverse_error_rest(double w) {
  if (w < 5.0) {
    const double d = w - 2.5;
    return horner(d, 0.5014093511107919, 0.246640276744167, -0.004177317724383624,
                  -0.0012527079078110321, 0.00021825026434406123, -4.996079598850206e-06,
                  -3.416619596565087e-06, 4.787252185239e-07, 1.3416803755242823e-08,
                  -1.0861168938287872e-08, 9.073036495405582e-10, 1.1960698817209524e-10,
                  -3.110278672226476e-11, 9.115660381671943e-13, 5.35634316639306e-13,
                  -7.612669130138495e-14, -2.8811110175241575e-15, 1.896729354143589e-15,
                  -1.3661917890665556e-16, -2.6828646429084916e-17, 4.9093939218875495e-18,
                  1.70090808939352e-19, -6.890747263780336e-20);
  }
  const double root = sqrt_rn(w);
  if (root < 4.0) {
    const double d = root - 3.0;
    return horner(d, 1.8329767987282708, 1.0016752766933996, 0.00944552201198627,
                  -0.007643805570047251, 0.00568518241809606, -0.0035587940164571903,
                  0.0014837373396132635, -0.00014889809302233572, -0.00028312437967640777,
                  0.0002055164947020817, -4.64606086591084e-05, -2.2872544568496e-05,
                  2.193490281415922e-05, -5.94946289091835e-06, -1.6524340006374488e-06,
                  2.0032096916090686e-06, -6.454799926816389e-07, -8.283719304512961e-08,
                  1.7034129253219792e-07, -6.287445779057886e-08, -5.1590290265837306e-09,
                  1.1494879368558014e-08, -2.7631972563882035e-09);
  }
  if (root < 8.0) {
    const double d = root - 6.0;
    return horner(d, 4.859913143946245, 1.009605122099409, -0.0004728399579006718,
                  -4.292497769186669e-05, 2.157855765263484e-05, -5.3563810096932974e-06,
                  1.105594193206073e-06, -2.0888029021392695e-07, 3.738572890174535e-08,
                  -6.442266154012955e-09, 1.079967215613568e-09, -1.789056162853886e-10,
                  3.12484650100709e-11, -6.935580348270469e-12, 2.0697391521467768e-12,
                  -8.046928426904902e-13, 5.067315014548671e-13, -2.7699788976141615e-13,
                  7.242821966491807e-14, -1.1336686398628994e-14, 1.1638566138499277e-14,
                  -6.020542825261667e-15, 2.7408375295379926e-16, 4.491372803199644e-16,
                  -8.135098490711904e-17);
  }
  if (root < 15.0) {
    const double d = root - 11.5;
    return horner(d, 10.398835871111405, 1.0050366557912898, -0.00027523462978956573,
                  1.4540334011723937e-05, -6.551988914270176e-07, 1.4956587997096987e-08,
                  1.7043654930588766e-09, -3.6787468282012243e-10, 4.8253847984651663e-11,
                  -5.4080136718113175e-12, 5.60620920254991e-13, -5.54017530680101e-14,
                  5.312081326449293e-15, -5.054734543734976e-16, 4.6504712025022196e-17,
                  -3.650430254549276e-18, 3.293782046406692e-19, -5.2621417361587145e-20,
                  4.599909002003294e-21);
  }
  const double d = root - 21.5;
  return horner(d, 20.431398449910887, 1.0021124444145966, -7.325259896622347e-05,
                2.6338521861303748e-06, -9.558616313865558e-08, 3.4459868708047056e-09,
                -1.2158886766289292e-10, 4.11581134928618e-12, -1.2892739677916415e-13,
                3.420901344097816e-15, -5.206019407121737e-17, -2.0914573454699417e-18,
                3.0065176046630954e-19, -2.215763052047805e-20, 1.0905710742741908e-21,
                -6.458524054346078e-23, 7.248347357359804e-24, -3.764387229649112e-25);
}

RADDLE_LIBDEVICE float __nv_erfinvf(float a) {
  const float size = magnitude(a);
  const float rest = inverse_error_rest(-__nv_logf(fma(-a, a, 1.0f)));
  if (size == 1.0f) return with_sign(float_infinity(), a);
  return size > 1.0f ? float_nan() : with_sign(fma(a, rest, a), a);
}
RADDLE_LIBDEVICE double __nv_erfinv(double a) {
  const double size = magnitude(a);
  const double rest = inverse_error_rest(-__nv_log(fma(-a, a, 1.0)));
  if (size == 1.0) return with_sign(double_infinity(), a);
  return size > 1.0 ? double_nan() : with_sign(fma(a, rest, a), a);
}

// erfcinv(a) = -erfcinv(2 - a), and 2 - a is exact for a >= 1, so that the tail keeps its digits on
// either side: 1 - x^2 = a (2 - a) where x = 1 - a.
RADDLE_LIBDEVICE float __nv_erfcinvf(float a) {
  const float tail = a > 1.0f ? sub(2.0f, a) : a;
  const float rest = inverse_error_rest(-__nv_logf(mul(tail, sub(2.0f, tail))));
  const float x = sub(1.0f, tail);
  const float result = fma(x, rest, x);
  if (tail == 0.0f) return a > 1.0f ? -float_infinity() : float_infinity();
  if (tail < 0.0f) return float_nan();
  return a > 1.0f ? -result : result;
}
RADDLE_LIBDEVICE double __nv_erfcinv(double a) {
  const double tail = a > 1.0 ? sub(2.0, a) : a;
  const double rest = inverse_error_rest(-__nv_log(mul(tail, sub(2.0, tail))));
  const double x = sub(1.0, tail);
  const double result = fma(x, rest, x);
  if (tail == 0.0) return a > 1.0 ? -double_infinity() : double_infinity();
  if (tail < 0.0) return double_nan();
  return a > 1.0 ? -result : result;
}

RADDLE_LIBDEVICE float __nv_normcdfinvf(float a) {
  return mul(-0x1.6a09e6p+0f, __nv_erfcinvf(a + a));
}
RADDLE_LIBDEVICE double __nv_normcdfinv(double a) {
  return mul(-0x1.6a09e667f3bcdp+0, __nv_erfcinv(a + a));
}

}  // namespace raddle::libdevice
