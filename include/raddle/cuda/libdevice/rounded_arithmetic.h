// Arithmetic with the rounding mode in its name (CUDA's __fadd_rz, __ddiv_ru, __fma_rd ...): each
// function is one PTX instruction and is never contracted with its neighbours.
#pragma once

#include "primitives.h"

namespace raddle::libdevice {

RADDLE_LIBDEVICE float __nv_fadd_rn(float a, float b) { return add_rn(a, b); }
RADDLE_LIBDEVICE float __nv_fadd_rz(float a, float b) { return add_rz(a, b); }
RADDLE_LIBDEVICE float __nv_fadd_rd(float a, float b) { return add_rd(a, b); }
RADDLE_LIBDEVICE float __nv_fadd_ru(float a, float b) { return add_ru(a, b); }

RADDLE_LIBDEVICE float __nv_fsub_rn(float a, float b) { return sub_rn(a, b); }
RADDLE_LIBDEVICE float __nv_fsub_rz(float a, float b) { return sub_rz(a, b); }
RADDLE_LIBDEVICE float __nv_fsub_rd(float a, float b) { return sub_rd(a, b); }
RADDLE_LIBDEVICE float __nv_fsub_ru(float a, float b) { return sub_ru(a, b); }

RADDLE_LIBDEVICE float __nv_fmul_rn(float a, float b) { return mul_rn(a, b); }
RADDLE_LIBDEVICE float __nv_fmul_rz(float a, float b) { return mul_rz(a, b); }
RADDLE_LIBDEVICE float __nv_fmul_rd(float a, float b) { return mul_rd(a, b); }
RADDLE_LIBDEVICE float __nv_fmul_ru(float a, float b) { return mul_ru(a, b); }

RADDLE_LIBDEVICE float __nv_fdiv_rn(float a, float b) { return div_rn(a, b); }
RADDLE_LIBDEVICE float __nv_fdiv_rz(float a, float b) { return div_rz(a, b); }
RADDLE_LIBDEVICE float __nv_fdiv_rd(float a, float b) { return div_rd(a, b); }
RADDLE_LIBDEVICE float __nv_fdiv_ru(float a, float b) { return div_ru(a, b); }

RADDLE_LIBDEVICE float __nv_frcp_rn(float a) { return rcp_rn(a); }
RADDLE_LIBDEVICE float __nv_frcp_rz(float a) { return rcp_rz(a); }
RADDLE_LIBDEVICE float __nv_frcp_rd(float a) { return rcp_rd(a); }
RADDLE_LIBDEVICE float __nv_frcp_ru(float a) { return rcp_ru(a); }

RADDLE_LIBDEVICE float __nv_fsqrt_rn(float a) { return sqrt_rn(a); }
RADDLE_LIBDEVICE float __nv_fsqrt_rz(float a) { return sqrt_rz(a); }
RADDLE_LIBDEVICE float __nv_fsqrt_rd(float a) { return sqrt_rd(a); }
RADDLE_LIBDEVICE float __nv_fsqrt_ru(float a) { return sqrt_ru(a); }

RADDLE_LIBDEVICE double __nv_dadd_rn(double a, double b) { return add_rn(a, b); }
RADDLE_LIBDEVICE double __nv_dadd_rz(double a, double b) { return add_rz(a, b); }
RADDLE_LIBDEVICE double __nv_dadd_rd(double a, double b) { return add_rd(a, b); }
RADDLE_LIBDEVICE double __nv_dadd_ru(double a, double b) { return add_ru(a, b); }

RADDLE_LIBDEVICE double __nv_dsub_rn(double a, double b) { return sub_rn(a, b); }
RADDLE_LIBDEVICE double __nv_dsub_rz(double a, double b) { return sub_rz(a, b); }
RADDLE_LIBDEVICE double __nv_dsub_rd(double a, double b) { return sub_rd(a, b); }
RADDLE_LIBDEVICE double __nv_dsub_ru(double a, double b) { return sub_ru(a, b); }

RADDLE_LIBDEVICE double __nv_dmul_rn(double a, double b) { return mul_rn(a, b); }
RADDLE_LIBDEVICE double __nv_dmul_rz(double a, double b) { return mul_rz(a, b); }
RADDLE_LIBDEVICE double __nv_dmul_rd(double a, double b) { return mul_rd(a, b); }
RADDLE_LIBDEVICE double __nv_dmul_ru(double a, double b) { return mul_ru(a, b); }

RADDLE_LIBDEVICE double __nv_ddiv_rn(double a, double b) { return div_rn(a, b); }
RADDLE_LIBDEVICE double __nv_ddiv_rz(double a, double b) { return div_rz(a, b); }
RADDLE_LIBDEVICE double __nv_ddiv_rd(double a, double b) { return div_rd(a, b); }
RADDLE_LIBDEVICE double __nv_ddiv_ru(double a, double b) { return div_ru(a, b); }

RADDLE_LIBDEVICE double __nv_drcp_rn(double a) { return rcp_rn(a); }
RADDLE_LIBDEVICE double __nv_drcp_rz(double a) { return rcp_rz(a); }
RADDLE_LIBDEVICE double __nv_drcp_rd(double a) { return rcp_rd(a); }
RADDLE_LIBDEVICE double __nv_drcp_ru(double a) { return rcp_ru(a); }

RADDLE_LIBDEVICE double __nv_dsqrt_rn(double a) { return sqrt_rn(a); }
RADDLE_LIBDEVICE double __nv_dsqrt_rz(double a) { return sqrt_rz(a); }
RADDLE_LIBDEVICE double __nv_dsqrt_rd(double a) { return sqrt_rd(a); }
RADDLE_LIBDEVICE double __nv_dsqrt_ru(double a) { return sqrt_ru(a); }

RADDLE_LIBDEVICE double __nv_fma(double a, double b, double c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE double __nv_fma_rn(double a, double b, double c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE double __nv_fma_rz(double a, double b, double c) { return fma_rz(a, b, c); }
RADDLE_LIBDEVICE double __nv_fma_rd(double a, double b, double c) { return fma_rd(a, b, c); }
RADDLE_LIBDEVICE double __nv_fma_ru(double a, double b, double c) { return fma_ru(a, b, c); }

RADDLE_LIBDEVICE float __nv_fmaf(float a, float b, float c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_rn(float a, float b, float c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_rz(float a, float b, float c) { return fma_rz(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_rd(float a, float b, float c) { return fma_rd(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_ru(float a, float b, float c) { return fma_ru(a, b, c); }

// These promise denormals even where the caller flushes them; the primitives never flush.
RADDLE_LIBDEVICE float __nv_fmaf_ieee_rn(float a, float b, float c) { return fma_rn(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_ieee_rz(float a, float b, float c) { return fma_rz(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_ieee_rd(float a, float b, float c) { return fma_rd(a, b, c); }
RADDLE_LIBDEVICE float __nv_fmaf_ieee_ru(float a, float b, float c) { return fma_ru(a, b, c); }

RADDLE_LIBDEVICE double __nv_rcp64h(double a) { return rcp_approx_ftz(a); }

}  // namespace raddle::libdevice
