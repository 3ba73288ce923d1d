// Nodes of CUDA graphs that allocate, free and copy variables; nodes that are switched off; what nodes say about
// themselves. Memory is compared with the same steps on the host.
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"

constexpr int kCount = 256;
constexpr int kBytes = kCount * sizeof(int);

__device__ int scale;
__constant__ int table[kCount];

__global__ void fill(int* data) { data[threadIdx.x] = 3 * threadIdx.x + 1; }

__global__ void combine(const int* data, int* out) { out[threadIdx.x] = data[threadIdx.x] * scale + table[threadIdx.x]; }

__global__ void raise_scale() { scale += 1; }

static cudaKernelNodeParams kernel_node(void* function, void** arguments, int threads) {
  cudaKernelNodeParams parameters = {};
  parameters.func = function;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(threads);
  parameters.kernelParams = arguments;
  return parameters;
}

static std::string text_of(const char* path) {
  std::string text;
  FILE* file = fopen(path, "r");
  CHECK(file != nullptr);
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) text += (char)c;
  fclose(file);
  return text;
}

int main() {
  std::vector<int> numbers(kCount), out(kCount);
  for (int i = 0; i < kCount; ++i) numbers[i] = 1000 - i;
  int first_scale = 5, last_scale = 0;
  int* result;
  CUDA_CHECK(cudaMalloc(&result, kBytes));
  CUDA_CHECK(cudaMemcpyToSymbol(scale, &last_scale, sizeof(int)));  // variables take their memory at their first use
  size_t free_before = 0, free_after = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_before, &total));

  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t allocate, filled, scaled, tabled, raised, combined, read, freed;
  cudaMemAllocNodeParams allocation = {};
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location.type = cudaMemLocationTypeDevice;
  allocation.bytesize = kBytes;
  CUDA_CHECK(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &allocation));
  CHECK(allocation.dptr != nullptr);

  void* fill_arguments[] = {&allocation.dptr};
  cudaKernelNodeParams kernel = kernel_node((void*)fill, fill_arguments, kCount);
  CUDA_CHECK(cudaGraphAddKernelNode(&filled, graph, &allocate, 1, &kernel));
  CUDA_CHECK(cudaGraphAddMemcpyNodeToSymbol(&scaled, graph, nullptr, 0, scale, &first_scale, sizeof(int), 0,
                                            cudaMemcpyHostToDevice));
  // The second half of the table only.
  CUDA_CHECK(cudaGraphAddMemcpyNodeToSymbol(&tabled, graph, nullptr, 0, table, numbers.data() + kCount / 2, kBytes / 2,
                                            kBytes / 2, cudaMemcpyHostToDevice));
  kernel = kernel_node((void*)raise_scale, nullptr, 1);
  CUDA_CHECK(cudaGraphAddKernelNode(&raised, graph, &scaled, 1, &kernel));
  void* combine_arguments[] = {&allocation.dptr, &result};
  kernel = kernel_node((void*)combine, combine_arguments, kCount);
  const cudaGraphNode_t before[] = {filled, raised, tabled};
  CUDA_CHECK(cudaGraphAddKernelNode(&combined, graph, before, 3, &kernel));
  CUDA_CHECK(cudaGraphAddMemcpyNodeFromSymbol(&read, graph, &combined, 1, &last_scale, scale, sizeof(int), 0,
                                              cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaGraphAddMemFreeNode(&freed, graph, &combined, 1, allocation.dptr));

  // What nodes say.
  cudaGraphNode_t after[4];
  size_t count = 4;
  CUDA_CHECK(cudaGraphNodeGetDependentNodes(combined, after, &count));
  CHECK_EQUAL(count, 2u);
  CHECK(after[0] == read && after[1] == freed);
  cudaMemcpy3DParms copy = {};
  CUDA_CHECK(cudaGraphMemcpyNodeGetParams(scaled, &copy));
  CHECK(copy.srcPtr.ptr == &first_scale && copy.extent.width == sizeof(int));
  cudaMemAllocNodeParams asked = {};
  CUDA_CHECK(cudaGraphMemAllocNodeGetParams(allocate, &asked));
  CHECK(asked.dptr == allocation.dptr && asked.bytesize == (size_t)kBytes);
  CHECK(cudaGraphMemcpyNodeGetParams(filled, &copy) == cudaErrorInvalidValue);

  char path[] = "/tmp/raddle-graph-XXXXXX";
  CHECK(mkstemp(path) >= 0);
  CUDA_CHECK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
  const std::string dot = text_of(path);
  remove(path);
  CHECK(dot.rfind("digraph {", 0) == 0);
  CHECK(dot.find("combine") != std::string::npos && dot.find("alloc") != std::string::npos);
  int arrows = 0;
  for (size_t at = dot.find("->"); at != std::string::npos; at = dot.find("->", at + 1)) ++arrows;
  CHECK_EQUAL(arrows, 7);

  // With and without the kernel that raises the scale.
  cudaGraphExec_t exec;
  cudaGraphInstantiateParams instantiate = {};
  CUDA_CHECK(cudaGraphInstantiateWithParams(&exec, graph, &instantiate));
  CHECK(instantiate.result_out == cudaGraphInstantiateSuccess);
  for (unsigned int enabled = 0; enabled < 2; ++enabled) {
    CUDA_CHECK(cudaGraphNodeSetEnabled(exec, raised, enabled));
    unsigned int is_enabled = 7;
    CUDA_CHECK(cudaGraphNodeGetEnabled(exec, raised, &is_enabled));
    CHECK_EQUAL(is_enabled, enabled);
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaMemcpy(out.data(), result, kBytes, cudaMemcpyDeviceToHost));
    const int expected_scale = 5 + (int)enabled;
    CHECK_EQUAL(last_scale, expected_scale);
    for (int i = 0; i < kCount; ++i)
      CHECK_EQUAL_AT(i, out[i], (3 * i + 1) * expected_scale + (i < kCount / 2 ? 0 : numbers[i]));
  }
  CHECK(cudaGraphNodeSetEnabled(exec, allocate, 0) == cudaErrorInvalidValue);

  // What the graph frees is given back with the last graph that names it.
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaMemGetInfo(&free_after, &total));
  CHECK_EQUAL(free_after, free_before);
  return all_ok();
}
