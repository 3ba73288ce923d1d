// Texture references bound to linear memory, as programs of the GT200 years used them to have a cached read path: element
// types of one to sixteen bytes, an offset that the binding reports, rebinding between launches, unbinding.
#include "check.h"

texture<float, 1, cudaReadModeElementType> texFloat;
texture<int, 1> texInt;
texture<uint2, 1, cudaReadModeElementType> texPair;
texture<float4, 1, cudaReadModeElementType> texQuad;
texture<unsigned char, 1, cudaReadModeElementType> texByte;
texture<short2, cudaTextureType1D, cudaReadModeElementType> texShorts;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> texUnit;

__global__ void gather(float* out, const int* where, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch(texFloat, where[i] + offset);
}

__global__ void all_types(int* ints, uint2* pairs, float4* quads, int* bytes, int* shorts, float* units, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    ints[i] = tex1Dfetch(texInt, n - 1 - i);
    pairs[i] = tex1Dfetch(texPair, i);
    quads[i] = tex1Dfetch(texQuad, i ^ 1);
    bytes[i] = tex1Dfetch(texByte, i);
    short2 s = tex1Dfetch(texShorts, i);
    shorts[i] = s.x * 1000 + s.y;
    units[i] = tex1Dfetch(texUnit, i);
}

template <class T>
T* to_device(const T* host, int n)
{
    T* device;
    CUDA_CHECK(cudaMalloc((void**)&device, n * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T>
void fetch_back(T* host, const T* device, int n)
{
    CUDA_CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
}

static void check_gather()
{
    const int n = 500;
    float data[1024], out[n], *d_out;
    int where[n];
    for (int i = 0; i < 1024; i++) data[i] = i * 0.25f - 3;
    for (int i = 0; i < n; i++) where[i] = (i * 37) % 512;
    float* d_data = to_device(data, 1024);
    int* d_where = to_device(where, n);
    CUDA_CHECK(cudaMalloc((void**)&d_out, sizeof out));

    size_t offset = 1;
    CUDA_CHECK(cudaBindTexture(0, texFloat, d_data, sizeof data));
    gather<<<4, 128>>>(d_out, d_where, n, 0);
    fetch_back(out, d_out, n);
    for (int i = 0; i < n; i++) CHECK_EQUAL_AT(i, out[i], data[where[i]]);

    // Rebound to the second half; the offset, if any, is in bytes.
    CUDA_CHECK(cudaBindTexture(&offset, texFloat, d_data + 512, 512 * sizeof(float)));
    gather<<<4, 128>>>(d_out, d_where, n, offset / sizeof(float));
    fetch_back(out, d_out, n);
    for (int i = 0; i < n; i++) CHECK_EQUAL_AT(i, out[i], data[512 + where[i]]);
    CUDA_CHECK(cudaUnbindTexture(texFloat));
}

int main()
{
    check_gather();
    const int n = 64;
    int ints[n], out_ints[n], out_bytes[n], out_shorts[n];
    uint2 pairs[n], out_pairs[n];
    float4 quads[n], out_quads[n];
    unsigned char bytes[n];
    short2 shorts[n];
    float out_units[n];
    for (int i = 0; i < n; i++) {
        ints[i] = i * -1234567;
        pairs[i] = make_uint2(i, ~i);
        quads[i] = make_float4(i, i + 0.5f, -i, 1.0f / (i + 1));
        bytes[i] = (unsigned char)(i * 5);
        shorts[i] = make_short2(-i, i * 300);
    }
    CUDA_CHECK(cudaBindTexture(0, texInt, to_device(ints, n)));
    CUDA_CHECK(cudaBindTexture(0, texPair, to_device(pairs, n), sizeof pairs));
    CUDA_CHECK(cudaBindTexture(0, texQuad, to_device(quads, n), cudaCreateChannelDesc<float4>(), sizeof quads));
    CUDA_CHECK(cudaBindTexture(0, texByte, to_device(bytes, n), sizeof bytes));
    CUDA_CHECK(cudaBindTexture(0, texShorts, to_device(shorts, n), sizeof shorts));
    CUDA_CHECK(cudaBindTexture(0, texUnit, to_device(bytes, n), sizeof bytes));
    int* d_ints = to_device(ints, n);
    int* d_bytes = to_device(ints, n);
    int* d_shorts = to_device(ints, n);
    uint2* d_pairs = to_device(pairs, n);
    float4* d_quads = to_device(quads, n);
    float* d_units = to_device(out_units, n);
    all_types<<<1, n>>>(d_ints, d_pairs, d_quads, d_bytes, d_shorts, d_units, n);
    CHECK_LAUNCH();
    fetch_back(out_ints, d_ints, n);
    fetch_back(out_pairs, d_pairs, n);
    fetch_back(out_quads, d_quads, n);
    fetch_back(out_bytes, d_bytes, n);
    fetch_back(out_shorts, d_shorts, n);
    fetch_back(out_units, d_units, n);
    for (int i = 0; i < n; i++) {
        CHECK_EQUAL_AT(i, out_ints[i], ints[n - 1 - i]);
        CHECK(memcmp(&out_pairs[i], &pairs[i], sizeof(uint2)) == 0);
        CHECK(memcmp(&out_quads[i], &quads[i ^ 1], sizeof(float4)) == 0);
        CHECK_EQUAL_AT(i, out_bytes[i], (int)bytes[i]);
        CHECK_EQUAL_AT(i, out_shorts[i], shorts[i].x * 1000 + shorts[i].y);
        CHECK_NEAR_AT(i, out_units[i], bytes[i] / 255.0, 1e-7);
    }
    return all_ok();
}
