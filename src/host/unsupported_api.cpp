// Calls that programs link against but that a simulated machine does not carry out:
// memory shared between processes, mipmaps, graphics. And the profiler, which has nothing to
// switch.
#include "host/api_call.h"

using namespace raddle::host;

namespace {

cudaError_t not_supported(const char* name) {
  return api_call([=](Session&) -> cudaError_t {
    Session::explain(std::string(name) + " is not supported");
    return cudaErrorNotSupported;
  });
}

}  // namespace

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return not_supported("cudaIpcGetEventHandle");
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return not_supported("cudaIpcOpenEventHandle");
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return not_supported("cudaIpcGetMemHandle");
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned int) {
  return not_supported("cudaIpcOpenMemHandle");
}
cudaError_t cudaIpcCloseMemHandle(void*) { return not_supported("cudaIpcCloseMemHandle"); }
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t*, const cudaChannelFormatDesc*,
                                     cudaExtent, unsigned int, unsigned int) {
  return not_supported("cudaMallocMipmappedArray");
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t) {
  return not_supported("cudaFreeMipmappedArray");
}
cudaError_t cudaBindTextureToMipmappedArray(const textureReference*, cudaMipmappedArray_const_t,
                                            const cudaChannelFormatDesc*) {
  return not_supported("cudaBindTextureToMipmappedArray");
}

cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return not_supported("cudaGraphicsMapResources");
}
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return not_supported("cudaGraphicsUnmapResources");
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t) {
  return not_supported("cudaGraphicsResourceGetMappedPointer");
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t,
                                                  unsigned int, unsigned int) {
  return not_supported("cudaGraphicsSubResourceGetMappedArray");
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned int) {
  return not_supported("cudaGraphicsResourceSetMapFlags");
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) {
  return not_supported("cudaGraphicsUnregisterResource");
}
cudaError_t cudaGLGetDevices(unsigned int*, int*, unsigned int, cudaGLDeviceList) {
  return not_supported("cudaGLGetDevices");
}
cudaError_t cudaGLSetGLDevice(int) { return not_supported("cudaGLSetGLDevice"); }
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource**, GLuint, unsigned int) {
  return not_supported("cudaGraphicsGLRegisterBuffer");
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource**, GLuint, GLenum, unsigned int) {
  return not_supported("cudaGraphicsGLRegisterImage");
}
cudaError_t cudaGLRegisterBufferObject(GLuint) {
  return not_supported("cudaGLRegisterBufferObject");
}
cudaError_t cudaGLMapBufferObject(void**, GLuint) { return not_supported("cudaGLMapBufferObject"); }
cudaError_t cudaGLUnmapBufferObject(GLuint) { return not_supported("cudaGLUnmapBufferObject"); }
cudaError_t cudaGLUnregisterBufferObject(GLuint) {
  return not_supported("cudaGLUnregisterBufferObject");
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
