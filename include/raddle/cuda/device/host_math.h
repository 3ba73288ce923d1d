// CUDA's own mathematical functions, for host code: C libraries do not have them. Valid C and C++;
// plain double arithmetic with the C library's functions underneath.
#ifndef RADDLE_CUDA_DEVICE_HOST_MATH_H
#define RADDLE_CUDA_DEVICE_HOST_MATH_H

#include <math.h>

#if defined(__CUDA__) && defined(__clang__)
#define RADDLE_HOST static __inline__ __attribute__((host, nodebug, unused))
#else
#define RADDLE_HOST static __inline__ __attribute__((unused))
#endif

RADDLE_HOST double rsqrt(double x) { return 1.0 / sqrt(x); }
RADDLE_HOST float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
RADDLE_HOST double rcbrt(double x) { return 1.0 / cbrt(x); }
RADDLE_HOST float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
RADDLE_HOST double fdivide(double x, double y) { return x / y; }
RADDLE_HOST float fdividef(float x, float y) { return x / y; }

// The argument is reduced to one period before it meets pi, so that whole and half numbers come out
// exact.
RADDLE_HOST void sincospi(double x, double* sine, double* cosine) {
  const double pi = 3.14159265358979323846;
  const double reduced = fmod(x, 2.0);
  const double quarter = rint(reduced * 2.0);
  const double angle = (reduced - quarter * 0.5) * pi;
  const double s = sin(angle);
  const double c = cos(angle);
  switch (((int)quarter % 4 + 4) % 4) {
    case 0:
      *sine = s;
      *cosine = c;
      break;
    case 1:
      *sine = c;
      *cosine = -s;
      break;
    case 2:
      *sine = -s;
      *cosine = -c;
      break;
    default:
      *sine = -c;
      *cosine = s;
      break;
  }
  if (x == rint(x)) *sine = copysign(0.0, x);
}
RADDLE_HOST double sinpi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return sine;
}
RADDLE_HOST double cospi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return cosine;
}
RADDLE_HOST float sinpif(float x) { return (float)sinpi((double)x); }
RADDLE_HOST float cospif(float x) { return (float)cospi((double)x); }
RADDLE_HOST void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

RADDLE_HOST double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
RADDLE_HOST float normcdff(float x) { return (float)normcdf((double)x); }

// Newton's iteration on erfc from Giles' starting value; erfc keeps its relative accuracy in the
// tail.
RADDLE_HOST double erfcinv(double x) {
  const double two_over_root_pi = 1.12837916709551257390;
  double p, t, r;
  int i;
  if (!(x >= 0.0 && x <= 2.0)) return NAN;
  if (x == 0.0) return HUGE_VAL;
  if (x == 2.0) return -HUGE_VAL;
  p = x < 1.0 ? x : 2.0 - x;
  t = sqrt(-2.0 * log(p * 0.5));
  r = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
  for (i = 0; i < 4; ++i) {
    const double slope = two_over_root_pi * exp(-r * r);
    const double error = erfc(r) - p;
    if (slope == 0.0) break;
    r += error / (slope - r * error);
  }
  return x < 1.0 ? r : -r;
}
RADDLE_HOST double erfinv(double x) {
  const double two_over_root_pi = 1.12837916709551257390;
  double r;
  int i;
  if (fabs(x) >= 0.5) return x > 0 ? erfcinv(1.0 - x) : -erfcinv(1.0 + x);
  r = x * 0.88622692545275801365;
  for (i = 0; i < 6; ++i) r -= (erf(r) - x) / (two_over_root_pi * exp(-r * r));
  return r;
}
RADDLE_HOST double normcdfinv(double x) { return -1.41421356237309504880 * erfcinv(2.0 * x); }
// exp(x*x) overflows long before the product does: beyond 26 the asymptotic series has converged.
RADDLE_HOST double erfcx(double x) {
  const double inverse = 1.0 / (x * x);
  if (x < 25.0) return exp(x * x) * erfc(x);
  return 0.56418958354775628695 / x *
         (1.0 - inverse * (0.5 - inverse * (0.75 - inverse * (1.875 - inverse * 6.5625))));
}
RADDLE_HOST float erfinvf(float x) { return (float)erfinv((double)x); }
RADDLE_HOST float erfcinvf(float x) { return (float)erfcinv((double)x); }
RADDLE_HOST float normcdfinvf(float x) { return (float)normcdfinv((double)x); }
RADDLE_HOST float erfcxf(float x) { return (float)erfcx((double)x); }

RADDLE_HOST double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
RADDLE_HOST float rhypotf(float x, float y) { return (float)(1.0 / hypot((double)x, (double)y)); }
RADDLE_HOST double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
RADDLE_HOST float norm3df(float x, float y, float z) {
  return (float)norm3d((double)x, (double)y, (double)z);
}
RADDLE_HOST double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
RADDLE_HOST float rnorm3df(float x, float y, float z) {
  return (float)rnorm3d((double)x, (double)y, (double)z);
}
RADDLE_HOST double norm4d(double x, double y, double z, double w) {
  return hypot(hypot(x, y), hypot(z, w));
}
RADDLE_HOST float norm4df(float x, float y, float z, float w) {
  return (float)norm4d((double)x, (double)y, (double)z, (double)w);
}

RADDLE_HOST unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
RADDLE_HOST unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
RADDLE_HOST long long llmin(long long a, long long b) { return a < b ? a : b; }
RADDLE_HOST long long llmax(long long a, long long b) { return a > b ? a : b; }
RADDLE_HOST unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
RADDLE_HOST unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

#ifdef __cplusplus
RADDLE_HOST float rsqrt(float x) { return rsqrtf(x); }
RADDLE_HOST float rcbrt(float x) { return rcbrtf(x); }
RADDLE_HOST float sinpi(float x) { return sinpif(x); }
RADDLE_HOST float cospi(float x) { return cospif(x); }
RADDLE_HOST void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
RADDLE_HOST float erfinv(float x) { return erfinvf(x); }
RADDLE_HOST float erfcinv(float x) { return erfcinvf(x); }
RADDLE_HOST float erfcx(float x) { return erfcxf(x); }
RADDLE_HOST float normcdf(float x) { return normcdff(x); }
RADDLE_HOST float normcdfinv(float x) { return normcdfinvf(x); }
RADDLE_HOST float fdivide(float x, float y) { return fdividef(x, y); }
#endif

#undef RADDLE_HOST
#endif
