// Random CUDA kernels for comparing the simulated device with plain host C++. A seed gives one
// kernel: phases between barriers, each a function over a thread's private state. The device runs
// them thread by thread with __syncthreads() between; the host runs the same functions phase by
// phase over all threads of a block, so that it needs no threads. Nothing that the language leaves
// open occurs: unsigned arithmetic, masked shifts, guarded division, clamped conversions, race-free
// shared memory, atomics whose order does not matter. Odd seeds use fused multiply-add, even ones
// do not.
#pragma once

#include <cstdint>
#include <string>

namespace raddle::random_kernels {

// One whole CUDA program with `count` kernels, of seeds first, first + 1, …. It exits 0 if device
// and host agree bit for bit (NaNs count as equal), else prints seed, kernel, place and both values
// for each kernel that differs, and exits 1. Compile it with -fmad=false and without contraction on
// the host.
std::string generate_program(std::uint64_t first_seed, int count);

// The part of it that belongs to one seed.
std::string generate_kernel(std::uint64_t seed);

}  // namespace raddle::random_kernels
