// Texture references bound to CUDA arrays: uint4, char, ushort and float elements, address modes, linear filtering,
// normalized coordinates, normalized reads, a pitched 2-D binding and a 3-D array.
#include "check.h"

#define W 20
#define H 12
#define D 5

texture<uint4, 2, cudaReadModeElementType> texWords;
texture<char, 2, cudaReadModeElementType> texChars;
texture<unsigned short, 2, cudaReadModeElementType> texShorts;
texture<float, 2, cudaReadModeElementType> texFloats;
texture<uchar4, 2, cudaReadModeNormalizedFloat> texColours;
texture<float, 2> texPitched;
texture<float, 3, cudaReadModeElementType> texVolume;
texture<float, 1> texLine;

__global__ void read_all(uint4* words, int* chars, int* shorts, float* floats, float4* colours, float* pitched)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int i = y * W + x;
    words[i] = tex2D(texWords, x, y);
    chars[i] = tex2D(texChars, x, y);
    shorts[i] = tex2D(texShorts, x, y);
    floats[i] = tex2D(texFloats, x + 0.5f, y + 0.5f);
    colours[i] = tex2D(texColours, x, y);
    pitched[i] = tex2D(texPitched, x, y);
}

// Samples at arbitrary places: (x, y) pairs.
__global__ void sample(float* out, const float2* at, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = tex2D(texFloats, at[i].x, at[i].y);
}

__global__ void read_volume(float* out)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * blockDim.y + y) * blockDim.x + x] = tex3D(texVolume, x + 0.5f, y + 0.5f, z + 0.5f);
}

__global__ void read_line(float* out, float step) { out[threadIdx.x] = tex1D(texLine, threadIdx.x * step); }

template <class T>
cudaArray* make_array(const T* host)
{
    cudaArray* array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    CUDA_CHECK(cudaMallocArray(&array, &desc, W, H));
    CUDA_CHECK(cudaMemcpyToArray(array, 0, 0, host, W * H * sizeof(T), cudaMemcpyHostToDevice));
    return array;
}

static float at(const float* f, int x, int y)
{
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return f[y * W + x];
}

static int wrap(int i, int n) { return ((i % n) + n) % n; }

template <class T>
T* managed(int n)
{
    T* p;
    CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}

static void check_modes(const float* f, cudaArray* array)
{
    const int n = 8;
    float2* places = managed<float2>(n);
    float* out = managed<float>(n);
    const float xs[n] = {0, -3.5f, 25, 3.5f, 7.25f, 19.75f, 10.5f, -1}, ys[n] = {0, 2, 30, -4, 3.75f, 11.75f, 6, 5.5f};
    for (int i = 0; i < n; i++) places[i] = make_float2(xs[i], ys[i]);
    texFloats.addressMode[0] = texFloats.addressMode[1] = cudaAddressModeClamp;
    texFloats.filterMode = cudaFilterModePoint;
    CUDA_CHECK(cudaBindTextureToArray(texFloats, array));
    sample<<<1, 32>>>(out, places, n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; i++) CHECK_EQUAL_AT(i, out[i], at(f, floorf(xs[i]), floorf(ys[i])));

    // Linear: quarter positions are exact in the 8 fraction bits that the hardware keeps.
    texFloats.filterMode = cudaFilterModeLinear;
    CUDA_CHECK(cudaBindTextureToArray(texFloats, array));
    sample<<<1, 32>>>(out, places, n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; i++) {
        const float x = xs[i] - 0.5f, y = ys[i] - 0.5f, a = x - floorf(x), b = y - floorf(y);
        const int l = floorf(x), t = floorf(y);
        const float expected = (1 - a) * (1 - b) * at(f, l, t) + a * (1 - b) * at(f, l + 1, t) +
                               (1 - a) * b * at(f, l, t + 1) + a * b * at(f, l + 1, t + 1);
        CHECK_NEAR_AT(i, out[i], expected, 1e-3);
    }

    // Normalized and wrapping: whole turns do not matter.
    texFloats.normalized = true;
    texFloats.filterMode = cudaFilterModePoint;
    texFloats.addressMode[0] = texFloats.addressMode[1] = cudaAddressModeWrap;
    for (int i = 0; i < n; i++) places[i] = make_float2((i * 3 + 0.5f) / W - 1, (i + 0.5f) / H + 2);
    CUDA_CHECK(cudaBindTextureToArray(texFloats, array));
    sample<<<1, 32>>>(out, places, n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; i++) CHECK_EQUAL_AT(i, out[i], f[wrap(i, H) * W + wrap(i * 3, W)]);
}

static void check_volume_and_line()
{
    float volume[D * H * W], *out = managed<float>(D * H * W);
    for (int i = 0; i < D * H * W; i++) volume[i] = i * 0.5f;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray *array, *line;
    cudaExtent extent = make_cudaExtent(W, H, D);
    CUDA_CHECK(cudaMalloc3DArray(&array, &desc, extent));
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(volume, W * sizeof(float), W, H);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    CUDA_CHECK(cudaBindTextureToArray(texVolume, array, desc));
    read_volume<<<1, dim3(10, 6, 5)>>>(out);
    CHECK_LAUNCH();
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 6; y++)
            for (int x = 0; x < 10; x++)
                CHECK_EQUAL_AT(x, out[(z * 6 + y) * 10 + x], volume[(z * H + y) * W + x]);

    CUDA_CHECK(cudaMallocArray(&line, &desc, 64));
    CUDA_CHECK(cudaMemcpyToArray(line, 0, 0, volume, 64 * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaBindTextureToArray(texLine, line));
    read_line<<<1, 32>>>(out, 2.25f);
    CHECK_LAUNCH();
    for (int i = 0; i < 32; i++) CHECK_EQUAL_AT(i, out[i], volume[(int)(i * 2.25f) < 64 ? (int)(i * 2.25f) : 63]);
    CUDA_CHECK(cudaUnbindTexture(texVolume));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFreeArray(line));
}

int main()
{
    const int n = W * H;
    uint4 words[n];
    char chars[n];
    unsigned short shorts[n];
    float floats[n];
    uchar4 colours[n];
    for (int i = 0; i < n; i++) {
        words[i] = make_uint4(i, i * i, ~i, 0xdeadbeef);
        chars[i] = (char)(i - 120);
        shorts[i] = (unsigned short)(i * 273);
        floats[i] = sinf(i);
        colours[i] = make_uchar4(i % 256, 255 - i % 256, 0, 255);
    }
    CUDA_CHECK(cudaBindTextureToArray(texWords, make_array(words)));
    CUDA_CHECK(cudaBindTextureToArray(texChars, make_array(chars)));
    CUDA_CHECK(cudaBindTextureToArray(texShorts, make_array(shorts)));
    cudaArray* float_array = make_array(floats);
    CUDA_CHECK(cudaBindTextureToArray(texFloats, float_array));
    CUDA_CHECK(cudaBindTextureToArray(texColours, make_array(colours)));
    float* d_pitched;
    size_t pitch, offset;
    CUDA_CHECK(cudaMallocPitch((void**)&d_pitched, &pitch, W * sizeof(float), H));
    CUDA_CHECK(cudaMemcpy2D(d_pitched, pitch, floats, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaBindTexture2D(&offset, texPitched, d_pitched, cudaCreateChannelDesc<float>(), W, H, pitch));
    CHECK_EQUAL(offset, 0u);

    uint4* out_words = managed<uint4>(n);
    int *out_chars = managed<int>(n), *out_shorts = managed<int>(n);
    float *out_floats = managed<float>(n), *out_pitched = managed<float>(n);
    float4* out_colours = managed<float4>(n);
    read_all<<<dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8)>>>(out_words, out_chars, out_shorts, out_floats, out_colours,
                                                          out_pitched);
    CHECK_LAUNCH();
    for (int i = 0; i < n; i++) {
        CHECK(memcmp(&out_words[i], &words[i], sizeof(uint4)) == 0);
        CHECK_EQUAL_AT(i, out_chars[i], (int)chars[i]);
        CHECK_EQUAL_AT(i, out_shorts[i], (int)shorts[i]);
        CHECK_EQUAL_AT(i, out_floats[i], floats[i]);
        CHECK_EQUAL_AT(i, out_pitched[i], floats[i]);
        CHECK_NEAR_AT(i, out_colours[i].x, colours[i].x / 255.0, 1e-7);
        CHECK_NEAR_AT(i, out_colours[i].y, colours[i].y / 255.0, 1e-7);
        CHECK(out_colours[i].z == 0 && out_colours[i].w == 1);
    }
    check_modes(floats, float_array);
    check_volume_and_line();
    return all_ok();
}
