// A program as clang would register it, in PTX written by hand: tests of the runtime need kernels
// but no compiler.
#pragma once

#include <cstddef>

#include "host/cuda_api.h"

namespace raddle::host::testing {

// Host addresses that stand for what is on the device; registered on first use of program().
struct TestProgram {
  char add_one;        // add_one(int* data, int count): data[i] += 1 for i < count
  char scale_pair;     // scale_pair(Pair{float, double} factors, float* a, double* b)
  char store_at;       // store_at(int* pointer): one store through it
  char trap;           // trap()
  char spin;           // spin(): never ends
  char bounded;        // .maxntid 64
  char shaped;         // .reqntid 32, 2
  char shares;         // 40,000 bytes of static shared memory, and dynamic memory
  char shares_more;    // 49,156 bytes of static shared memory
  char fetch_1d;       // fetch_1d(float* out): out[tid] = tex1Dfetch(reference, tid)
  char fetch_2d;       // fetch_2d(u64 object, float* out): out[tid] = tex2D(object, tid + 0.5, 1.5)
  char surface_write;  // surface_write(u64 object): element (tid, 1) = tid
  char reads_table;    // reads_table(float* out): out[tid] = table[tid]
  char missing;        // registered, but in no image
  int counter;         // .global, 7 at first
  float table[4];      // .const, 1 2 3 4 at first
  textureReference reference;
};

TestProgram& program();

}  // namespace raddle::host::testing
