// Calls every overload that clang declares for device code; none may be left undefined.
__device__ long t0(long a0) { return abs(a0); }
__device__ long long t1(long long a0) { return abs(a0); }
__device__ double t2(double a0) { return abs(a0); }
__device__ float t3(float a0) { return abs(a0); }
__device__ int t4(int a0) { return abs(a0); }
__device__ double t5(double a0) { return acos(a0); }
__device__ float t6(float a0) { return acos(a0); }
__device__ double t7(double a0) { return acosh(a0); }
__device__ float t8(float a0) { return acosh(a0); }
__device__ double t9(double a0) { return asin(a0); }
__device__ float t10(float a0) { return asin(a0); }
__device__ double t11(double a0) { return asinh(a0); }
__device__ float t12(float a0) { return asinh(a0); }
__device__ double t13(double a0, double a1) { return atan2(a0, a1); }
__device__ float t14(float a0, float a1) { return atan2(a0, a1); }
__device__ double t15(double a0) { return atan(a0); }
__device__ float t16(float a0) { return atan(a0); }
__device__ double t17(double a0) { return atanh(a0); }
__device__ float t18(float a0) { return atanh(a0); }
__device__ double t19(double a0) { return cbrt(a0); }
__device__ float t20(float a0) { return cbrt(a0); }
__device__ double t21(double a0) { return ceil(a0); }
__device__ float t22(float a0) { return ceil(a0); }
__device__ double t23(double a0, double a1) { return copysign(a0, a1); }
__device__ float t24(float a0, float a1) { return copysign(a0, a1); }
__device__ double t25(double a0) { return cos(a0); }
__device__ float t26(float a0) { return cos(a0); }
__device__ double t27(double a0) { return cosh(a0); }
__device__ float t28(float a0) { return cosh(a0); }
__device__ double t29(double a0) { return erfc(a0); }
__device__ float t30(float a0) { return erfc(a0); }
__device__ double t31(double a0) { return erf(a0); }
__device__ float t32(float a0) { return erf(a0); }
__device__ double t33(double a0) { return exp2(a0); }
__device__ float t34(float a0) { return exp2(a0); }
__device__ double t35(double a0) { return exp(a0); }
__device__ float t36(float a0) { return exp(a0); }
__device__ double t37(double a0) { return expm1(a0); }
__device__ float t38(float a0) { return expm1(a0); }
__device__ double t39(double a0) { return fabs(a0); }
__device__ float t40(float a0) { return fabs(a0); }
__device__ double t41(double a0, double a1) { return fdim(a0, a1); }
__device__ float t42(float a0, float a1) { return fdim(a0, a1); }
__device__ double t43(double a0) { return floor(a0); }
__device__ float t44(float a0) { return floor(a0); }
__device__ double t45(double a0, double a1, double a2) { return fma(a0, a1, a2); }
__device__ float t46(float a0, float a1, float a2) { return fma(a0, a1, a2); }
__device__ double t47(double a0, double a1) { return fmax(a0, a1); }
__device__ float t48(float a0, float a1) { return fmax(a0, a1); }
__device__ double t49(double a0, double a1) { return fmin(a0, a1); }
__device__ float t50(float a0, float a1) { return fmin(a0, a1); }
__device__ double t51(double a0, double a1) { return fmod(a0, a1); }
__device__ float t52(float a0, float a1) { return fmod(a0, a1); }
__device__ int t53(double a0) { return fpclassify(a0); }
__device__ int t54(float a0) { return fpclassify(a0); }
__device__ double t55(double a0, int* a1) { return frexp(a0, a1); }
__device__ float t56(float a0, int* a1) { return frexp(a0, a1); }
__device__ double t57(double a0, double a1) { return hypot(a0, a1); }
__device__ float t58(float a0, float a1) { return hypot(a0, a1); }
__device__ int t59(double a0) { return ilogb(a0); }
__device__ int t60(float a0) { return ilogb(a0); }
__device__ bool t61(long double a0) { return isfinite(a0); }
__device__ bool t62(double a0) { return isfinite(a0); }
__device__ bool t63(float a0) { return isfinite(a0); }
__device__ bool t64(double a0, double a1) { return isgreater(a0, a1); }
__device__ bool t65(double a0, double a1) { return isgreaterequal(a0, a1); }
__device__ bool t66(float a0, float a1) { return isgreaterequal(a0, a1); }
__device__ bool t67(float a0, float a1) { return isgreater(a0, a1); }
__device__ bool t68(long double a0) { return isinf(a0); }
__device__ bool t69(double a0) { return isinf(a0); }
__device__ bool t70(float a0) { return isinf(a0); }
__device__ bool t71(double a0, double a1) { return isless(a0, a1); }
__device__ bool t72(double a0, double a1) { return islessequal(a0, a1); }
__device__ bool t73(float a0, float a1) { return islessequal(a0, a1); }
__device__ bool t74(float a0, float a1) { return isless(a0, a1); }
__device__ bool t75(double a0, double a1) { return islessgreater(a0, a1); }
__device__ bool t76(float a0, float a1) { return islessgreater(a0, a1); }
__device__ bool t77(long double a0) { return isnan(a0); }
__device__ bool t78(double a0) { return isnan(a0); }
__device__ bool t79(float a0) { return isnan(a0); }
__device__ bool t80(double a0) { return isnormal(a0); }
__device__ bool t81(float a0) { return isnormal(a0); }
__device__ bool t82(double a0, double a1) { return isunordered(a0, a1); }
__device__ bool t83(float a0, float a1) { return isunordered(a0, a1); }
__device__ long t84(long a0) { return labs(a0); }
__device__ double t85(double a0, int a1) { return ldexp(a0, a1); }
__device__ float t86(float a0, int a1) { return ldexp(a0, a1); }
__device__ double t87(double a0) { return lgamma(a0); }
__device__ float t88(float a0) { return lgamma(a0); }
__device__ long long t89(long long a0) { return llabs(a0); }
__device__ long long t90(double a0) { return llrint(a0); }
__device__ long long t91(float a0) { return llrint(a0); }
__device__ double t92(double a0) { return log10(a0); }
__device__ float t93(float a0) { return log10(a0); }
__device__ double t94(double a0) { return log1p(a0); }
__device__ float t95(float a0) { return log1p(a0); }
__device__ double t96(double a0) { return log2(a0); }
__device__ float t97(float a0) { return log2(a0); }
__device__ double t98(double a0) { return logb(a0); }
__device__ float t99(float a0) { return logb(a0); }
__device__ double t100(double a0) { return log(a0); }
__device__ float t101(float a0) { return log(a0); }
__device__ long t102(double a0) { return lrint(a0); }
__device__ long t103(float a0) { return lrint(a0); }
__device__ long t104(double a0) { return lround(a0); }
__device__ long t105(float a0) { return lround(a0); }
__device__ long long t106(float a0) { return llround(a0); }
__device__ double t107(double a0, double* a1) { return modf(a0, a1); }
__device__ float t108(float a0, float* a1) { return modf(a0, a1); }
__device__ double t109(const char* a0) { return nan(a0); }
__device__ float t110(const char* a0) { return nanf(a0); }
__device__ double t111(double a0) { return nearbyint(a0); }
__device__ float t112(float a0) { return nearbyint(a0); }
__device__ double t113(double a0, double a1) { return nextafter(a0, a1); }
__device__ float t114(float a0, float a1) { return nextafter(a0, a1); }
__device__ double t115(double a0, double a1) { return pow(a0, a1); }
__device__ double t116(double a0, int a1) { return pow(a0, a1); }
__device__ float t117(float a0, float a1) { return pow(a0, a1); }
__device__ float t118(float a0, int a1) { return pow(a0, a1); }
__device__ double t119(double a0, double a1) { return remainder(a0, a1); }
__device__ float t120(float a0, float a1) { return remainder(a0, a1); }
__device__ double t121(double a0, double a1, int* a2) { return remquo(a0, a1, a2); }
__device__ float t122(float a0, float a1, int* a2) { return remquo(a0, a1, a2); }
__device__ double t123(double a0) { return rint(a0); }
__device__ float t124(float a0) { return rint(a0); }
__device__ double t125(double a0) { return round(a0); }
__device__ float t126(float a0) { return round(a0); }
__device__ double t127(double a0, long a1) { return scalbln(a0, a1); }
__device__ float t128(float a0, long a1) { return scalbln(a0, a1); }
__device__ double t129(double a0, int a1) { return scalbn(a0, a1); }
__device__ float t130(float a0, int a1) { return scalbn(a0, a1); }
__device__ bool t131(long double a0) { return signbit(a0); }
__device__ bool t132(double a0) { return signbit(a0); }
__device__ bool t133(float a0) { return signbit(a0); }
__device__ double t134(double a0) { return sin(a0); }
__device__ float t135(float a0) { return sin(a0); }
__device__ double t136(double a0) { return sinh(a0); }
__device__ float t137(float a0) { return sinh(a0); }
__device__ double t138(double a0) { return sqrt(a0); }
__device__ float t139(float a0) { return sqrt(a0); }
__device__ double t140(double a0) { return tan(a0); }
__device__ float t141(float a0) { return tan(a0); }
__device__ double t142(double a0) { return tanh(a0); }
__device__ float t143(float a0) { return tanh(a0); }
__device__ double t144(double a0) { return tgamma(a0); }
__device__ float t145(float a0) { return tgamma(a0); }
__device__ double t146(double a0) { return trunc(a0); }
__device__ float t147(float a0) { return trunc(a0); }
