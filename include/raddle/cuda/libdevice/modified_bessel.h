// The regular modified cylindrical Bessel functions of order zero and one: a polynomial in x^2 up
// to eight and e^x / sqrt(x) times a polynomial in 1/x above, for both precisions.
#pragma once

#include "double_exponential.h"
#include "float_exponential.h"
#include "primitives.h"

namespace raddle::libdevice {

// I0(x) and I1(x) / x for s = x^2 <= 64; sqrt(x) e^-x I0(x) and the same of I1 for t = 16/x - 1,
// which the half-line above eight maps to [-1, 1].
RADDLE_LIBDEVICE_HELPER float i0_series(float s) {
  return horner(s, 1.0f, 0.24999997f, 0.015625022f, 0.00043402225f, 6.78237e-06f, 6.7767296e-08f,
                4.7317283e-10f, 2.3391768e-12f, 1.0543686e-14f, 1.6166195e-17f, 1.4816679e-19f);
}
RADDLE_LIBDEVICE_HELPER double i0_series(double s) {
  return horner(s, 1.0, 0.25, 0.015625000000000007, 0.00043402777777777445, 6.781684027778812e-06,
                6.781684027758202e-08, 4.709502797312111e-10, 2.4028075474081917e-12,
                9.385967122158306e-15, 2.896902788810415e-17, 7.242279005317181e-20,
                1.4962822964042478e-22, 2.598784105132567e-25, 3.8294112470023257e-28,
                5.032711772973731e-31, 4.6013577678637e-34, 8.487698345602885e-37);
}
RADDLE_LIBDEVICE_HELPER float i1_series(float s) {
  return horner(s, 0.5f, 0.0625f, 0.0026041677f, 5.425325e-05f, 6.781957e-07f, 5.6494276e-09f,
                3.3728024e-11f, 1.4763215e-13f, 5.6781166e-16f, 9.33866e-19f, 6.3589025e-21f);
}
RADDLE_LIBDEVICE_HELPER double i1_series(double s) {
  return horner(s, 0.5, 0.06250000000000001, 0.0026041666666666574, 5.42534722222271e-05,
                6.781684027764357e-07, 5.651403356704746e-09, 3.3639305668982475e-11,
                1.5017547367976848e-13, 5.214425120919993e-16, 1.448455537254395e-18,
                3.2918259018287706e-21, 6.2370206832638684e-24, 9.956969230500737e-27,
                1.408926251589234e-29, 1.3808181584914202e-32, 2.716505589516938e-35);
}
RADDLE_LIBDEVICE_HELPER float i0_asymptotic(float t) {
  return horner(t, 0.4021765f, 0.0033605557f, 0.00013621748f, 1.1112295e-05f, 1.4747312e-06f,
                3.6239285e-07f, 1.0993044e-07f);
}
RADDLE_LIBDEVICE_HELPER double i0_asymptotic(double t) {
  return horner(
      t, 0.4021765094450081, 0.0033605519836678484, 0.00013621607439223357, 1.1143033792102891e-05,
      1.4838475513864957e-06, 2.973598278591917e-07, 8.872246775786844e-08, 3.932622375014671e-08,
      2.1545756033179804e-08, 7.552090251138957e-09, -6.7326252902126165e-09,
      -1.339802296625062e-08, -5.459502865240296e-09, 7.523236650897305e-09, 7.561827327233571e-09,
      -3.454087725033268e-09, -6.16415468570377e-09, 1.4602335442337836e-09, 3.861169065668275e-09,
      -5.282040841906194e-10, -1.7691650472092288e-09, 1.3485993076152146e-10,
      5.158052426509501e-10, -1.703654537345448e-11, -7.051597440280518e-11);
}
RADDLE_LIBDEVICE_HELPER float i1_asymptotic(float t) {
  return horner(t, 0.38939846f, -0.009749581f, -0.00021923738f, -1.500418e-05f, -1.8244053e-06f,
                -4.206888e-07f, -1.239524e-07f);
}
RADDLE_LIBDEVICE_HELPER double i1_asymptotic(double t) {
  return horner(t, 0.38939845902587233, -0.009749577193235723, -0.00021923576383421202,
                -1.503854720179302e-05, -1.8349101173066405e-06, -3.4838554355009717e-07,
                -1.0001317134645807e-07, -4.312957797858001e-08, -2.3371129191431712e-08,
                -8.425018184643106e-09, 6.71840318746352e-09, 1.402270185707871e-08,
                6.032965739467223e-09, -7.611241921224057e-09, -8.028949169205355e-09,
                3.371037290056597e-09, 6.468326805846475e-09, -1.374912375109739e-09,
                -4.0339924486027604e-09, 4.832150188930592e-10, 1.8460588393895034e-09,
                -1.209210431833949e-10, -5.382775832296319e-10, 1.5057744610397054e-11,
                7.363641483169079e-11);
}

// e^x overflows before e^x / sqrt(x) does, so 2^-16 of it is taken and given back at the end.
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real with_exponential(Real x, Real polynomial) {
  const Real growth = mul(exp_with_scale(x, -16), polynomial / sqrt_rn(x));
  return is_infinite(x) ? x : mul(growth, Real{65536});
}

template <typename Real>
RADDLE_LIBDEVICE_HELPER Real modified_bessel_zero(Real a) {
  const Real x = magnitude(a);
  if (x < Real{8}) return i0_series(mul(x, x));
  return with_exponential(x, i0_asymptotic(sub(Real{16} / x, Real{1})));
}
template <typename Real>
RADDLE_LIBDEVICE_HELPER Real modified_bessel_one(Real a) {
  const Real x = magnitude(a);
  if (x < Real{8}) return mul(a, i1_series(mul(x, x)));
  return with_sign(with_exponential(x, i1_asymptotic(sub(Real{16} / x, Real{1}))), a);
}

RADDLE_LIBDEVICE double __nv_cyl_bessel_i0(double a) { return modified_bessel_zero(a); }
RADDLE_LIBDEVICE float __nv_cyl_bessel_i0f(float a) { return modified_bessel_zero(a); }
RADDLE_LIBDEVICE double __nv_cyl_bessel_i1(double a) { return modified_bessel_one(a); }
RADDLE_LIBDEVICE float __nv_cyl_bessel_i1f(float a) { return modified_bessel_one(a); }

}  // namespace raddle::libdevice
