// The types of CUDA graphs and of stream capture.
#ifndef RADDLE_CUDA_GRAPH_TYPES_H
#define RADDLE_CUDA_GRAPH_TYPES_H

#include "driver_types.h"

enum cudaGraphNodeType RADDLE_CUDA_OPEN_ENUM {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeWaitEvent = 6,
  cudaGraphNodeTypeEventRecord = 7,
  cudaGraphNodeTypeExtSemaphoreSignal = 8,
  cudaGraphNodeTypeExtSemaphoreWait = 9,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree = 11,
  cudaGraphNodeTypeConditional = 13
};

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned int value;
  unsigned int elementSize;
  size_t width;
  size_t height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
typedef struct cudaKernelNodeParams cudaKernelNodeParams;
typedef struct cudaMemsetParams cudaMemsetParams;
typedef struct cudaHostNodeParams cudaHostNodeParams;

// --- conditional nodes: the handle names a number that kernels set
typedef unsigned long long cudaGraphConditionalHandle;
#define cudaGraphCondAssignDefault 1
enum cudaGraphConditionalNodeType RADDLE_CUDA_OPEN_ENUM {
  cudaGraphCondTypeIf = 0,
  cudaGraphCondTypeWhile = 1,
  cudaGraphCondTypeSwitch = 2
};
struct cudaConditionalNodeParams {
  cudaGraphConditionalHandle handle;
  enum cudaGraphConditionalNodeType type;
  unsigned int size;
  cudaGraph_t* phGraph_out;
};
typedef struct cudaConditionalNodeParams cudaConditionalNodeParams;

// --- any node: the first member says which of the others is meant
struct cudaKernelNodeParamsV2 {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemcpyNodeParams {
  int flags;
  int reserved[3];
  struct cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
};
struct cudaEventRecordNodeParams {
  cudaEvent_t event;
};
struct cudaEventWaitNodeParams {
  cudaEvent_t event;
};
struct cudaMemAllocNodeParams {
  struct cudaMemPoolProps poolProps;
  const struct cudaMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
};
typedef struct cudaMemAllocNodeParams cudaMemAllocNodeParams;
struct cudaMemFreeNodeParams {
  void* dptr;
};
#ifdef __cplusplus
// dim3 has a constructor, so the members follow each other where NVIDIA's lie in a union.
struct cudaGraphNodeParams {
  enum cudaGraphNodeType type = cudaGraphNodeTypeKernel;
  int reserved0[3] = {};
  cudaKernelNodeParamsV2 kernel = {};
  cudaMemcpyNodeParams memcpy = {};
  cudaMemsetParams memset = {};
  cudaHostNodeParams host = {};
  cudaChildGraphNodeParams graph = {};
  cudaEventWaitNodeParams eventWait = {};
  cudaEventRecordNodeParams eventRecord = {};
  cudaMemAllocNodeParams alloc = {};
  cudaMemFreeNodeParams free = {};
  cudaConditionalNodeParams conditional = {};
};
#endif

struct cudaGraphEdgeData_st {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;

enum cudaGraphInstantiateFlags RADDLE_CUDA_OPEN_ENUM {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
  cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagDeviceLaunch = 4,
  cudaGraphInstantiateFlagUseNodePriority = 8
};
enum cudaGraphInstantiateResult RADDLE_CUDA_OPEN_ENUM {
  cudaGraphInstantiateSuccess = 0,
  cudaGraphInstantiateError = 1,
  cudaGraphInstantiateInvalidStructure = 2,
  cudaGraphInstantiateNodeOperationNotSupported = 3,
  cudaGraphInstantiateMultipleDevicesNotSupported = 4
};
struct cudaGraphInstantiateParams_st {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  enum cudaGraphInstantiateResult result_out;
};
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;
enum cudaGraphDebugDotFlags RADDLE_CUDA_OPEN_ENUM { cudaGraphDebugDotFlagsVerbose = 1 };
enum cudaGraphExecUpdateResult RADDLE_CUDA_OPEN_ENUM {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3,
  cudaGraphExecUpdateErrorFunctionChanged = 4,
  cudaGraphExecUpdateErrorParametersChanged = 5,
  cudaGraphExecUpdateErrorNotSupported = 6
};
struct cudaGraphExecUpdateResultInfo_st {
  enum cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode;
  cudaGraphNode_t errorFromNode;
};
typedef struct cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;

enum cudaStreamCaptureStatus RADDLE_CUDA_OPEN_ENUM {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaStreamUpdateCaptureDependenciesFlags RADDLE_CUDA_OPEN_ENUM {
  cudaStreamAddCaptureDependencies = 0,
  cudaStreamSetCaptureDependencies = 1
};

#endif
