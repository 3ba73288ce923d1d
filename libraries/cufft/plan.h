// A plan of cuFFT, by its handle.
#ifndef RADDLE_CUFFT_PLAN_H
#define RADDLE_CUFFT_PLAN_H

#include "transform.h"

namespace raddle_cufft {

struct Plan {
  bool made = false, automatic = true;
  cudaStream_t stream = nullptr;
  cufftType type = CUFFT_C2C;
  Shape shape = {{1, 1, 1}, 1};
  bool basic = true;  // no embedding: layouts follow from the shape
  Layout in, out;
  Callback loads, stores;
  std::vector<Axis> axes;
  size_t bytes = 0;
  void* area = nullptr;  // the caller's, or `own`
  void* own = nullptr;

  bool in_double() const { return (type & 0x40) != 0; }
  Element input() const {
    const int kind = type & ~0x40;
    return kind == CUFFT_C2C   ? Element::kComplex
           : kind == CUFFT_R2C ? Element::kReal
                               : Element::kHalf;
  }
  Element output() const {
    const int kind = type & ~0x40;
    return kind == CUFFT_C2C   ? Element::kComplex
           : kind == CUFFT_R2C ? Element::kHalf
                               : Element::kReal;
  }
};

// null: there is none
Plan* find_plan(cufftHandle handle);

struct Request {
  int rank;
  const long long* n;
  const long long* inembed;  // or null
  long long istride, idist;
  const long long* onembed;
  long long ostride, odist;
  cufftType type;
  long long batch;
};
cufftResult make_plan(Plan& plan, const Request& request, size_t* bytes);
cufftResult execute(Plan& plan, cufftType type, const void* in, void* out, int direction);
cufftResult not_supported(const char* what);

}  // namespace raddle_cufft

#endif
