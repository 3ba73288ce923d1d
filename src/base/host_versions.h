// Functions that are compiled once for every x86-64 computer and once more for those of the last
// ten years; the program takes the one that suits its host. For loops over many lanes, where a
// computer that has wider vectors and more bit instructions gains by them. They give the
// same, as no file of this project may contract floating-point operations (-ffp-contract=off).
#pragma once

// Sanitizers cannot stand the functions that choose, as they run before anything else.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RADDLE_ONE_HOST_VERSION
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RADDLE_ONE_HOST_VERSION
#endif
#endif

#if defined(__x86_64__) && !defined(RADDLE_ONE_HOST_VERSION)
#define RADDLE_HOST_VERSIONS [[gnu::target_clones("default", "arch=x86-64-v3")]]
#else
#define RADDLE_HOST_VERSIONS
#endif

// A lambda in such a function that is to be compiled together with it, for the same host. Stands
// after its parameters.
#define RADDLE_INLINE_LAMBDA __attribute__((always_inline))
