// Cube maps: each direction reads the face that its largest coordinate names, layered maps and texture references as well;
// filtering stays within a face, whatever the address mode; surfaces name the face.
#include "check.h"

constexpr int kSide = 8, kFace = kSide * kSide, kLayers = 2;

texture<float, cudaTextureTypeCubemap, cudaReadModeElementType> reference;

// The direction to a place of a face; s and t run from -1 to 1. The axes stand in OpenGL's table of cube maps.
__host__ __device__ static float3 direction(int face, float s, float t, float size) {
  const float x[6] = {1, -1, s, s, s, -s}, y[6] = {-t, -t, 1, -1, -t, -t}, z[6] = {-s, s, t, -t, 1, -1};
  return make_float3(x[face] * size, y[face] * size, z[face] * size);
}

// `from` is in texels.
__global__ void read_faces(cudaTextureObject_t map, cudaTextureObject_t layered, float from, float* out) {
  const int i = threadIdx.x, j = threadIdx.y, face = threadIdx.z;
  const float3 d = direction(face, (i + from) / kSide * 2 - 1, (j + from) / kSide * 2 - 1, 0.5f + i);
  float* place = out + face * kFace + j * kSide + i;
  place[0] = texCubemap<float>(map, d.x, d.y, d.z);
  place[6 * kFace] = texCubemap(reference, d.x, d.y, d.z);
  place[12 * kFace] = texCubemapLayered<float>(layered, d.x, d.y, d.z, 1);
  texCubemapLod(&place[18 * kFace], map, d.x, d.y, d.z, 0.0f);
}

__global__ void swap_faces(cudaSurfaceObject_t map) {
  const int x = threadIdx.x * sizeof(float), y = threadIdx.y;
  const float value = surfCubemapread<float>(map, x, y, 1);
  surfCubemapwrite(surfCubemapread<float>(map, x, y, 4), map, x, y, 1);
  surfCubemapwrite(value, map, x, y, 4);
}

static cudaArray_t make_map(const float* texels, int layers) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(kSide, kSide, 6 * layers);
  cudaArray_t array;
  const unsigned flags = cudaArrayCubemap | cudaArraySurfaceLoadStore | (layers > 1 ? cudaArrayLayered : 0);
  CUDA_CHECK(cudaMalloc3DArray(&array, &desc, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void*)texels, kSide * sizeof(float), kSide, kSide);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&copy));
  return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  texture.normalizedCoords = 1;
  texture.filterMode = filter;
  for (cudaTextureAddressMode& mode : texture.addressMode) mode = cudaAddressModeWrap;
  cudaTextureObject_t object;
  CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

static void check_refusals() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &desc, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &desc, make_cudaExtent(4, 4, 12), cudaArrayCubemap));
  EXPECT_ERROR(cudaErrorInvalidValue,
               cudaMalloc3DArray(&array, &desc, make_cudaExtent(4, 4, 8), cudaArrayCubemap | cudaArrayLayered));
  cudaGetLastError();
}

int main() {
  float texels[kLayers * 6 * kFace], *out;
  for (int i = 0; i < kLayers * 6 * kFace; ++i) texels[i] = (float)((i * 37) % 1009);
  cudaArray_t map = make_map(texels, 1), layered = make_map(texels, kLayers);
  CUDA_CHECK(cudaMallocManaged(&out, 24 * kFace * sizeof(float)));
  reference.normalized = 1;
  CUDA_CHECK(cudaBindTextureToArray(reference, map));
  const dim3 block(kSide, kSide, 6);

  read_faces<<<1, block>>>(texture_of(map, cudaFilterModePoint), texture_of(layered, cudaFilterModePoint), 0.5f, out);
  CHECK_LAUNCH();
  for (int i = 0; i < 6 * kFace; ++i) {
    CHECK_EQUAL_AT(i, out[i], texels[i]);
    CHECK_EQUAL_AT(i, out[6 * kFace + i], texels[i]);
    CHECK_EQUAL_AT(i, out[12 * kFace + i], texels[6 * kFace + i]);
    CHECK_EQUAL_AT(i, out[18 * kFace + i], texels[i]);
  }
  // Half a texel to the left and up: the mean of four, those of the edge counted again.
  read_faces<<<1, block>>>(texture_of(map, cudaFilterModeLinear), texture_of(layered, cudaFilterModeLinear), 0.01f, out);
  CHECK_LAUNCH();
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        const auto at = [&](int x, int y) { return texels[face * kFace + (y < 0 ? 0 : y) * kSide + (x < 0 ? 0 : x)]; };
        const float w = 0.51f;
        const float left = at(i - 1, j - 1) * (1 - w) + at(i - 1, j) * w, right = at(i, j - 1) * (1 - w) + at(i, j) * w;
        CHECK_NEAR_AT(face * kFace + j * kSide + i, out[face * kFace + j * kSide + i], left * (1 - w) + right * w, 6);
      }

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = map;
  cudaSurfaceObject_t surface;
  CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
  swap_faces<<<1, dim3(kSide, kSide)>>>(surface);
  read_faces<<<1, block>>>(texture_of(map, cudaFilterModePoint), texture_of(layered, cudaFilterModePoint), 0.5f, out);
  CHECK_LAUNCH();
  for (int i = 0; i < kFace; ++i) {
    CHECK_EQUAL_AT(i, out[kFace + i], texels[4 * kFace + i]);
    CHECK_EQUAL_AT(i, out[4 * kFace + i], texels[kFace + i]);
    CHECK_EQUAL_AT(i, out[2 * kFace + i], texels[2 * kFace + i]);
  }
  check_refusals();
  return all_ok();
}
