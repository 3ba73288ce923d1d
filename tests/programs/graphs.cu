// CUDA graphs: made node by node and by capture, with branches, children, host functions and conditions; changed after
// they were instantiated. Memory is compared with the same steps on the host.
#include <vector>

#include "check.h"

constexpr int kCount = 1000;
constexpr int kThreads = 128;
constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;

__global__ void add(int* data, int value, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

__global__ void multiply(int* data, int factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= factor;
}

__global__ void sum_of(int* result, const int* a, const int* b, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) result[i] = a[i] + 10 * b[i];
}

// Counts down and says whether to go on.
__global__ void count_down(int* left, int* rounds, cudaGraphConditionalHandle handle) {
  *rounds += 1;
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, const int* value) { cudaGraphSetConditional(handle, *value); }

static void count_call(void* data) { ++*(int*)data; }

static std::vector<int> numbers(int first) {
  std::vector<int> result(kCount);
  for (int i = 0; i < kCount; ++i) result[i] = first + 3 * i;
  return result;
}

static void check_device(const int* device, const std::vector<int>& expected) {
  std::vector<int> got(kCount);
  CUDA_CHECK(cudaMemcpy(got.data(), device, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, got[i], expected[i]);
}

static cudaKernelNodeParams kernel_node(void* function, void** arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = function;
  parameters.gridDim = dim3(kBlocks);
  parameters.blockDim = dim3(kThreads);
  parameters.kernelParams = arguments;
  return parameters;
}

// copy in → add, multiply → copy out, the dependencies against the order in which nodes are added.
static void test_nodes(int* data) {
  std::vector<int> in = numbers(5), out(kCount, -1);
  int value = 7, factor = 3, count = kCount, calls = 0;
  void* add_arguments[] = {&data, &value, &count};
  void* multiply_arguments[] = {&data, &factor, &count};
  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy_in, add_node, multiply_node, copy_out, host, empty;
  cudaKernelNodeParams multiply_parameters = kernel_node((void*)multiply, multiply_arguments);
  cudaKernelNodeParams add_parameters = kernel_node((void*)add, add_arguments);
  CUDA_CHECK(cudaGraphAddKernelNode(&multiply_node, graph, nullptr, 0, &multiply_parameters));
  CUDA_CHECK(cudaGraphAddKernelNode(&add_node, graph, nullptr, 0, &add_parameters));
  CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, data, in.data(), kCount * sizeof(int),
                                      cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy_out, graph, &multiply_node, 1, out.data(), data, kCount * sizeof(int),
                                      cudaMemcpyDeviceToHost));
  cudaHostNodeParams host_parameters = {count_call, &calls};
  CUDA_CHECK(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &host_parameters));
  CUDA_CHECK(cudaGraphAddEmptyNode(&empty, graph, &host, 1));
  CUDA_CHECK(cudaGraphAddDependencies(graph, &copy_in, &add_node, 1));
  CUDA_CHECK(cudaGraphAddDependencies(graph, &add_node, &multiply_node, 1));
  size_t nodes = 0, edges = 0, roots = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  CUDA_CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK_EQUAL(nodes, (size_t)6);
  CHECK_EQUAL(edges, (size_t)5);
  CHECK_EQUAL(roots, (size_t)1);

  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  value = 1000;  // arguments were copied when the node was made
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  for (int launch = 0; launch < 2; ++launch) CUDA_CHECK(cudaGraphLaunch(exec, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CHECK_EQUAL(calls, 2);
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, out[i], (5 + 3 * i + 7) * 3);

  CUDA_CHECK(cudaGraphExecKernelNodeSetParams(exec, add_node, &add_parameters));
  CUDA_CHECK(cudaGraphLaunch(exec, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL_AT(i, out[i], (5 + 3 * i + 1000) * 3);

  cudaKernelNodeParams asked = {};
  CUDA_CHECK(cudaGraphKernelNodeGetParams(multiply_node, &asked));
  CHECK(asked.func == (void*)multiply);
  CHECK_EQUAL(*(int*)asked.kernelParams[1], 3);

  CUDA_CHECK(cudaGraphAddDependencies(graph, &empty, &copy_in, 1));  // a circle
  cudaGraphExec_t none;
  EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&none, graph, 0));
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// Two streams: the second joins by an event and comes back by another.
static cudaGraph_t capture(cudaStream_t first, cudaStream_t second, cudaEvent_t fork, cudaEvent_t join, int* a, int* b,
                           int* result, int value) {
  cudaGraph_t graph = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMemsetAsync(a, 0, kCount * sizeof(int), first));
  CUDA_CHECK(cudaEventRecord(fork, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, fork, 0));
  add<<<kBlocks, kThreads, 0, first>>>(a, value, kCount);
  CUDA_CHECK(cudaMemsetAsync(b, 0, kCount * sizeof(int), second));
  add<<<kBlocks, kThreads, 0, second>>>(b, 2, kCount);
  CUDA_CHECK(cudaEventRecord(join, second));
  CUDA_CHECK(cudaStreamWaitEvent(first, join, 0));
  sum_of<<<kBlocks, kThreads, 0, first>>>(result, a, b, kCount);
  cudaStreamCaptureStatus status;
  CUDA_CHECK(cudaStreamIsCapturing(second, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  CUDA_CHECK(cudaStreamEndCapture(first, &graph));
  CUDA_CHECK(cudaStreamIsCapturing(second, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  return graph;
}

static void test_capture(int* a, int* b, int* result) {
  cudaStream_t first, second;
  cudaEvent_t fork, join;
  CUDA_CHECK(cudaStreamCreate(&first));
  CUDA_CHECK(cudaStreamCreate(&second));
  CUDA_CHECK(cudaEventCreate(&fork));
  CUDA_CHECK(cudaEventCreate(&join));
  CUDA_CHECK(cudaMemset(result, 0xff, kCount * sizeof(int)));
  cudaGraph_t graph = capture(first, second, fork, join, a, b, result, 4);
  check_device(result, std::vector<int>(kCount, -1));  // nothing has run yet
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(exec, first));
  check_device(result, std::vector<int>(kCount, 24));

  cudaGraph_t other = capture(first, second, fork, join, a, b, result, 5);
  cudaGraphExecUpdateResultInfo info;
  CUDA_CHECK(cudaGraphExecUpdate(exec, other, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  CUDA_CHECK(cudaGraphLaunch(exec, first));
  check_device(result, std::vector<int>(kCount, 25));

  // Another form cannot take its place, and changes nothing.
  cudaGraph_t small;
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMemsetAsync(result, 0, kCount * sizeof(int), first));
  CUDA_CHECK(cudaStreamEndCapture(first, &small));
  EXPECT_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, small, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CUDA_CHECK(cudaGraphLaunch(exec, first));
  check_device(result, std::vector<int>(kCount, 25));

  // As a child: the memset, then all of the other graph.
  cudaGraphNode_t small_node, child;
  cudaGraph_t parent;
  CUDA_CHECK(cudaGraphCreate(&parent, 0));
  CUDA_CHECK(cudaGraphAddChildGraphNode(&small_node, parent, nullptr, 0, small));
  CUDA_CHECK(cudaGraphAddChildGraphNode(&child, parent, &small_node, 1, graph));
  cudaGraphExec_t nested;
  CUDA_CHECK(cudaGraphInstantiate(&nested, parent, 0));
  CUDA_CHECK(cudaGraphLaunch(nested, 0));
  check_device(result, std::vector<int>(kCount, 24));

  // Waiting for a stream that captures is refused, and its capture is lost.
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(first));
  EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(first, &graph));
  // So is work of another stream that nobody waits for.
  CUDA_CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaEventRecord(fork, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, fork, 0));
  add<<<kBlocks, kThreads, 0, second>>>(b, 2, kCount);
  EXPECT_ERROR(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(first, &graph));
  EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  cudaGetLastError();
}

static void test_conditions(int* numbers) {
  int start[3] = {5, 0, 0};  // left, rounds, and what to choose
  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t loop_node, body_node;
  CUDA_CHECK(cudaGraphAddNode(&loop_node, graph, nullptr, nullptr, 0, &loop));
  int* rounds = numbers + 1;
  void* arguments[] = {&numbers, &rounds, &handle};
  cudaKernelNodeParams body = kernel_node((void*)count_down, arguments);
  body.gridDim = body.blockDim = dim3(1);
  CUDA_CHECK(cudaGraphAddKernelNode(&body_node, loop.conditional.phGraph_out[0], nullptr, 0, &body));
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 1; launch <= 2; ++launch) {
    start[0] = 5 * launch;
    CUDA_CHECK(cudaMemcpy(numbers, start, sizeof(start), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    int got[2];
    CUDA_CHECK(cudaMemcpy(got, numbers, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK_EQUAL(got[0], 0);
    CHECK_EQUAL(got[1], 5 * launch);
  }

  // If: the body runs where the number is not 0.
  cudaGraph_t decision;
  CUDA_CHECK(cudaGraphCreate(&decision, 0));
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, decision));
  int* choice = numbers + 2;
  void* choose_arguments[] = {&handle, &choice};
  cudaKernelNodeParams chooser = kernel_node((void*)choose, choose_arguments);
  chooser.gridDim = chooser.blockDim = dim3(1);
  cudaGraphNode_t choose_node, if_node, memset_node;
  CUDA_CHECK(cudaGraphAddKernelNode(&choose_node, decision, nullptr, 0, &chooser));
  cudaGraphNodeParams branch = {cudaGraphNodeTypeConditional};
  branch.conditional.handle = handle;
  branch.conditional.type = cudaGraphCondTypeIf;
  branch.conditional.size = 1;
  CUDA_CHECK(cudaGraphAddNode(&if_node, decision, &choose_node, 1, &branch));
  cudaMemsetParams fill = {};
  fill.dst = numbers;
  fill.value = 77;
  fill.elementSize = sizeof(int);
  fill.width = fill.height = 1;
  CUDA_CHECK(cudaGraphAddMemsetNode(&memset_node, branch.conditional.phGraph_out[0], nullptr, 0, &fill));
  cudaGraphExec_t deciding;
  CUDA_CHECK(cudaGraphInstantiate(&deciding, decision, 0));
  for (int value = 0; value < 2; ++value) {
    const int given[3] = {-1, 0, value};
    int got = 0;
    CUDA_CHECK(cudaMemcpy(numbers, given, sizeof(given), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaGraphLaunch(deciding, 0));
    CUDA_CHECK(cudaMemcpy(&got, numbers, sizeof(got), cudaMemcpyDeviceToHost));
    CHECK_EQUAL_AT(value, got, value == 1 ? 77 : -1);
  }
}

int main() {
  int *a, *b, *result;
  CUDA_CHECK(cudaMalloc(&a, kCount * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, kCount * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&result, kCount * sizeof(int)));
  test_nodes(a);
  test_capture(a, b, result);
  test_conditions(a);
  return all_ok();
}
