// Conversions between the number types with the rounding mode in their names, and reinterpretations
// of their bits. Conversions to integers saturate and send NaN to the value that PTX's cvt
// prescribes.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE int __nv_float2int_rn(float a) { return to_int_rn(a); }
RADDLE_LIBDEVICE int __nv_float2int_rz(float a) { return to_int_rz(a); }
RADDLE_LIBDEVICE int __nv_float2int_rd(float a) { return to_int_rd(a); }
RADDLE_LIBDEVICE int __nv_float2int_ru(float a) { return to_int_ru(a); }

RADDLE_LIBDEVICE unsigned int __nv_float2uint_rn(float a) { return to_uint_rn(a); }
RADDLE_LIBDEVICE unsigned int __nv_float2uint_rz(float a) { return to_uint_rz(a); }
RADDLE_LIBDEVICE unsigned int __nv_float2uint_rd(float a) { return to_uint_rd(a); }
RADDLE_LIBDEVICE unsigned int __nv_float2uint_ru(float a) { return to_uint_ru(a); }

RADDLE_LIBDEVICE long long __nv_float2ll_rn(float a) { return to_longlong_rn(a); }
RADDLE_LIBDEVICE long long __nv_float2ll_rz(float a) { return to_longlong_rz(a); }
RADDLE_LIBDEVICE long long __nv_float2ll_rd(float a) { return to_longlong_rd(a); }
RADDLE_LIBDEVICE long long __nv_float2ll_ru(float a) { return to_longlong_ru(a); }

RADDLE_LIBDEVICE unsigned long long __nv_float2ull_rn(float a) { return to_ulonglong_rn(a); }
RADDLE_LIBDEVICE unsigned long long __nv_float2ull_rz(float a) { return to_ulonglong_rz(a); }
RADDLE_LIBDEVICE unsigned long long __nv_float2ull_rd(float a) { return to_ulonglong_rd(a); }
RADDLE_LIBDEVICE unsigned long long __nv_float2ull_ru(float a) { return to_ulonglong_ru(a); }

RADDLE_LIBDEVICE int __nv_double2int_rn(double a) { return to_int_rn(a); }
RADDLE_LIBDEVICE int __nv_double2int_rz(double a) { return to_int_rz(a); }
RADDLE_LIBDEVICE int __nv_double2int_rd(double a) { return to_int_rd(a); }
RADDLE_LIBDEVICE int __nv_double2int_ru(double a) { return to_int_ru(a); }

RADDLE_LIBDEVICE unsigned int __nv_double2uint_rn(double a) { return to_uint_rn(a); }
RADDLE_LIBDEVICE unsigned int __nv_double2uint_rz(double a) { return to_uint_rz(a); }
RADDLE_LIBDEVICE unsigned int __nv_double2uint_rd(double a) { return to_uint_rd(a); }
RADDLE_LIBDEVICE unsigned int __nv_double2uint_ru(double a) { return to_uint_ru(a); }

RADDLE_LIBDEVICE long long __nv_double2ll_rn(double a) { return to_longlong_rn(a); }
RADDLE_LIBDEVICE long long __nv_double2ll_rz(double a) { return to_longlong_rz(a); }
RADDLE_LIBDEVICE long long __nv_double2ll_rd(double a) { return to_longlong_rd(a); }
RADDLE_LIBDEVICE long long __nv_double2ll_ru(double a) { return to_longlong_ru(a); }

RADDLE_LIBDEVICE unsigned long long __nv_double2ull_rn(double a) { return to_ulonglong_rn(a); }
RADDLE_LIBDEVICE unsigned long long __nv_double2ull_rz(double a) { return to_ulonglong_rz(a); }
RADDLE_LIBDEVICE unsigned long long __nv_double2ull_rd(double a) { return to_ulonglong_rd(a); }
RADDLE_LIBDEVICE unsigned long long __nv_double2ull_ru(double a) { return to_ulonglong_ru(a); }

RADDLE_LIBDEVICE float __nv_int2float_rn(int a) { return to_float_rn(a); }
RADDLE_LIBDEVICE float __nv_int2float_rz(int a) { return to_float_rz(a); }
RADDLE_LIBDEVICE float __nv_int2float_rd(int a) { return to_float_rd(a); }
RADDLE_LIBDEVICE float __nv_int2float_ru(int a) { return to_float_ru(a); }

RADDLE_LIBDEVICE float __nv_uint2float_rn(unsigned int a) { return to_float_rn(a); }
RADDLE_LIBDEVICE float __nv_uint2float_rz(unsigned int a) { return to_float_rz(a); }
RADDLE_LIBDEVICE float __nv_uint2float_rd(unsigned int a) { return to_float_rd(a); }
RADDLE_LIBDEVICE float __nv_uint2float_ru(unsigned int a) { return to_float_ru(a); }

RADDLE_LIBDEVICE float __nv_ll2float_rn(long long a) { return to_float_rn(a); }
RADDLE_LIBDEVICE float __nv_ll2float_rz(long long a) { return to_float_rz(a); }
RADDLE_LIBDEVICE float __nv_ll2float_rd(long long a) { return to_float_rd(a); }
RADDLE_LIBDEVICE float __nv_ll2float_ru(long long a) { return to_float_ru(a); }

RADDLE_LIBDEVICE float __nv_ull2float_rn(unsigned long long a) { return to_float_rn(a); }
RADDLE_LIBDEVICE float __nv_ull2float_rz(unsigned long long a) { return to_float_rz(a); }
RADDLE_LIBDEVICE float __nv_ull2float_rd(unsigned long long a) { return to_float_rd(a); }
RADDLE_LIBDEVICE float __nv_ull2float_ru(unsigned long long a) { return to_float_ru(a); }

RADDLE_LIBDEVICE double __nv_int2double_rn(int a) { return to_double_rn(a); }
RADDLE_LIBDEVICE double __nv_uint2double_rn(unsigned int a) { return to_double_rn(a); }

RADDLE_LIBDEVICE double __nv_ll2double_rn(long long a) { return to_double_rn(a); }
RADDLE_LIBDEVICE double __nv_ll2double_rz(long long a) { return to_double_rz(a); }
RADDLE_LIBDEVICE double __nv_ll2double_rd(long long a) { return to_double_rd(a); }
RADDLE_LIBDEVICE double __nv_ll2double_ru(long long a) { return to_double_ru(a); }

RADDLE_LIBDEVICE double __nv_ull2double_rn(unsigned long long a) { return to_double_rn(a); }
RADDLE_LIBDEVICE double __nv_ull2double_rz(unsigned long long a) { return to_double_rz(a); }
RADDLE_LIBDEVICE double __nv_ull2double_rd(unsigned long long a) { return to_double_rd(a); }
RADDLE_LIBDEVICE double __nv_ull2double_ru(unsigned long long a) { return to_double_ru(a); }

RADDLE_LIBDEVICE float __nv_double2float_rn(double a) { return to_float_rn(a); }
RADDLE_LIBDEVICE float __nv_double2float_rz(double a) { return to_float_rz(a); }
RADDLE_LIBDEVICE float __nv_double2float_rd(double a) { return to_float_rd(a); }
RADDLE_LIBDEVICE float __nv_double2float_ru(double a) { return to_float_ru(a); }

RADDLE_LIBDEVICE unsigned short __nv_float2half_rn(float a) { return to_half_rn(a); }
RADDLE_LIBDEVICE float __nv_half2float(unsigned short a) { return from_half(a); }

RADDLE_LIBDEVICE int __nv_float_as_int(float a) { return static_cast<int>(bits_of(a)); }
RADDLE_LIBDEVICE unsigned int __nv_float_as_uint(float a) { return bits_of(a); }
RADDLE_LIBDEVICE float __nv_int_as_float(int a) {
  return float_from_bits(static_cast<unsigned int>(a));
}
RADDLE_LIBDEVICE float __nv_uint_as_float(unsigned int a) { return float_from_bits(a); }
RADDLE_LIBDEVICE unsigned long long __nv_double_as_longlong(double a) { return bits_of(a); }
RADDLE_LIBDEVICE double __nv_longlong_as_double(long long a) {
  return double_from_bits(static_cast<unsigned long long>(a));
}
RADDLE_LIBDEVICE int __nv_double2hiint(double a) { return static_cast<int>(bits_of(a) >> 32); }
RADDLE_LIBDEVICE int __nv_double2loint(double a) { return static_cast<int>(bits_of(a)); }
RADDLE_LIBDEVICE double __nv_hiloint2double(int high, int low) {
  return double_from_bits(static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
                          static_cast<unsigned int>(low));
}

}  // namespace raddle::libdevice
