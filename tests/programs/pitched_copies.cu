// Two- and three-dimensional memory: cudaMallocPitch, cudaMalloc3D, their copies and fills in all directions, and kernels
// with three-dimensional grids and blocks.
#include "check.h"

__global__ void increase_rows(char* base, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) ((float*)(base + y * pitch))[x] += 1000 * y + x;
}

__global__ void number_volume(cudaPitchedPtr volume, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth) return;
  char* slice = (char*)volume.ptr + z * volume.pitch * height;
  int* row = (int*)(slice + y * volume.pitch);
  row[x] += (z * 100 + y) * 100 + x;
}

// Every thread of a 3-D launch says who it is.
__global__ void identify(int4* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = make_int4(
      blockIdx.x * 100 + threadIdx.x, blockIdx.y * 100 + threadIdx.y, blockIdx.z * 100 + threadIdx.z, thread);
}

static void check_2d() {
  const int width = 37, height = 11;
  float host[height][width + 3], back[height][width];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width + 3; ++x) host[y][x] = x * 0.5f - y;
  char *first, *second;
  size_t pitch, other_pitch;
  CUDA_CHECK(cudaMallocPitch((void**)&first, &pitch, width * sizeof(float), height));
  CUDA_CHECK(cudaMallocPitch((void**)&second, &other_pitch, 2 * width * sizeof(float), height));
  CHECK(pitch >= width * sizeof(float) && pitch % 32 == 0);
  CUDA_CHECK(cudaMemset2D(second, other_pitch, 0xff, width * sizeof(float), height));
  CUDA_CHECK(cudaMemcpy2D(first, pitch, host, sizeof host[0], width * sizeof(float), height, cudaMemcpyHostToDevice));
  increase_rows<<<dim3((width + 15) / 16, (height + 3) / 4), dim3(16, 4)>>>(first, pitch, width, height);
  CHECK_LAUNCH();
  // All but the last row, to another pitch and back.
  CUDA_CHECK(cudaMemcpy2DAsync(second, other_pitch, first, pitch, width * sizeof(float), height - 1,
                               cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaMemcpy2D(back, sizeof back[0], second, other_pitch, sizeof back[0], height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height - 1; ++y)
    for (int x = 0; x < width; ++x) CHECK_EQUAL_AT(x, back[y][x], host[y][x] + 1000 * y + x);
  unsigned last;
  memcpy(&last, &back[height - 1][width - 1], sizeof last);
  CHECK_EQUAL(last, 0xffffffffu);
  EXPECT_ERROR(cudaErrorInvalidPitchValue,
               cudaMemcpy2D(first, 8, host, sizeof host[0], width * sizeof(float), height, cudaMemcpyHostToDevice));
  cudaGetLastError();
}

static void check_3d() {
  const int width = 9, height = 7, depth = 5;
  int host[depth][height][width], back[depth][height][width];
  for (int i = 0; i < depth * height * width; ++i) (&host[0][0][0])[i] = i * 1000000;
  cudaPitchedPtr volume;
  const cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  CUDA_CHECK(cudaMalloc3D(&volume, extent));
  CHECK(volume.pitch >= width * sizeof(int) && volume.ysize == height);
  CUDA_CHECK(cudaMemset3D(volume, 0, extent));
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(host, width * sizeof(int), width, height);
  in.dstPtr = volume;
  in.extent = make_cudaExtent(width * sizeof(int), height, depth - 1);  // the last slice stays zero
  in.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&in));
  number_volume<<<dim3(3, 2, 3), dim3(4, 4, 2)>>>(volume, width, height, depth);
  CHECK_LAUNCH();
  cudaMemcpy3DParms out = {};
  out.srcPtr = volume;
  out.dstPtr = make_cudaPitchedPtr(back, width * sizeof(int), width, height);
  out.extent = extent;
  out.kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaMemcpy3D(&out));
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        CHECK_EQUAL_AT(x, back[z][y][x], (z < depth - 1 ? host[z][y][x] : 0) + (z * 100 + y) * 100 + x);
}

static void check_ids() {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  const int threads = 60, blocks = 12;
  int4 *out, host[threads * blocks];
  CUDA_CHECK(cudaMalloc(&out, sizeof host));
  identify<<<grid, block>>>(out);
  CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < threads * blocks; ++i) {
    const int b = i / threads, t = i % threads;
    CHECK_EQUAL_AT(i, host[i].x, b % 3 * 100 + t % 5);
    CHECK_EQUAL_AT(i, host[i].y, b / 3 % 2 * 100 + t / 5 % 4);
    CHECK_EQUAL_AT(i, host[i].z, b / 6 * 100 + t / 20);
    CHECK_EQUAL_AT(i, host[i].w, t);
  }
}

int main() {
  check_2d();
  check_3d();
  check_ids();
  return all_ok();
}
