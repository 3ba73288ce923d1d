// atomicAdd() and its like. Each is one PTX `atom`; the _block and _system forms carry their scope
// where the architecture knows scopes.
#ifndef RADDLE_CUDA_DEVICE_ATOMIC_FUNCTIONS_H
#define RADDLE_CUDA_DEVICE_ATOMIC_FUNCTIONS_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define RADDLE_SCOPED(name, scope) name##scope
#else
#define RADDLE_SCOPED(name, scope) name
#endif

#define RADDLE_ATOMIC(operation, type, prefix)                                    \
  __RADDLE_DEVICE__ type atomic##operation(type* address, type value) {           \
    return __##prefix##Atomic##operation(address, value);                         \
  }                                                                               \
  __RADDLE_DEVICE__ type atomic##operation##_block(type* address, type value) {   \
    return RADDLE_SCOPED(__##prefix##Atomic##operation, _block)(address, value);  \
  }                                                                               \
  __RADDLE_DEVICE__ type atomic##operation##_system(type* address, type value) {  \
    return RADDLE_SCOPED(__##prefix##Atomic##operation, _system)(address, value); \
  }

RADDLE_ATOMIC(Add, int, i)
RADDLE_ATOMIC(Add, unsigned int, u)
RADDLE_ATOMIC(Add, unsigned long long, ull)
RADDLE_ATOMIC(Add, float, f)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
RADDLE_ATOMIC(Add, double, d)
#endif
RADDLE_ATOMIC(Exch, int, i)
RADDLE_ATOMIC(Exch, unsigned int, u)
RADDLE_ATOMIC(Exch, unsigned long long, ull)
RADDLE_ATOMIC(Exch, float, f)
RADDLE_ATOMIC(Min, int, i)
RADDLE_ATOMIC(Min, unsigned int, u)
RADDLE_ATOMIC(Min, unsigned long long, ull)
RADDLE_ATOMIC(Min, long long, ill)
RADDLE_ATOMIC(Max, int, i)
RADDLE_ATOMIC(Max, unsigned int, u)
RADDLE_ATOMIC(Max, unsigned long long, ull)
RADDLE_ATOMIC(Max, long long, ill)
RADDLE_ATOMIC(Inc, unsigned int, u)
RADDLE_ATOMIC(Dec, unsigned int, u)
RADDLE_ATOMIC(And, int, i)
RADDLE_ATOMIC(And, unsigned int, u)
RADDLE_ATOMIC(And, unsigned long long, ull)
RADDLE_ATOMIC(Or, int, i)
RADDLE_ATOMIC(Or, unsigned int, u)
RADDLE_ATOMIC(Or, unsigned long long, ull)
RADDLE_ATOMIC(Xor, int, i)
RADDLE_ATOMIC(Xor, unsigned int, u)
RADDLE_ATOMIC(Xor, unsigned long long, ull)
#undef RADDLE_ATOMIC

// PTX has no atomic subtraction: it adds the negated value.
#define RADDLE_ATOMIC_SUB(type, scope)                                  \
  __RADDLE_DEVICE__ type atomicSub##scope(type* address, type value) {  \
    return atomicAdd##scope(address, (type)(0u - (unsigned int)value)); \
  }
RADDLE_ATOMIC_SUB(int, )
RADDLE_ATOMIC_SUB(unsigned int, )
RADDLE_ATOMIC_SUB(int, _block)
RADDLE_ATOMIC_SUB(unsigned int, _block)
RADDLE_ATOMIC_SUB(int, _system)
RADDLE_ATOMIC_SUB(unsigned int, _system)
#undef RADDLE_ATOMIC_SUB

#define RADDLE_ATOMIC_CAS(type, prefix)                                              \
  __RADDLE_DEVICE__ type atomicCAS(type* address, type compare, type value) {        \
    return __##prefix##AtomicCAS(address, compare, value);                           \
  }                                                                                  \
  __RADDLE_DEVICE__ type atomicCAS_block(type* address, type compare, type value) {  \
    return RADDLE_SCOPED(__##prefix##AtomicCAS, _block)(address, compare, value);    \
  }                                                                                  \
  __RADDLE_DEVICE__ type atomicCAS_system(type* address, type compare, type value) { \
    return RADDLE_SCOPED(__##prefix##AtomicCAS, _system)(address, compare, value);   \
  }
RADDLE_ATOMIC_CAS(int, i)
RADDLE_ATOMIC_CAS(unsigned int, u)
RADDLE_ATOMIC_CAS(unsigned long long, ull)
#undef RADDLE_ATOMIC_CAS
#undef RADDLE_SCOPED

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__RADDLE_DEVICE__ unsigned short atomicCAS(unsigned short* address, unsigned short compare,
                                           unsigned short value) {
  unsigned short old;
  __asm__ __volatile__("atom.cas.b16 %0, [%1], %2, %3;"
                       : "=h"(old)
                       : "l"(address), "h"(compare), "h"(value)
                       : "memory");
  return old;
}
#endif

#endif
