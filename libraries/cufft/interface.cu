// cuFFT's calls, which all make a plan from a Request or carry one out.
#include <string.h>

#include "plan.h"

using namespace raddle_cufft;

namespace {

Request many(int rank, const int* n, const int* inembed, int istride, int idist, const int* onembed,
             int ostride, int odist, cufftType type, int batch, long long (&room)[9]) {
  Request request = {rank, room, nullptr, istride, idist, nullptr, ostride, odist, type, batch};
  for (int i = 0; i < rank && i < 3; ++i) {
    room[i] = n[i];
    if (inembed != nullptr) room[3 + i] = inembed[i], request.inembed = room + 3;
    if (onembed != nullptr) room[6 + i] = onembed[i], request.onembed = room + 6;
  }
  return request;
}

// The size alone: a plan that is made without memory and thrown away.
cufftResult measure(const Request& request, size_t* bytes) {
  Plan plan;
  plan.automatic = false;
  const cufftResult result = make_plan(plan, request, bytes);
  for (Axis& axis : plan.axes) free_axis(axis);
  return result;
}

cufftResult make(cufftHandle handle, const Request& request, size_t* bytes) {
  Plan* plan = find_plan(handle);
  return plan == nullptr ? CUFFT_INVALID_PLAN : make_plan(*plan, request, bytes);
}

cufftResult create(cufftHandle* handle, const Request& request) {
  cufftResult result = cufftCreate(handle);
  if (result != CUFFT_SUCCESS) return result;
  result = make(*handle, request, nullptr);
  if (result != CUFFT_SUCCESS) cufftDestroy(*handle);
  return result;
}

cufftResult execute(cufftHandle handle, cufftType type, const void* in, void* out, int direction) {
  Plan* plan = find_plan(handle);
  return plan == nullptr ? CUFFT_INVALID_PLAN : execute(*plan, type, in, out, direction);
}

}  // namespace

// The four calls of a shape: PARAMETERS of it, and the ARGUMENTS of many().
#define SHAPE(Name, PARAMETERS, RANK, SIZES, BATCH)                                           \
  cufftResult cufftPlan##Name(cufftHandle* plan, PARAMETERS) {                                \
    const int n[] = SIZES;                                                                    \
    long long room[9];                                                                        \
    return create(plan, many(RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, room));      \
  }                                                                                           \
  cufftResult cufftMakePlan##Name(cufftHandle plan, PARAMETERS, size_t* bytes) {              \
    const int n[] = SIZES;                                                                    \
    long long room[9];                                                                        \
    return make(plan, many(RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, room), bytes); \
  }                                                                                           \
  cufftResult cufftEstimate##Name(PARAMETERS, size_t* bytes) {                                \
    const int n[] = SIZES;                                                                    \
    long long room[9];                                                                        \
    return measure(many(RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, room), bytes);    \
  }                                                                                           \
  cufftResult cufftGetSize##Name(cufftHandle, PARAMETERS, size_t* bytes) {                    \
    const int n[] = SIZES;                                                                    \
    long long room[9];                                                                        \
    return measure(many(RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, room), bytes);    \
  }
#define LIST(...) __VA_ARGS__

extern "C" {

SHAPE(1d, LIST(int nx, cufftType type, int batch), 1, LIST({nx}), batch)
SHAPE(2d, LIST(int nx, int ny, cufftType type), 2, LIST({nx, ny}), 1)
SHAPE(3d, LIST(int nx, int ny, int nz, cufftType type), 3, LIST({nx, ny, nz}), 1)

cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                          int* onembed, int ostride, int odist, cufftType type, int batch) {
  long long room[9];
  return create(plan,
                many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, room));
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride,
                              int idist, int* onembed, int ostride, int odist, cufftType type,
                              int batch, size_t* bytes) {
  long long room[9];
  return make(plan,
              many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, room),
              bytes);
}
cufftResult cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* bytes) {
  long long room[9];
  return measure(many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, room),
                 bytes);
}
cufftResult cufftGetSizeMany(cufftHandle, int rank, int* n, int* inembed, int istride, int idist,
                             int* onembed, int ostride, int odist, cufftType type, int batch,
                             size_t* bytes) {
  return cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
                           bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                long long int* onembed, long long int ostride, long long int odist,
                                cufftType type, long long int batch, size_t* bytes) {
  return make(plan, {rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch},
              bytes);
}

cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  *bytes = plan->bytes;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* area) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->area = area;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->automatic = automatic != 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUFFT_VER_MAJOR
           : type == MINOR_VERSION ? CUFFT_VER_MINOR
                                   : CUFFT_VER_PATCH;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out,
                         int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

}  // extern "C"
