// Structures passed by value to kernels and functions and returned by them, calls that are not inlined,
// function pointers in tables and from the host, virtual functions, lambdas, device heap.
#include "check.h"

struct Small { char c; short s; };
struct Matrix { float m[4][4]; };
struct Scene {
  Matrix transform;
  int4 viewport;
  double scale;
  const float* points;
  Small small;
};

__device__ __noinline__ float4 apply(Matrix matrix, float4 v) {
  const float in[4] = {v.x, v.y, v.z, v.w};
  float out[4];
  for (int r = 0; r < 4; ++r) {
    out[r] = 0;
    for (int c = 0; c < 4; ++c) out[r] += matrix.m[r][c] * in[c];
  }
  return make_float4(out[0], out[1], out[2], out[3]);
}

__device__ __noinline__ Small next(Small s, int by) { return Small{(char)(s.c + by), (short)(s.s * by)}; }

__global__ void project(Scene scene, float4* out, Small* smalls, char last) {
  const int i = threadIdx.x;
  float4 v = apply(scene.transform, make_float4(scene.points[i], i, 2, 1));
  v.w = (float)(scene.scale * scene.viewport.z) + last;
  out[i] = v;
  smalls[i] = next(scene.small, i);
}

static void check_structs() {
  const int n = 40;
  Scene scene;
  float *points;
  float4* out;
  Small* smalls;
  CUDA_CHECK(cudaMallocManaged(&points, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(float4)));
  CUDA_CHECK(cudaMallocManaged(&smalls, n * sizeof(Small)));
  for (int i = 0; i < n; ++i) points[i] = i * 0.5f;
  for (int i = 0; i < 16; ++i) scene.transform.m[i / 4][i % 4] = i - 7;
  scene.viewport = make_int4(1, 2, 30, 4);
  scene.scale = 0.25;
  scene.points = points;
  scene.small = Small{3, 5};
  project<<<1, n>>>(scene, out, smalls, 'A');
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    const float* m = scene.transform.m[1];
    CHECK_EQUAL_AT(i, out[i].y, m[0] * points[i] + m[1] * i + m[2] * 2 + m[3]);
    CHECK_EQUAL_AT(i, out[i].w, 7.5f + 'A');
    CHECK(smalls[i].c == (char)(3 + i) && smalls[i].s == (short)(5 * i));
  }
}

// --- function pointers -------------------------------------------------------------------------------------------------
typedef float (*Binary)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ Binary operations[3] = {add, subtract, multiply};
__device__ Binary exported = multiply;

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
  int a, b;
  __device__ Rectangle(int x, int y) : a(x), b(y) {}
  __device__ int area() const override { return a * b; }
};

template <class F>
__global__ void for_each(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

__global__ void indirect(float* out, Binary from_host, int* areas) {
  const int i = threadIdx.x;
  out[i] = operations[i % 3](i, 10) + from_host(i, 0.5f);  // lanes of a warp go to three functions
  Shape* shape = i % 2 ? (Shape*)new Square(i) : (Shape*)new Rectangle(i, 3);
  areas[i] = shape->area();
  delete shape;
  int* list = (int*)malloc(i % 4 * sizeof(int) + 4);
  list[0] = i;
  if (i % 4) list[i % 4] = 100;
  areas[i] += list[0] * 1000 + (i % 4 ? list[i % 4] : 0);
  free(list);
}

static void check_pointers() {
  const int n = 64;
  float* out;
  int *areas, *squares;
  Binary from_device;
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&areas, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&squares, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpyFromSymbol(&from_device, exported, sizeof from_device));
  indirect<<<1, n>>>(out, from_device, areas);
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) {
    CHECK_EQUAL_AT(i, out[i], (i % 3 == 0 ? i + 10.0f : i % 3 == 1 ? i - 10.0f : i * 10.0f) + i * 0.5f);
    CHECK_EQUAL_AT(i, areas[i], (i % 2 ? i * i : i * 3) + i * 1000 + (i % 4 ? 100 : 0));
  }
  const int offset = 5;
  for_each<<<2, 32>>>(n, [=] __device__(int i) { squares[i] = i * i + offset; });
  CHECK_LAUNCH();
  for (int i = 0; i < n; ++i) CHECK_EQUAL_AT(i, squares[i], i * i + offset);
}

int main() {
  check_structs();
  check_pointers();
  return all_ok();
}
