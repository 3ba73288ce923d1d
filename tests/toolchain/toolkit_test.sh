#!/usr/bin/env bash
# `raddle toolkit` makes a folder that build systems take for a CUDA toolkit: a Makefile with CUDA_PATH, CMake's CUDA language
# with find_package(CUDAToolkit), and g++ that links by itself. All programs find Raddle's library on their own.
. "$(dirname "$0")/testing.sh" "$@"
unset LD_LIBRARY_PATH CUDA_PATH CUDA_HOME CUDACXX
"$build/raddle" toolkit "$work/cuda" >"$work/log"
expect_text "bin/nvcc is raddle cc" "$work/log"
"$build/raddle" toolkit "$work/cuda" >"$work/log" # once more is harmless
mkdir "$work/other"
touch "$work/other/file"
if "$build/raddle" toolkit "$work/other" 2>"$work/log"; then fail "a folder of somebody else was taken"; fi
expect_text "exists and was not made by raddle toolkit" "$work/log"
toolkit=$work/cuda

mkdir "$work/program"
cd "$work/program"
cp "$source/tests/toolchain/vector_sum.cu" .
cat >part.cpp <<'END'
#include <cuda_runtime.h>
int devices() { int count = 0; cudaGetDeviceCount(&count); return count; }
END
cat >main.cpp <<'END'
#include <cstdio>
int devices();
int main() { std::printf("%d device\n", devices()); }
END

# All libraries in one program, by the host's compiler.
cat >libraries.cpp <<'END'
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
int main() {
  float numbers[100];
  curandGenerator_t generator;
  cufftHandle plan;
  cusparseHandle_t sparse;
  cusolverDnHandle_t solver;
  cublasHandle_t blas;
  const bool good = curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT) == 0 &&
                    curandGenerateUniform(generator, numbers, 100) == 0 && cufftPlan1d(&plan, 30, CUFFT_C2C, 1) == 0 &&
                    cusparseCreate(&sparse) == 0 && cusolverDnCreate(&solver) == 0 && cublasCreate(&blas) == 0;
  std::printf("libraries %s, %d\n", good ? "work" : "fail", numbers[99] > 0 && numbers[99] <= 1);
}
END

cat >Makefile <<'END'
NVCC := $(CUDA_PATH)/bin/nvcc -ccbin g++
vector_sum: vector_sum.cu
	$(NVCC) -I$(CUDA_PATH)/include -m64 -gencode arch=compute_70,code=sm_70 -o $@ $< -L$(CUDA_PATH)/lib64 -lcudart
count: main.cpp part.cpp
	g++ -I$(CUDA_PATH)/include $^ -o $@ -L$(CUDA_PATH)/lib64 -lcudart
END
make CUDA_PATH="$toolkit" vector_sum count >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
./vector_sum >out
expect_text "sum 1999000, wrong 0" out
./count >out
expect_text "1 device" out

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(sums LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
add_executable(sums vector_sum.cu)
set_target_properties(sums PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(counts main.cpp part.cpp)
target_link_libraries(counts PRIVATE CUDA::cudart)
add_executable(libraries libraries.cpp)
target_link_libraries(libraries PRIVATE CUDA::curand CUDA::cufft CUDA::cusparse CUDA::cusolver CUDA::cublas)
END
cmake -S . -B made -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" >"$work/log" 2>&1 || fail "cmake: $(cat "$work/log")"
expect_text "Found CUDAToolkit: $toolkit/include (found suitable version" "$work/log"
cmake --build made >"$work/log" 2>&1 || fail "cmake --build: $(cat "$work/log")"
made/sums >out
expect_text "sum 1999000, wrong 0" out
made/counts >out
expect_text "1 device" out
made/libraries >out
expect_text "libraries work, 1" out
