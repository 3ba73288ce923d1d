// Declarations of OpenGL interop, so that a program may include them. A simulated device has no
// display: the first call of a program that uses one returns cudaErrorNotSupported.
#ifndef RADDLE_CUDA_GL_INTEROP_H
#define RADDLE_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__  // programs test for it

#include "cuda_runtime_api.h"

// As OpenGL's own headers define them; a program that uses OpenGL includes those itself.
typedef unsigned int GLenum;
typedef unsigned int GLuint;

#ifdef __cplusplus
extern "C" {
#endif

enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame = 2,
  cudaGLDeviceListNextFrame = 3
};
cudaError_t cudaGLGetDevices(unsigned int* count, int* devices, unsigned int capacity,
                             enum cudaGLDeviceList list);
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource** resource, GLuint buffer,
                                         unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource** resource, GLuint image,
                                        GLenum target, unsigned int flags);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void** pointer, GLuint buffer);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);

#ifdef __cplusplus
}
#endif

#endif
