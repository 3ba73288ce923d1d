// Sharing buffers with OpenGL: there is no display; refused when it is compiled.
#include <cuda_gl_interop.h>

int main() {
  cudaGraphicsResource* resource;
  return cudaGraphicsGLRegisterBuffer(&resource, 1, 0);
}
