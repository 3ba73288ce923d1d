// Sharing buffers with OpenGL: the header may be included, but there is no display, and the first call says so.
#include <cuda_gl_interop.h>

#include <stdio.h>

int main() {
  cudaGraphicsResource* resource;
  puts(cudaGetErrorString(cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsNone)));
}
