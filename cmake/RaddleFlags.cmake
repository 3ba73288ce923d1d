# Compiler flags of every target, and the launcher that keeps foreign environment variables away from the compiler.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Simulated arithmetic rounds where the simulated program says: no contraction, no fast math, no -march=native.
add_compile_options(-ffp-contract=off)
# Messages and cached objects name files from the root of the repository (ccache makes paths relative first).
file(RELATIVE_PATH source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
string(REGEX REPLACE "/$" "" source_from_build "${source_from_build}")
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${source_from_build}/=")

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wvla -Wundef
                    -Wextra-semi -Wunused -Wcast-align)
if(RADDLE_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wduplicated-cond -Wlogical-op)
  # g++ collects garbage at every 30 to 100% of growth; a file here takes 400 MB without, and a tenth less time.
  add_compile_options(--param=ggc-min-heapsize=1048576)
  # g++ 12 raises these falsely inside its own <string> and <vector> once they are inlined.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-maybe-uninitialized -Wno-free-nonheap-object)
else()
  # GCC has pragmas of its own for its vectoriser.
  add_compile_options(-Wno-unknown-pragmas)
  # libstdc++ 12 uses its own deprecated get_temporary_buffer in stable_sort, which only clang minds.
  add_compile_options(-Wimplicit-fallthrough -Wunreachable-code-break -Wno-deprecated-declarations)
endif()

if(RADDLE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(RADDLE_SANITIZE_THREAD)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

if(RADDLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# ccache when it is there. The paths it hashes are made relative, so that a second clone or a second build folder of the
# same source hits the same cache.
set(clean_environment ${CMAKE_COMMAND} -E env --unset=LIBRARY_PATH --unset=CPATH --unset=C_INCLUDE_PATH
    --unset=CPLUS_INCLUDE_PATH --unset=CUDA_HOME --unset=CUDA_PATH)
find_program(CCACHE ccache)
if(CCACHE)
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR ${CMAKE_BINARY_DIR} build_is_inside)
  set(cache_base ${CMAKE_BINARY_DIR})
  if(build_is_inside)
    set(cache_base ${CMAKE_SOURCE_DIR})
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${clean_environment} CCACHE_BASEDIR=${cache_base} CCACHE_NOHASHDIR=1
      CCACHE_IGNOREOPTIONS=--param=ggc-min-heapsize*
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
else()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${clean_environment})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
set(CMAKE_CXX_LINKER_LAUNCHER ${clean_environment})
