// What device code can ask of the system: printf, assert, malloc, free.
#ifndef RADDLE_CUDA_DEVICE_SYSTEM_CALLS_H
#define RADDLE_CUDA_DEVICE_SYSTEM_CALLS_H

#include <stddef.h>

extern "C" {
__attribute__((device)) int vprintf(const char* format, const char* arguments);
__attribute__((device)) void free(void* pointer) __attribute__((nothrow));
__attribute__((device)) void* malloc(size_t size) __attribute__((nothrow, malloc));
__attribute__((device)) void __assertfail(const char* message, const char* file, unsigned line,
                                          const char* function, size_t character_size);
// clang turns it into vprintf with the arguments packed into a buffer.
__attribute__((device)) int printf(const char* format, ...);

// What <assert.h> calls.
__attribute__((device, nodebug)) static inline void __assert_fail(const char* message,
                                                                  const char* file, unsigned line,
                                                                  const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__attribute__((device, always_inline, nodebug)) static inline void free(void* pointer) {
  ::free(pointer);
}
__attribute__((device, always_inline, nodebug)) static inline void* malloc(size_t size) {
  return ::malloc(size);
}
}  // namespace std

#endif
