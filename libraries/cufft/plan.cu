// Plans: what they hold, and how one is carried out.
#include "plan.h"

#include <stdio.h>

#include <memory>
#include <set>
#include <string>

namespace raddle_cufft {
namespace {

std::vector<std::unique_ptr<Plan>>& plans() {
  static auto* all = new std::vector<std::unique_ptr<Plan>>;  // for as long as the program runs
  return *all;
}

cufftResult result_of(cudaError_t error) {
  if (error == cudaSuccess) return CUFFT_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
}

// Without embedding: rows of a spectrum's half are n/2+1 long. Real rows are as long as that where
// they share memory with it.
Layout basic_layout(const Plan& plan, Element element, bool shares) {
  long long row = plan.shape.n[2];
  if (element == Element::kHalf) row = row / 2 + 1;
  if (element == Element::kReal && shares) row = 2 * (row / 2 + 1);
  return {{plan.shape.n[0], plan.shape.n[1], row}, 1, plan.shape.n[0] * plan.shape.n[1] * row};
}
Layout given_layout(int rank, const long long* embed, long long stride, long long distance) {
  Layout layout = {{1, 1, 1}, stride, distance};
  for (int i = 0; i < rank; ++i) layout.embed[3 - rank + i] = embed[i];
  return layout;
}

void release(Plan& plan) {
  for (Axis& axis : plan.axes) free_axis(axis);
  plan.axes.clear();
  cudaFree(plan.own);
  plan.own = nullptr;
  plan.made = false;
}

template <typename R>
cufftResult make_axes(Plan& plan) {
  unsigned outer = plan.shape.batch, inner = plan.shape.elements();
  size_t wide = 0;
  for (const int n : plan.shape.n) {
    inner /= n;
    if (n > 1) {
      Axis axis;
      const cufftResult result = result_of(make_axis<R>(axis, n, outer, inner));
      plan.axes.push_back(axis);
      if (result != CUFFT_SUCCESS) return result;
      if (axis.padded != 0 && wide < (size_t)axis.lines() * axis.padded)
        wide = (size_t)axis.lines() * axis.padded;
    }
    outer *= n;
  }
  if (wide >> 32 != 0) return CUFFT_INVALID_SIZE;
  const size_t elements = (size_t)plan.shape.elements() * plan.shape.batch;
  plan.bytes = 2 * (elements + wide) * sizeof(Complex<R>);
  return CUFFT_SUCCESS;
}

template <typename R>
cufftResult run(Plan& plan, const void* in, void* out, bool inverse) {
  const size_t elements = (size_t)plan.shape.elements() * plan.shape.batch;
  Complex<R>* first = (Complex<R>*)plan.area;
  Complex<R>* second = first + elements;
  Complex<R>* wide = second + elements;
  const bool shares = in == out;
  const Layout from = plan.basic ? basic_layout(plan, plan.input(), shares) : plan.in;
  const Layout to = plan.basic ? basic_layout(plan, plan.output(), shares) : plan.out;
  load<R>(plan.stream, plan.loads, plan.input(), in, from, plan.shape, inverse, first);
  for (const Axis& axis : plan.axes) {
    if (axis.padded != 0) {
      const size_t length = (size_t)axis.lines() * axis.padded;
      transform_by_chirp(plan.stream, axis, first, wide, wide + length);
    } else if (transform(plan.stream, axis, first, second) != first) {
      std::swap(first, second);
    }
  }
  store<R>(plan.stream, plan.stores, plan.output(), first, to, plan.shape, inverse, out);
  return result_of(cudaGetLastError());
}

}  // namespace

cufftResult not_supported(const char* what) {
  static std::set<std::string> said;
  if (said.insert(what).second) fprintf(stderr, "raddle: cuFFT: %s is not supported\n", what);
  return CUFFT_NOT_SUPPORTED;
}

Plan* find_plan(cufftHandle handle) {
  if (handle < 1 || handle > (int)plans().size()) return nullptr;
  return plans()[handle - 1].get();
}

cufftResult make_plan(Plan& plan, const Request& request, size_t* bytes) {
  switch (request.type) {
    case CUFFT_C2C:
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_Z2Z:
    case CUFFT_D2Z:
    case CUFFT_Z2D: break;
    default: return CUFFT_INVALID_TYPE;
  }
  if (request.rank < 1 || request.rank > 3 || request.batch < 1) return CUFFT_INVALID_SIZE;
  double elements = request.batch;
  for (int i = 0; i < request.rank; ++i) {
    if (request.n[i] < 1) return CUFFT_INVALID_SIZE;
    elements *= request.n[i];
  }
  if (elements > 2147483647.0) return CUFFT_INVALID_SIZE;
  release(plan);
  plan.type = request.type;
  plan.shape = {{1, 1, 1}, (int)request.batch};
  for (int i = 0; i < request.rank; ++i) plan.shape.n[3 - request.rank + i] = (int)request.n[i];
  plan.basic = request.inembed == nullptr || request.onembed == nullptr;
  if (!plan.basic) {
    plan.in = given_layout(request.rank, request.inembed, request.istride, request.idist);
    plan.out = given_layout(request.rank, request.onembed, request.ostride, request.odist);
  }
  const cufftResult result = plan.in_double() ? make_axes<double>(plan) : make_axes<float>(plan);
  if (result != CUFFT_SUCCESS) return result;
  if (bytes != nullptr) *bytes = plan.bytes;
  if (plan.automatic) {
    if (cudaMalloc(&plan.own, plan.bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
    plan.area = plan.own;
  }
  plan.made = true;
  return CUFFT_SUCCESS;
}

cufftResult execute(Plan& plan, cufftType type, const void* in, void* out, int direction) {
  if (!plan.made || type != plan.type) return CUFFT_INVALID_PLAN;
  if (in == nullptr || out == nullptr) return CUFFT_INVALID_VALUE;
  if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
  if (plan.area == nullptr) return CUFFT_NO_WORKSPACE;
  const bool inverse = direction == CUFFT_INVERSE;
  return plan.in_double() ? run<double>(plan, in, out, inverse)
                          : run<float>(plan, in, out, inverse);
}

}  // namespace raddle_cufft

using namespace raddle_cufft;

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  plans().push_back(std::make_unique<Plan>());
  *handle = (cufftHandle)plans().size();
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  release(*plan);
  plans()[handle - 1].reset();
  return CUFFT_SUCCESS;
}

}  // extern "C"
