// Texture objects over linear, pitched and array memory, passed to kernels as arguments; surface objects and surface
// references that read, write and clamp; a layered array.
#include "check.h"

constexpr int kWidth = 24, kHeight = 10, kLayers = 3;

surface<void, cudaSurfaceType2D> image;

__global__ void gather(cudaTextureObject_t linear, cudaTextureObject_t pitched, cudaTextureObject_t filtered,
                       float* out_linear, float* out_pitched, float* out_filtered) {
  const int x = threadIdx.x, y = threadIdx.y, i = y * kWidth + x;
  out_linear[i] = tex1Dfetch<float>(linear, i);
  tex2D(&out_pitched[i], pitched, x + 0.5f, y + 0.5f);
  // Half way to the neighbour on the right; the border colour is 0 outside.
  out_filtered[i] = tex2D<float>(filtered, x + 1.0f, y + 0.5f);
}

// Mirrors each row of four-byte pixels and inverts it.
__global__ void mirror(cudaSurfaceObject_t in, cudaSurfaceObject_t out) {
  const int x = threadIdx.x, y = threadIdx.y;
  uchar4 pixel;
  surf2Dread(&pixel, in, x * sizeof(uchar4), y);
  pixel.x = 255 - pixel.x;
  surf2Dwrite(pixel, out, (kWidth - 1 - x) * sizeof(uchar4), y);
}

__global__ void edges(cudaSurfaceObject_t in, int* out) {
  out[0] = surf2Dread<uchar4>(in, -4, 3, cudaBoundaryModeClamp).y;
  out[1] = surf2Dread<uchar4>(in, -4, 3, cudaBoundaryModeZero).y;
  surf2Dwrite(make_uchar4(9, 9, 9, 9), in, 4 * kWidth, 0, cudaBoundaryModeZero);
}

__global__ void fill_reference() {
  surf2Dwrite((float)(threadIdx.y * 100 + threadIdx.x), image, threadIdx.x * sizeof(float), threadIdx.y);
}

__global__ void read_layers(cudaTextureObject_t layers, int* out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * blockDim.y + y) * blockDim.x + x] = tex2DLayered<int>(layers, x, y, z);
}

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

static cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static void check_textures() {
  float host[kWidth * kHeight], *linear, *pitched;
  for (int i = 0; i < kWidth * kHeight; ++i) host[i] = i * 0.25f;
  size_t pitch;
  const size_t row = kWidth * sizeof(float);
  CUDA_CHECK(cudaMalloc(&linear, sizeof host));
  CUDA_CHECK(cudaMemcpy(linear, host, sizeof host, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMallocPitch(&pitched, &pitch, row, kHeight));
  CUDA_CHECK(cudaMemcpy2D(pitched, pitch, host, row, row, kHeight, cudaMemcpyHostToDevice));
  cudaArray_t array;
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  CUDA_CHECK(cudaMallocArray(&array, &desc, kWidth, kHeight));
  CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, host, row, row, kHeight, cudaMemcpyHostToDevice));

  cudaTextureDesc plain = {}, smooth = {};
  plain.readMode = smooth.readMode = cudaReadModeElementType;
  smooth.filterMode = cudaFilterModeLinear;
  smooth.addressMode[0] = smooth.addressMode[1] = cudaAddressModeBorder;
  cudaResourceDesc resource = {};
  cudaTextureObject_t objects[3];
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = desc;
  resource.res.linear.sizeInBytes = sizeof host;
  CUDA_CHECK(cudaCreateTextureObject(&objects[0], &resource, &plain, nullptr));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = desc;
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  CUDA_CHECK(cudaCreateTextureObject(&objects[1], &resource, &plain, nullptr));
  resource = of_array(array);
  CUDA_CHECK(cudaCreateTextureObject(&objects[2], &resource, &smooth, nullptr));

  float* out[3];
  for (float*& o : out) o = managed<float>(kWidth * kHeight);
  gather<<<1, dim3(kWidth, kHeight)>>>(objects[0], objects[1], objects[2], out[0], out[1], out[2]);
  CHECK_LAUNCH();
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const float right = i % kWidth == kWidth - 1 ? 0 : host[i + 1];
    CHECK_EQUAL_AT(i, out[0][i], host[i]);
    CHECK_EQUAL_AT(i, out[1][i], host[i]);
    CHECK_NEAR_AT(i, out[2][i], (host[i] + right) / 2, 1e-4);
  }
  for (cudaTextureObject_t object : objects) CUDA_CHECK(cudaDestroyTextureObject(object));
}

static void check_surfaces() {
  uchar4 host[kWidth * kHeight], back[kWidth * kHeight];
  for (int i = 0; i < kWidth * kHeight; ++i) host[i] = make_uchar4(i % 256, i / 3, 7, 11);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  for (int i = 0; i < 2; ++i) {
    CUDA_CHECK(cudaMallocArray(&arrays[i], &desc, kWidth, kHeight, cudaArraySurfaceLoadStore));
    const cudaResourceDesc resource = of_array(arrays[i]);
    CUDA_CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  const size_t row = kWidth * sizeof(uchar4);
  CUDA_CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, host, row, row, kHeight, cudaMemcpyHostToDevice));
  mirror<<<1, dim3(kWidth, kHeight)>>>(surfaces[0], surfaces[1]);
  CHECK_LAUNCH();
  CUDA_CHECK(cudaMemcpy2DFromArray(back, row, arrays[1], 0, 0, row, kHeight, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const uchar4 expected = host[i / kWidth * kWidth + kWidth - 1 - i % kWidth];
    CHECK_EQUAL_AT(i, back[i].x, 255 - expected.x);
    CHECK(back[i].y == expected.y && back[i].z == 7 && back[i].w == 11);
  }
  int* out = managed<int>(2);
  edges<<<1, 1>>>(surfaces[0], out);
  CHECK_LAUNCH();
  CHECK_EQUAL(out[0], (int)host[3 * kWidth].y);
  CHECK_EQUAL(out[1], 0);
  for (int i = 0; i < 2; ++i) {
    CUDA_CHECK(cudaDestroySurfaceObject(surfaces[i]));
    CUDA_CHECK(cudaFreeArray(arrays[i]));
  }
}

static void check_surface_reference_and_layers() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array, layered;
  CUDA_CHECK(cudaMallocArray(&array, &desc, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CUDA_CHECK(cudaBindSurfaceToArray(image, array));
  fill_reference<<<1, dim3(kWidth, kHeight)>>>();
  CHECK_LAUNCH();
  float back[kWidth * kHeight];
  CUDA_CHECK(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kWidth * kHeight; ++i) CHECK_EQUAL_AT(i, back[i], (float)(i / kWidth * 100 + i % kWidth));

  int host[kLayers * 4 * 8], *out = managed<int>(kLayers * 4 * 8);
  for (int i = 0; i < kLayers * 4 * 8; ++i) host[i] = i * 17 - 100;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  const cudaExtent extent = make_cudaExtent(8, 4, kLayers);
  CUDA_CHECK(cudaMalloc3DArray(&layered, &ints, extent, cudaArrayLayered));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, 8 * sizeof(int), 8, 4);
  copy.dstArray = layered;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&copy));
  cudaTextureDesc plain = {};
  cudaTextureObject_t object;
  const cudaResourceDesc resource = of_array(layered);
  CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &plain, nullptr));
  read_layers<<<1, dim3(8, 4, kLayers)>>>(object, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kLayers * 4 * 8; ++i) CHECK_EQUAL_AT(i, out[i], host[i]);
}

int main() {
  check_textures();
  check_surfaces();
  check_surface_reference_and_layers();
  return all_ok();
}
