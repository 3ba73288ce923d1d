// Matrices over a warp: nvcuda::wmma in every shape and type, and the instructions mma, ldmatrix, stmatrix and movmatrix in inline PTX. The host
// multiplies with three loops; values are small integers where the result is then exact.
// compiled with: -arch=sm_80
#include <mma.h>
#include <string.h>

#include "check.h"

using namespace nvcuda;

template <class T>
T* managed(int n) {
  T* p;
  CUDA_CHECK(cudaMallocManaged(&p, n * sizeof(T)));
  return p;
}

template <class T, class Element, class D, int m, int n, int k, class ALayout, class BLayout>
__global__ void multiply(const T* a, int a_stride, const T* b, int b_stride, const D* c, D* d, int stride, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, m, n, k, Element, ALayout> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, Element, BLayout> fb;
  wmma::fragment<wmma::accumulator, m, n, k, D> fc, twice;
  wmma::load_matrix_sync(fa, a, a_stride);
  wmma::load_matrix_sync(fb, b, b_stride);
  wmma::load_matrix_sync(fc, c, stride, layout);
  wmma::fill_fragment(twice, 0);
  for (int i = 0; i < fc.num_elements; ++i) twice.x[i] = fc.x[i] + fc.x[i];
  wmma::mma_sync(fc, fa, fb, twice);
  wmma::store_matrix_sync(d, fc, stride, layout);
}

// D = A B + 2 C, with A and B in rows or columns.
template <class T, class Element, class D, int m, int n, int k, class ALayout, class BLayout>
void check_shape(bool a_rows, bool b_rows) {
  const int a_stride = (a_rows ? k : m) + 16, b_stride = (b_rows ? n : k) + 16;
  T *a = managed<T>(64 * 64), *b = managed<T>(64 * 64);
  D *c = managed<D>(64 * 64), *d = managed<D>(64 * 64);
  float av[32][16], bv[16][32];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) a[a_rows ? i * a_stride + j : j * a_stride + i] = (T)(av[i][j] = (i * 5 + j * 3) % 7);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j) b[b_rows ? i * b_stride + j : j * b_stride + i] = (T)(bv[i][j] = (i * 2 + j * 7) % 5);
  for (int column_major = 0; column_major < 2; ++column_major) {
    const int stride = (column_major ? m : n) + 8;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) c[column_major ? j * stride + i : i * stride + j] = (D)(float)(i - j);
    multiply<T, Element, D, m, n, k, ALayout, BLayout>
        <<<1, 32>>>(a, a_stride, b, b_stride, c, d, stride, column_major ? wmma::mem_col_major : wmma::mem_row_major);
    CHECK_LAUNCH();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 2.0f * (i - j);
        for (int l = 0; l < k; ++l) sum += av[i][l] * bv[l][j];
        CHECK_EQUAL_AT(i * n + j, (float)d[column_major ? j * stride + i : i * stride + j], sum);
      }
  }
  cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <class T, class Element, class D, int m, int n, int k>
void check_layouts() {
  check_shape<T, Element, D, m, n, k, wmma::row_major, wmma::row_major>(true, true);
  check_shape<T, Element, D, m, n, k, wmma::row_major, wmma::col_major>(true, false);
  check_shape<T, Element, D, m, n, k, wmma::col_major, wmma::row_major>(false, true);
  check_shape<T, Element, D, m, n, k, wmma::col_major, wmma::col_major>(false, false);
}

template <class T, class D>
void check_shapes() {
  check_layouts<T, T, D, 16, 16, 16>();
  check_shape<T, T, D, 32, 8, 16, wmma::row_major, wmma::col_major>(true, false);
  check_shape<T, T, D, 8, 32, 16, wmma::row_major, wmma::row_major>(true, true);
}

// --- fractions: one rounding of the exact sum ------------------------------------------------------------------------------
__global__ void fractions(const __half* a, const __half* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fd;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(fd, 0.0f);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, 16, wmma::mem_row_major);
}

// --- bits ------------------------------------------------------------------------------------------------------------------
__global__ void bits(const unsigned* a, const unsigned* b, int* differ, int* common) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::fill_fragment(fc, 0);
  wmma::bmma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(differ, fc, 8, wmma::mem_row_major);
  wmma::fill_fragment(fc, 0);
  wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpAND);
  wmma::store_matrix_sync(common, fc, 8, wmma::mem_row_major);
}

// --- instructions ------------------------------------------------------------------------------------------------------------
// 16x8 = 16x16 * 16x8 through shared memory: A by ldmatrix.x4, B (rows) by ldmatrix.x2.trans, D back by stmatrix.
__global__ void by_ldmatrix(const __half* a, const __half* b, float* d, __half* copied, unsigned* transposed) {
  __shared__ __align__(16) __half sa[16][24], sb[16][24], sd[8][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i / 16][i % 16] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i / 8][i % 8] = b[i];
  __syncthreads();
  unsigned ra[4], rb[2];
  const unsigned from_a = (unsigned)__cvta_generic_to_shared(&sa[lane % 16][lane / 16 * 8]);
  const unsigned from_b = (unsigned)__cvta_generic_to_shared(&sb[lane % 16][0]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(from_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(from_b));
  float out[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(out[0]), "+f"(out[1]), "+f"(out[2]), "+f"(out[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = out[i];
  const unsigned to = (unsigned)__cvta_generic_to_shared(&sd[lane % 8][0]);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(to), "r"(ra[0]) : "memory");
  __syncthreads();
  for (int i = lane; i < 64; i += 32) copied[i] = sd[i / 8][i % 8];
  unsigned moved;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(ra[0]));
  transposed[lane] = moved;
}

__global__ void by_bytes(const int* a, const int* b, int* d) {  // 16x8 = 16x32 * 32x8 of signed and unsigned bytes
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  int out[4] = {1, 2, 3, 4};
  const int r[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(out[0]), "+r"(out[1]), "+r"(out[2]), "+r"(out[3])
               : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = out[i];
}

void check_instructions() {
  __half *a = managed<__half>(256), *b = managed<__half>(256), *copied = managed<__half>(64);
  float* d = managed<float>(256);
  unsigned* transposed = managed<unsigned>(32);
  for (int i = 0; i < 256; ++i) a[i] = __float2half((float)(i % 23) - 11), b[i] = __float2half((float)(i % 17) * 0.25f);
  by_ldmatrix<<<1, 32>>>(a, b, d, copied, transposed);
  CHECK_LAUNCH();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int l = 0; l < 16; ++l) sum += __half2float(a[i * 16 + l]) * __half2float(b[l * 8 + j]);
      CHECK_EQUAL_AT(i * 8 + j, d[i * 8 + j], sum);
    }
  for (int i = 0; i < 64; ++i) CHECK_EQUAL_AT(i, __half2float(copied[i]), __half2float(a[i % 8 * 16 + i / 8]));
  for (int i = 0; i < 32; ++i) {
    __half pair[2];
    memcpy(pair, &transposed[i], 4);
    for (int part = 0; part < 2; ++part) CHECK_EQUAL_AT(i, __half2float(pair[part]), __half2float(a[(i % 4 * 2 + part) * 16 + i / 4]));
  }
  // The exact sum, rounded once.
  for (int i = 0; i < 256; ++i) a[i] = __float2half(sinf((float)i)), b[i] = __float2half(cosf((float)i) * 3);
  fractions<<<1, 32>>>(a, b, d);
  CHECK_LAUNCH();
  for (int i = 0; i < 256; ++i) {
    double sum = 0;
    for (int l = 0; l < 16; ++l) sum += (double)__half2float(a[i / 16 * 16 + l]) * __half2float(b[l * 16 + i % 16]);
    CHECK_EQUAL_AT(i, d[i], (float)sum);
  }
  int *x = managed<int>(128), *y = managed<int>(64), *z = managed<int>(128);
  signed char* xs = (signed char*)x;
  unsigned char* ys = (unsigned char*)y;
  for (int i = 0; i < 512; ++i) xs[i] = (signed char)(i * 37 % 251 - 125);
  for (int i = 0; i < 256; ++i) ys[i] = (unsigned char)(i * 91 % 256);
  by_bytes<<<1, 32>>>(x, y, z);
  CHECK_LAUNCH();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = i / 8 * 2 + j % 2 + 1;
      for (int l = 0; l < 32; ++l) sum += xs[i * 32 + l] * ys[j * 32 + l];
      CHECK_EQUAL_AT(i * 8 + j, z[i * 8 + j], sum);
    }
}

void check_bits() {
  unsigned *a = managed<unsigned>(32), *b = managed<unsigned>(32);
  int *differ = managed<int>(64), *common = managed<int>(64);
  for (int i = 0; i < 32; ++i) a[i] = 0x9e3779b9u * (i + 1), b[i] = 0x85ebca6bu * (i + 3);
  bits<<<1, 32>>>(a, b, differ, common);
  CHECK_LAUNCH();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int xors = 0, ands = 0;
      for (int w = 0; w < 4; ++w)
        xors += __builtin_popcount(a[i * 4 + w] ^ b[j * 4 + w]), ands += __builtin_popcount(a[i * 4 + w] & b[j * 4 + w]);
      CHECK_EQUAL_AT(i * 8 + j, differ[i * 8 + j], xors);
      CHECK_EQUAL_AT(i * 8 + j, common[i * 8 + j], ands);
    }
}

int main() {
  check_shapes<__half, float>();
  check_layouts<__half, __half, __half, 16, 16, 16>();
  check_shapes<__nv_bfloat16, float>();
  check_shapes<signed char, int>();
  check_shapes<unsigned char, int>();
  check_layouts<float, wmma::precision::tf32, float, 16, 16, 8>();
  check_layouts<double, double, double, 8, 8, 4>();
  check_bits();
  check_instructions();
  return all_ok();
}
