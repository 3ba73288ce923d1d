// make_int2() and its like, for both sides.
#ifndef RADDLE_CUDA_VECTOR_FUNCTIONS_H
#define RADDLE_CUDA_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__  // programs test for it

#include "vector_types.h"

__RADDLE_HOST_DEVICE__ char1 make_char1(signed char x) {
  char1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ char2 make_char2(signed char x, signed char y) {
  char2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ char3 make_char3(signed char x, signed char y, signed char z) {
  char3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ char4 make_char4(signed char x, signed char y, signed char z,
                                        signed char w) {
  char4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ uchar1 make_uchar1(unsigned char x) {
  uchar1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ uchar2 make_uchar2(unsigned char x, unsigned char y) {
  uchar2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) {
  uchar3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z,
                                          unsigned char w) {
  uchar4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ short1 make_short1(short x) {
  short1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ short2 make_short2(short x, short y) {
  short2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ short3 make_short3(short x, short y, short z) {
  short3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ short4 make_short4(short x, short y, short z, short w) {
  short4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ ushort1 make_ushort1(unsigned short x) {
  ushort1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ ushort2 make_ushort2(unsigned short x, unsigned short y) {
  ushort2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) {
  ushort3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z,
                                            unsigned short w) {
  ushort4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ int1 make_int1(int x) {
  int1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ int2 make_int2(int x, int y) {
  int2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ int3 make_int3(int x, int y, int z) {
  int3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ int4 make_int4(int x, int y, int z, int w) {
  int4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ uint1 make_uint1(unsigned int x) {
  uint1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ uint2 make_uint2(unsigned int x, unsigned int y) {
  uint2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) {
  uint3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z,
                                        unsigned int w) {
  uint4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ long1 make_long1(long int x) {
  long1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ long2 make_long2(long int x, long int y) {
  long2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ long3 make_long3(long int x, long int y, long int z) {
  long3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ long4 make_long4(long int x, long int y, long int z, long int w) {
  long4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ ulong1 make_ulong1(unsigned long int x) {
  ulong1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ ulong2 make_ulong2(unsigned long int x, unsigned long int y) {
  ulong2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ ulong3 make_ulong3(unsigned long int x, unsigned long int y,
                                          unsigned long int z) {
  ulong3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ ulong4 make_ulong4(unsigned long int x, unsigned long int y,
                                          unsigned long int z, unsigned long int w) {
  ulong4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ longlong1 make_longlong1(long long int x) {
  longlong1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ longlong2 make_longlong2(long long int x, long long int y) {
  longlong2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ longlong3 make_longlong3(long long int x, long long int y, long long int z) {
  longlong3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ longlong4 make_longlong4(long long int x, long long int y, long long int z,
                                                long long int w) {
  longlong4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ ulonglong1 make_ulonglong1(unsigned long long int x) {
  ulonglong1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ ulonglong2 make_ulonglong2(unsigned long long int x,
                                                  unsigned long long int y) {
  ulonglong2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ ulonglong3 make_ulonglong3(unsigned long long int x,
                                                  unsigned long long int y,
                                                  unsigned long long int z) {
  ulonglong3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ ulonglong4 make_ulonglong4(unsigned long long int x,
                                                  unsigned long long int y,
                                                  unsigned long long int z,
                                                  unsigned long long int w) {
  ulonglong4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ float1 make_float1(float x) {
  float1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ float2 make_float2(float x, float y) {
  float2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ float3 make_float3(float x, float y, float z) {
  float3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ float4 make_float4(float x, float y, float z, float w) {
  float4 result = {x, y, z, w};
  return result;
}
__RADDLE_HOST_DEVICE__ double1 make_double1(double x) {
  double1 result = {x};
  return result;
}
__RADDLE_HOST_DEVICE__ double2 make_double2(double x, double y) {
  double2 result = {x, y};
  return result;
}
__RADDLE_HOST_DEVICE__ double3 make_double3(double x, double y, double z) {
  double3 result = {x, y, z};
  return result;
}
__RADDLE_HOST_DEVICE__ double4 make_double4(double x, double y, double z, double w) {
  double4 result = {x, y, z, w};
  return result;
}

#endif
