// Texture references, texture objects and surfaces of every element type and geometry.
texture<float, 1, cudaReadModeElementType> linear_floats;
texture<float> short_form;
texture<int2, 1> double_as_int2;
texture<float4, cudaTextureType2D, cudaReadModeElementType> image;
texture<uint4, 2, cudaReadModeElementType> unsigned_image;
texture<char, 2> bytes;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> normalized;
texture<ushort2, 2, cudaReadModeNormalizedFloat> normalized_pairs;
texture<unsigned short, 2> shorts;
static texture<float, 3> volume;
texture<float, cudaTextureType1DLayered> layers;
texture<float, cudaTextureType2DLayered> image_layers;
surface<void, cudaSurfaceType2D> surface_reference;

__device__ float fetch_through_function(int i) { return tex1Dfetch(linear_floats, i); }

__global__ void references(float* out) {
  const int i = threadIdx.x;
  const float x = (float)i;
  out[i] = tex1Dfetch(linear_floats, i) + tex1D(short_form, x) + fetch_through_function(i + 1);
  const int2 pair = tex1Dfetch(double_as_int2, i);
  out[i] += (float)__hiloint2double(pair.y, pair.x);
  const float4 pixel = tex2D(image, x, 1.5f);
  const uint4 words = tex2D(unsigned_image, x, 2.5f);
  out[i] += pixel.x + pixel.w + (float)words.y + (float)tex2D(bytes, x, x) +
            tex2D(normalized, x, x) + tex2D(normalized_pairs, x, x).y +
            (float)tex2D(shorts, x, 0.0f) + tex3D(volume, x, x, x) + tex1DLayered(layers, x, 2) +
            tex2DLayered(image_layers, x, x, 1);
  float from_surface;
  surf2Dread(&from_surface, surface_reference, i * 4, 0);
  surf2Dwrite(from_surface + 1.0f, surface_reference, i * 4, 1, cudaBoundaryModeClamp);
}

__global__ void objects(cudaTextureObject_t texture_object, cudaSurfaceObject_t surface_object,
                        float* out) {
  const int i = threadIdx.x;
  const float x = (float)i;
  out[i] =
      tex1Dfetch<float>(texture_object, i) + tex1D<float>(texture_object, x) +
      tex2D<float>(texture_object, x, x) + tex3D<float>(texture_object, x, x, x) +
      tex2D<float4>(texture_object, x, x).z + (float)tex2D<uchar4>(texture_object, x, x).y +
      (float)tex2D<short>(texture_object, x, x) + tex2DLod<float>(texture_object, x, x, 0.0f) +
      tex2DLayered<float>(texture_object, x, x, 1) +
      tex2DGrad<float>(texture_object, x, x, make_float2(1, 0), make_float2(0, 1)) +
      tex1DGrad<float>(texture_object, x, 1.0f, 1.0f) +
      tex3DGrad<float>(texture_object, x, x, x, make_float4(1, 0, 0, 0), make_float4(0, 1, 0, 0)) +
      tex2DLayeredLod<float>(texture_object, x, x, 1, 0.0f) +
      tex2Dgather<float4>(texture_object, x, x, 1).x;
  float by_pointer;
  tex2D(&by_pointer, texture_object, x, x);
  out[i] += by_pointer + surf1Dread<float>(surface_object, i * 4) +
            surf2Dread<float>(surface_object, i * 4, i) +
            surf2Dread<float4>(surface_object, i * 16, i, cudaBoundaryModeZero).x;
  uchar4 colour = surf2Dread<uchar4>(surface_object, i * 4, i);
  surf2Dwrite(colour, surface_object, i * 4, i);
  surf2Dwrite(by_pointer, surface_object, i * 4, i, cudaBoundaryModeClamp);
  surf3Dwrite(by_pointer, surface_object, i * 4, i, i);
  surf1Dwrite((unsigned char)3, surface_object, i);
  double wide;
  surf2Dread(&wide, surface_object, i * 8, i);
  surf2DLayeredwrite(wide, surface_object, i * 8, i, 1);
}

int main() {
  float* device = 0;
  cudaMalloc(&device, 1024);
  size_t offset = 0;
  cudaBindTexture(0, linear_floats, device, 1024);
  cudaBindTexture(&offset, short_form, device);
  cudaBindTexture(&offset, &linear_floats, device, &linear_floats.channelDesc, 1024);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
  cudaBindTexture2D(&offset, image, device, desc, 4, 4, 64);
  cudaBindTexture2D(&offset, &image, device, &desc, 4, 4, 64);
  cudaArray* array = 0;
  cudaMallocArray(&array, &desc, 4, 4);
  cudaMemcpyToArray(array, 0, 0, device, 256, cudaMemcpyDeviceToDevice);
  image.normalized = true;
  image.filterMode = cudaFilterModeLinear;
  image.addressMode[0] = cudaAddressModeWrap;
  image.addressMode[1] = cudaAddressModeClamp;
  cudaBindTextureToArray(image, array, desc);
  cudaBindTextureToArray(image, array);
  cudaBindTextureToArray(&image, array, &desc);
  cudaUnbindTexture(image);
  cudaUnbindTexture(&image);
  cudaBindSurfaceToArray(surface_reference, array);
  cudaBindSurfaceToArray(surface_reference, array, desc);
  references<<<1, 4>>>(device);

  cudaResourceDesc resource;
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture_object = 0;
  cudaCreateTextureObject(&texture_object, &resource, &description, NULL);
  cudaSurfaceObject_t surface_object = 0;
  cudaCreateSurfaceObject(&surface_object, &resource);
  objects<<<1, 4>>>(texture_object, surface_object, device);
  cudaDestroyTextureObject(texture_object);
  cudaDestroySurfaceObject(surface_object);
  return 0;
}
