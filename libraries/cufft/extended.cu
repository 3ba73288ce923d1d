// cufftXt: what of it works on one device.
#include <cufftXt.h>
#include <string.h>

#include "plan.h"

using namespace raddle_cufft;

namespace {

// Whether the plan has elements of a callback's type at that end.
bool takes(const Plan& plan, cufftXtCallbackType type) {
  if (type < CUFFT_CB_LD_COMPLEX || type >= CUFFT_CB_UNDEFINED) return false;
  const bool loads = type < CUFFT_CB_ST_COMPLEX, real = (type & 2) != 0,
             in_double = (type & 1) != 0;
  const Element element = loads ? plan.input() : plan.output();
  return real == (element == Element::kReal) && in_double == plan.in_double();
}

}  // namespace

extern "C" {

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType input_type, long long int* onembed,
                                long long int ostride, long long int odist,
                                cudaDataType output_type, long long int batch, size_t* bytes,
                                cudaDataType) {
  const struct {
    cudaDataType in, out;
    cufftType type;
  } kTypes[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
                {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
  for (const auto& known : kTypes) {
    if (known.in == input_type && known.out == output_type)
      return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
                                 known.type, batch, bytes);
  }
  return not_supported("a plan of these data types");
}
cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  if (plan->input() == Element::kReal) direction = CUFFT_FORWARD;
  if (plan->output() == Element::kReal) direction = CUFFT_INVERSE;
  return execute(*plan, plan->type, in, out, direction);
}
cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int*) {
  if (find_plan(handle) == nullptr) return CUFFT_INVALID_PLAN;
  return count == 1 ? CUFFT_SUCCESS : not_supported("a plan on several devices");
}
cufftResult cufftXtSetCallback(cufftHandle handle, void** callbacks, cufftXtCallbackType type,
                               void** infos) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr || !plan->made) return CUFFT_INVALID_PLAN;
  if (callbacks == nullptr) return CUFFT_INVALID_VALUE;
  if (!takes(*plan, type)) return CUFFT_INVALID_TYPE;
  const Callback callback = {callbacks[0], infos == nullptr ? nullptr : infos[0]};
  (type < CUFFT_CB_ST_COMPLEX ? plan->loads : plan->stores) = callback;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtClearCallback(cufftHandle handle, cufftXtCallbackType type) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr || !plan->made) return CUFFT_INVALID_PLAN;
  if (!takes(*plan, type)) return CUFFT_INVALID_TYPE;
  (type < CUFFT_CB_ST_COMPLEX ? plan->loads : plan->stores) = Callback();
  return CUFFT_SUCCESS;
}
cufftResult cufftXtSetCallbackSharedSize(cufftHandle handle, cufftXtCallbackType, size_t bytes) {
  if (find_plan(handle) == nullptr) return CUFFT_INVALID_PLAN;
  return bytes == 0 ? CUFFT_SUCCESS : not_supported("shared memory of a callback");
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc** descriptor, cufftXtSubFormat format) {
  Plan* plan = find_plan(handle);
  if (plan == nullptr || !plan->made) return CUFFT_INVALID_PLAN;
  const size_t bytes = (size_t)plan->shape.elements() * plan->shape.batch *
                       (plan->in_double() ? sizeof(cufftDoubleComplex) : sizeof(cufftComplex));
  cudaXtDesc* memory = new cudaXtDesc;
  memset(memory, 0, sizeof(*memory));
  memory->version = CUDA_XT_DESCRIPTOR_VERSION;
  memory->nGPUs = 1;
  memory->size[0] = bytes;
  cudaGetDevice(&memory->GPUs[0]);
  if (cudaMalloc(&memory->data[0], bytes) != cudaSuccess) {
    delete memory;
    return CUFFT_ALLOC_FAILED;
  }
  *descriptor =
      new cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, memory, LIB_FORMAT_CUFFT, format, nullptr};
  return CUFFT_SUCCESS;
}
cufftResult cufftXtFree(cudaLibXtDesc* descriptor) {
  if (descriptor == nullptr) return CUFFT_SUCCESS;
  cudaFree(descriptor->descriptor->data[0]);
  delete descriptor->descriptor;
  delete descriptor;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMemcpy(cufftHandle handle, void* to, void* from, cufftXtCopyType type) {
  if (find_plan(handle) == nullptr) return CUFFT_INVALID_PLAN;
  const auto memory = [](void* p) { return ((cudaLibXtDesc*)p)->descriptor; };
  cudaError_t error;
  if (type == CUFFT_COPY_HOST_TO_DEVICE) {
    error = cudaMemcpy(memory(to)->data[0], from, memory(to)->size[0], cudaMemcpyHostToDevice);
  } else if (type == CUFFT_COPY_DEVICE_TO_HOST) {
    error = cudaMemcpy(to, memory(from)->data[0], memory(from)->size[0], cudaMemcpyDeviceToHost);
  } else {
    error = cudaMemcpy(memory(to)->data[0], memory(from)->data[0], memory(from)->size[0],
                       cudaMemcpyDeviceToDevice);
  }
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}
cufftResult cufftXtExecDescriptorC2C(cufftHandle handle, cudaLibXtDesc* in, cudaLibXtDesc* out,
                                     int direction) {
  return cufftExecC2C(handle, (cufftComplex*)in->descriptor->data[0],
                      (cufftComplex*)out->descriptor->data[0], direction);
}

}  // extern "C"
