// Loads and stores of 8, 16, 32 and 64 bits, signed and unsigned, single and as vectors; packed and padded structures, bit
// fields, bool; and what an odd structure's copy in a kernel does (memcpy, memset).
#include <stdint.h>

#include "check.h"

template <class T>
__global__ void triple(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = (T)((uint64_t)in[i] * 3 + 1);
}

// Sign extension on the way from memory shows in the wide sum.
template <class T>
__global__ void widen(const T* in, long long* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = (long long)((uint64_t)(long long)in[i] * 1000);
}

template <class T>
void check_width() {
  const int n = 100;
  T *in, *out;
  long long* wide;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(T)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(T)));
  CUDA_CHECK(cudaMallocManaged(&wide, n * sizeof(long long)));
  for (int i = 0; i < n; ++i) in[i] = (T)((uint64_t)(i - 50) * 0x123456789abcull);
  triple<<<2, 64>>>(in, out, n);
  widen<<<1, 128>>>(in, wide, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, out[n - 1 - i], (T)((uint64_t)in[i] * 3 + 1));
    CHECK_EQUAL_AT(i, wide[i], (long long)((uint64_t)(long long)in[i] * 1000));
  }
}

template <class V>
__global__ void rotate(const V* in, V* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  V v = in[i];
  auto first = v.x;
  v.x = v.y;
  v.y = v.z;
  v.z = v.w;
  v.w = first;
  out[i] = v;
}

template <class V>
void check_vector() {
  const int n = 40;
  V *in, *out;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(V)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(V)));
  using T = decltype(in->x);
  for (int i = 0; i < n; ++i) in[i] = V{(T)i, (T)(i * 3), (T)(i * 5 + 1), (T)(100 - i)};
  rotate<<<1, 64>>>(in, out, n);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i)
    CHECK(out[i].x == in[i].y && out[i].y == in[i].z && out[i].z == in[i].w && out[i].w == in[i].x);
}

struct Record {
  char tag;
  short kind;
  unsigned low : 5, middle : 11, high : 16;
  bool valid;
  double value;
  char name[13];
};

#pragma pack(push, 1)
struct Packed {
  char tag;
  int number;
  short tail;
};
#pragma pack(pop)

__global__ void use_records(const Record* in, Record* out, Packed* packed, float3* triples, double2* pairs) {
  const int i = threadIdx.x;
  Record r;
  memset(&r, 0, sizeof r);
  memcpy(&r, &in[i], sizeof r);
  r.middle += 1;
  r.high ^= r.low;
  r.valid = !r.valid;
  memset(r.name + 3, 'z', 4);
  memcpy(r.name + 8, in[i].name, 3);
  out[i] = r;
  packed[i].number = packed[i].number * 2 + packed[i].tag;
  packed[i].tail = (short)(packed[i].number >> 3);
  const float3 t = triples[i];
  triples[i] = make_float3(t.z, t.x, t.y);
  pairs[i] = make_double2(pairs[i].y, -pairs[i].x);
}

static void check_records() {
  const int n = 32;
  Record *in, *out;
  Packed *packed, before[n];
  float3* triples;
  double2* pairs;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(Record)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(Record)));
  CUDA_CHECK(cudaMallocManaged(&packed, n * sizeof(Packed)));
  CUDA_CHECK(cudaMallocManaged(&triples, n * sizeof(float3)));
  CUDA_CHECK(cudaMallocManaged(&pairs, n * sizeof(double2)));
  memset(in, 0, n * sizeof(Record));
  for (int i = 0; i < n; ++i) {
    in[i].tag = (char)(-i);
    in[i].kind = (short)(i * 1000);
    in[i].low = i;
    in[i].middle = i * 60;
    in[i].high = i * 2000;
    in[i].valid = i % 2;
    in[i].value = i / 7.0;
    memcpy(in[i].name, "abcdefghijkl", 13);
    before[i].tag = (char)i;
    before[i].number = i * -99999;
    before[i].tail = 0;
    packed[i] = before[i];
    triples[i] = make_float3(i, i + 0.5f, -i);
    pairs[i] = make_double2(i, i * 0.1);
  }
  use_records<<<1, n>>>(in, out, packed, triples, pairs);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK(out[i].tag == in[i].tag && out[i].kind == in[i].kind && out[i].value == in[i].value);
    CHECK_EQUAL_AT(i, out[i].middle, (in[i].middle + 1u) % 2048);
    CHECK_EQUAL_AT(i, out[i].high, in[i].high ^ in[i].low);
    CHECK_EQUAL_AT(i, out[i].valid, !in[i].valid);
    CHECK(memcmp(out[i].name, "abczzzzhabcl", 13) == 0);
    const int number = before[i].number * 2 + before[i].tag;
    CHECK_EQUAL_AT(i, packed[i].number, number);
    CHECK_EQUAL_AT(i, packed[i].tail, (short)(number >> 3));
    CHECK(triples[i].x == -i && triples[i].y == i && triples[i].z == i + 0.5f);
    CHECK(pairs[i].x == i * 0.1 && pairs[i].y == -i);
  }
}

int main() {
  check_width<signed char>();
  check_width<unsigned char>();
  check_width<short>();
  check_width<unsigned short>();
  check_width<int>();
  check_width<unsigned>();
  check_width<long long>();
  check_width<unsigned long long>();
  check_vector<char4>();
  check_vector<ushort4>();
  check_vector<int4>();
  check_vector<float4>();
  check_vector<longlong4>();
  check_vector<double4>();
  check_records();
  return all_ok();
}
