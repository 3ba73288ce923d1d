// 8-bit floats: all 256 patterns of both formats to half and float, and all 65,536 halves to both formats, saturated or not. The host looks for
// the nearest number among all of a format.
#include <cuda_fp8.h>

#include "check.h"

// The number that a pattern stands for, by the formats' definition.
static double value_of(int pattern, bool e4m3) {
  const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const int magnitude = pattern & 0x7f, exponent = magnitude >> fraction_bits, fraction = magnitude & ((1 << fraction_bits) - 1);
  const double sign = (pattern & 0x80) != 0 ? -1 : 1;
  if (e4m3 ? magnitude == 0x7f : magnitude > 0x7c) return NAN;
  if (!e4m3 && magnitude == 0x7c) return sign * INFINITY;
  return sign * (exponent == 0 ? ldexp(fraction, 1 - bias - fraction_bits) : ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits));
}

static int nearest(double x, bool e4m3, bool saturate) {
  if (isnan(x)) return 0x7f;
  const int sign = signbit(x) ? 0x80 : 0, largest = e4m3 ? 0x7e : 0x7b;
  const int beyond = saturate ? largest : e4m3 ? 0x7f : 0x7c;
  const double m = fabs(x);
  for (int p = 0; p < largest; ++p) {
    const double low = value_of(p, e4m3), high = value_of(p + 1, e4m3);
    if (m > high) continue;
    if (m - low == high - m) return sign | (p % 2 == 0 ? p : p + 1);
    return sign | (m - low < high - m ? p : p + 1);
  }
  const double last = value_of(largest, e4m3), step = last - value_of(largest - 1, e4m3);
  const bool rounds_down = m - last < step / 2 || (m - last == step / 2 && largest % 2 == 0);
  return sign | (rounds_down ? largest : beyond);
}

struct ToHalf {
  unsigned short half[2];
  float value[2];
  int integer[2];
};
__global__ void from_fp8(ToHalf* out) {
  const int i = threadIdx.x;
  out[i].half[0] = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, __NV_E4M3).x;
  out[i].half[1] = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, __NV_E5M2).x;
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = (__nv_fp8_storage_t)i;
  out[i].value[0] = (float)a;
  out[i].value[1] = (float)b;
  out[i].integer[0] = (int)a;
  out[i].integer[1] = (int)b;
}

__global__ void to_fp8(uchar4* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __half_raw h;
  h.x = (unsigned short)i;
  out[i] = make_uchar4(__nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E4M3), __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E4M3),
                       __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, __NV_E5M2), __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2));
}

__global__ void vectors(float4 in, __nv_fp8x4_e4m3* four, __nv_fp8x2_e5m2* two, __nv_fp8_e4m3* one, float4* back) {
  *four = __nv_fp8x4_e4m3(in);
  *two = __nv_fp8x2_e5m2(make_float2(in.x, in.y));
  *one = __nv_fp8_e4m3(__float2bfloat16(in.z));
  *back = (float4)*four;
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

int main() {
  ToHalf* halves = managed<ToHalf>(256);
  from_fp8<<<1, 256>>>(halves);
  CHECK_LAUNCH();
  for (int i = 0; i < 256; ++i) {
    for (int f = 0; f < 2; ++f) {
      const double wanted = value_of(i, f == 0);
      __half_raw raw;
      raw.x = halves[i].half[f];
      const float got = __half2float(__half(raw));
      CHECK(isnan(wanted) ? isnan(got) : got == wanted && signbit(got) == signbit(wanted));
      CHECK(isnan(wanted) ? isnan(halves[i].value[f]) : halves[i].value[f] == wanted);
      if (!isnan(wanted) && !isinf(wanted)) CHECK_EQUAL_AT(i, halves[i].integer[f], (int)wanted);
    }
  }
  uchar4* bytes = managed<uchar4>(65536);
  to_fp8<<<256, 256>>>(bytes);
  CHECK_LAUNCH();
  for (int i = 0; i < 65536; ++i) {
    __half_raw raw;
    raw.x = (unsigned short)i;
    const double x = __half2float(__half(raw));
    CHECK_EQUAL_AT(i, (int)bytes[i].x, nearest(x, true, false));
    CHECK_EQUAL_AT(i, (int)bytes[i].y, nearest(x, true, true));
    CHECK_EQUAL_AT(i, (int)bytes[i].z, nearest(x, false, false));
    CHECK_EQUAL_AT(i, (int)bytes[i].w, nearest(x, false, true));
  }
  __nv_fp8x4_e4m3* four = managed<__nv_fp8x4_e4m3>(1);
  __nv_fp8x2_e5m2* two = managed<__nv_fp8x2_e5m2>(1);
  __nv_fp8_e4m3* one = managed<__nv_fp8_e4m3>(1);
  float4* back = managed<float4>(1);
  const float4 in = make_float4(1.3f, -700.0f, 0.011f, 17.5f);
  vectors<<<1, 1>>>(in, four, two, one, back);
  CHECK_LAUNCH();
  const float parts[] = {in.x, in.y, in.z, in.w}, *returned = &back->x;
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL_AT(i, (int)(four->__x >> (8 * i) & 0xff), nearest(parts[i], true, true));
    CHECK_EQUAL_AT(i, (double)returned[i], value_of(nearest(parts[i], true, true), true));
  }
  CHECK_EQUAL_AT(0, (int)two->__x, nearest(in.y, false, true) << 8 | nearest(in.x, false, true));
  CHECK_EQUAL_AT(0, (int)one->__x, nearest(__bfloat162float(__float2bfloat16(in.z)), true, true));
  return all_ok();
}
