// Evaluates every function of accuracy_table.inc in kernels, as a CUDA program calls it, and
// compares the results with oracles of much higher precision on the host; libdevice_host_test.cpp
// does the same without a device. The argument `fast-math` says that -use_fast_math was given: then
// the functions that have an intrinsic keep to its bounds, and denormals may become zero.
#include <cstring>

#include "accuracy.h"

namespace {

using raddle::accuracy::absolute;
using raddle::accuracy::Bound;
using raddle::accuracy::Denormals;
using raddle::accuracy::rounded;
using raddle::accuracy::Row;
using raddle::accuracy::ulp;
using raddle::accuracy::unbounded;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// --- kernels -------------------------------------------------------------------------------------

// Call is a type with a device function `apply` of one or two arguments.
template <typename Call, typename Real, std::size_t kArity>
__global__ void evaluate(const Real* arguments, Real* results, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  if constexpr (kArity == 1) {
    results[i] = Call::apply(arguments[i]);
  } else {
    results[i] = Call::apply(arguments[2 * i], arguments[2 * i + 1]);
  }
}

template <typename Call, typename Real, std::size_t kArity>
std::vector<Real> results_of(const std::vector<std::array<Real, kArity>>& arguments) {
  std::vector<Real> results(arguments.size());
  const int count = static_cast<int>(arguments.size());
  Real *device_arguments, *device_results;
  check(cudaMalloc(&device_arguments, arguments.size() * sizeof arguments[0]), "cudaMalloc");
  check(cudaMalloc(&device_results, results.size() * sizeof(Real)), "cudaMalloc");
  check(cudaMemcpy(device_arguments, arguments.data(), arguments.size() * sizeof arguments[0],
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
  evaluate<Call, Real, kArity>
      <<<(count + 127) / 128, 128>>>(device_arguments, device_results, count);
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(results.data(), device_results, results.size() * sizeof(Real),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  check(cudaFree(device_arguments), "cudaFree");
  check(cudaFree(device_results), "cudaFree");
  return results;
}

#define DEFINE_CALL1(Real, name)                             \
  struct Call_##name {                                       \
    static __device__ Real apply(Real x) { return name(x); } \
  };
#define DEFINE_CALL2(Real, name)                                        \
  struct Call_##name {                                                  \
    static __device__ Real apply(Real x, Real y) { return name(x, y); } \
  };
#define RADDLE_FLOAT1(name, ...) DEFINE_CALL1(float, name)
#define RADDLE_FLOAT2(name, ...) DEFINE_CALL2(float, name)
#define RADDLE_DOUBLE1(name, ...) DEFINE_CALL1(double, name)
#define RADDLE_DOUBLE2(name, ...) DEFINE_CALL2(double, name)
#define RADDLE_INTRINSIC1(name, ...) DEFINE_CALL1(float, name)
#define RADDLE_INTRINSIC2(name, ...) DEFINE_CALL2(float, name)
#include "accuracy_table.inc"

// --- the table's rows ----------------------------------------------------------------------------

#define DEVICE_ROW1(Real, name, library, ...) \
  RADDLE_ROW1(Real, #name, (results_of<Call_##name, Real, 1>), __VA_ARGS__),
#define DEVICE_ROW2(Real, name, library, ...) \
  RADDLE_ROW2(Real, #name, (results_of<Call_##name, Real, 2>), __VA_ARGS__),

std::vector<Row<float, 1>> float_rows_of_one() {
  return {
#define RADDLE_FLOAT1(...) DEVICE_ROW1(float, __VA_ARGS__)
#define RADDLE_INTRINSIC1(...) DEVICE_ROW1(float, __VA_ARGS__)
#include "accuracy_table.inc"
  };
}
std::vector<Row<float, 2>> float_rows_of_two() {
  return {
#define RADDLE_FLOAT2(...) DEVICE_ROW2(float, __VA_ARGS__)
#define RADDLE_INTRINSIC2(...) DEVICE_ROW2(float, __VA_ARGS__)
#include "accuracy_table.inc"
  };
}
std::vector<Row<double, 1>> double_rows_of_one() {
  return {
#define RADDLE_DOUBLE1(...) DEVICE_ROW1(double, __VA_ARGS__)
#include "accuracy_table.inc"
  };
}
std::vector<Row<double, 2>> double_rows_of_two() {
  return {
#define RADDLE_DOUBLE2(...) DEVICE_ROW2(double, __VA_ARGS__)
#include "accuracy_table.inc"
  };
}

template <typename Rows>
auto find_row(Rows& rows, const std::string& name) {
  auto row = rows.begin();
  while (row != rows.end() && row->name != name) ++row;
  return row;
}

// What -use_fast_math does: sinf becomes __sinf, with its bounds and to the last bit. The result is
// the number of functions that did not.
template <typename Real, std::size_t kArity>
int replace_by_intrinsics(std::vector<Row<Real, kArity>>& rows) {
  int unlike = 0;
  for (Row<Real, kArity>& row : rows) {
    const auto intrinsic = find_row(rows, "__" + row.name);
    if (intrinsic == rows.end()) continue;
    row.bound = intrinsic->bound;
    const auto arguments = raddle::accuracy::arguments_of(row, 100);
    const std::vector<Real> ours = row.evaluate(arguments);
    const std::vector<Real> theirs = intrinsic->evaluate(arguments);
    if (std::memcmp(ours.data(), theirs.data(), ours.size() * sizeof(Real)) == 0) continue;
    std::fprintf(stderr, "%s is not __%s\n", row.name.c_str(), row.name.c_str());
    ++unlike;
  }
  return unlike;
}

// --- what the table leaves out: operators, functions of an order or a vector, with two results --

// The same exact results and bounds as another row's.
template <typename Real, std::size_t kArity>
void add_like(std::vector<Row<Real, kArity>>& rows, const char* model, const char* name,
              std::vector<Real> (*evaluate)(const std::vector<std::array<Real, kArity>>&)) {
  Row<Real, kArity> row = *find_row(rows, model);
  row.name = name;
  row.evaluate = evaluate;
  rows.push_back(row);
}

#define SINCOS_PARTS(Real, function)       \
  struct Sine_##function {                 \
    static __device__ Real apply(Real x) { \
      Real sine, cosine;                   \
      function(x, &sine, &cosine);         \
      return sine;                         \
    }                                      \
  };                                       \
  struct Cosine_##function {               \
    static __device__ Real apply(Real x) { \
      Real sine, cosine;                   \
      function(x, &sine, &cosine);         \
      return cosine;                       \
    }                                      \
  };
SINCOS_PARTS(float, sincosf)
SINCOS_PARTS(float, __sincosf)
SINCOS_PARTS(float, sincospif)
SINCOS_PARTS(double, sincos)
SINCOS_PARTS(double, sincospi)

#define ADD_SINCOS(rows, Real, function, sine, cosine)                            \
  add_like(rows, sine, #function ": sine", results_of<Sine_##function, Real, 1>); \
  add_like(rows, cosine, #function ": cosine", results_of<Cosine_##function, Real, 1>);

// Expressions of one argument x, or of two, x and y.
#define EXPRESSION1(Real, name, expression)                     \
  struct name {                                                 \
    static __device__ Real apply(Real x) { return expression; } \
  };
#define EXPRESSION2(Real, name, expression)                             \
  struct name {                                                         \
    static __device__ Real apply(Real x, Real y) { return expression; } \
  };
EXPRESSION1(float, FloatReciprocal, 1 / x)
EXPRESSION1(float, FloatRoot, sqrtf(x))
EXPRESSION1(double, DoubleRoot, sqrt(x))
EXPRESSION2(float, FloatQuotient, x / y)
EXPRESSION2(float, FloatDivide, fdividef(x, y))
EXPRESSION2(double, DoubleQuotient, x / y)
EXPRESSION2(float, FloatNorm3, norm3df(x, y, x))
EXPRESSION2(float, FloatNorm4, norm4df(y, x, y, x))
EXPRESSION2(float, FloatReciprocalNorm3, rnorm3df(x, y, x))
EXPRESSION2(float, FloatReciprocalNorm4, rnorm4df(y, x, y, x))
EXPRESSION2(double, DoubleNorm3, norm3d(x, y, x))
EXPRESSION2(double, DoubleNorm4, norm4d(y, x, y, x))
EXPRESSION2(double, DoubleReciprocalNorm3, rnorm3d(x, y, x))
EXPRESSION2(double, DoubleReciprocalNorm4, rnorm4d(y, x, y, x))
EXPRESSION1(float, FloatJ128, jnf(128, x))
EXPRESSION1(double, DoubleJ128, jn(128, x))
EXPRESSION1(float, FloatY3, ynf(3, x))
EXPRESSION1(double, DoubleY3, yn(3, x))

}  // namespace

namespace raddle::oracles {
inline long double reciprocal(long double x) { return 1 / x; }
inline long double sqrt(long double x) { return std::sqrt(x); }
inline long double norm3(long double x, long double y) { return hypot(hypot(x, y), x); }
inline long double norm4(long double x, long double y) { return hypot(x, y) * std::sqrt(2.0L); }
inline long double rnorm3(long double x, long double y) { return 1 / norm3(x, y); }
inline long double rnorm4(long double x, long double y) { return 1 / norm4(x, y); }
inline long double j128(long double x) { return jn(128, x); }
inline long double y3(long double x) { return yn(3, x); }
}  // namespace raddle::oracles

namespace {

#define ADD1(rows, Real, name, call, ...) \
  rows.push_back(RADDLE_ROW1(Real, name, (results_of<call, Real, 1>), __VA_ARGS__));
#define ADD2(rows, Real, name, call, ...) \
  rows.push_back(RADDLE_ROW2(Real, name, (results_of<call, Real, 2>), __VA_ARGS__));

void add_float_rows(std::vector<Row<float, 1>>& one, std::vector<Row<float, 2>>& two, bool fast) {
  ADD_SINCOS(one, float, sincosf, "sinf", "cosf")
  ADD_SINCOS(one, float, __sincosf, "__sinf", "__cosf")
  ADD_SINCOS(one, float, sincospif, "sinpif", "cospif")
  ADD1(one, float, "1 / x", FloatReciprocal, reciprocal, rounded(), {-3.4e38f, 3.4e38f})
  ADD1(one, float, "sqrtf", FloatRoot, sqrt, rounded(), {1e-45f, 3.4e38f})
  ADD1(one, float, "jnf of order 128", FloatJ128, j128, absolute(2.2e-6L), {-300.0f, 300.0f})
  ADD1(one, float, "ynf of order 3", FloatY3, y3, std::fabs(x) < 3 ? ulp(10) : absolute(2.2e-6L),
       {1e-12f, 3.0f}, {3.0f, 300.0f})
  ADD2(two, float, "norm3df(x, y, x)", FloatNorm3, norm3, ulp(3), {-3e38f, 3e38f, -3e38f, 3e38f})
  ADD2(two, float, "norm4df(y, x, y, x)", FloatNorm4, norm4, ulp(3), {-3e38f, 3e38f, -3e38f, 3e38f})
  ADD2(two, float, "rnorm3df(x, y, x)", FloatReciprocalNorm3, rnorm3, ulp(2),
       {-3e38f, 3e38f, -3e38f, 3e38f})
  ADD2(two, float, "rnorm4df(y, x, y, x)", FloatReciprocalNorm4, rnorm4, ulp(2),
       {-3e38f, 3e38f, -3e38f, 3e38f})
  ADD2(two, float, "x / y", FloatQuotient, quotient, rounded(), {-3e38f, 3e38f, -3e38f, 3e38f})
  ADD2(two, float, "fdividef", FloatDivide, quotient, rounded(), {-3e38f, 3e38f, -3e38f, 3e38f})
  if (!fast) return;
  const auto one_ulp = [](const std::array<long double, 1>&) { return ulp(1); };
  find_row(one, "1 / x")->bound = one_ulp;
  find_row(one, "sqrtf")->bound = one_ulp;
  find_row(two, "x / y")->bound = find_row(two, "__fdividef")->bound;
  find_row(two, "fdividef")->bound = find_row(two, "__fdividef")->bound;
}

void add_double_rows(std::vector<Row<double, 1>>& one, std::vector<Row<double, 2>>& two){
    ADD_SINCOS(one, double, sincos, "sin", "cos")
        ADD_SINCOS(one, double, sincospi, "sinpi", "cospi")
            ADD1(one, double, "sqrt", DoubleRoot, sqrt, rounded(), {5e-324, 1.7e308})
                ADD1(one, double, "jn of order 128", DoubleJ128, j128, absolute(5e-12L),
                     {-300.0, 300.0}) ADD1(one, double, "yn of order 3", DoubleY3, y3,
                                           std::fabs(x) > 4.5L ? absolute(5e-12L) : unbounded(),
                                           {4.5, 300.0})
                    ADD2(two, double, "norm3d(x, y, x)", DoubleNorm3, norm3, ulp(2),
                         {-1e308, 1e308, -1e308, 1e308})
                        ADD2(two, double, "norm4d(y, x, y, x)", DoubleNorm4, norm4, ulp(2),
                             {-1e308, 1e308, -1e308, 1e308})
                            ADD2(two, double, "rnorm3d(x, y, x)", DoubleReciprocalNorm3, rnorm3,
                                 ulp(1), {-1e308, 1e308, -1e308, 1e308})
                                ADD2(two, double, "rnorm4d(y, x, y, x)", DoubleReciprocalNorm4,
                                     rnorm4, ulp(1), {-1e308, 1e308, -1e308, 1e308})
                                    ADD2(two, double, "x / y in double precision", DoubleQuotient,
                                         quotient, rounded(), {-1e308, 1e308, -1e308, 1e308})}

// --- whole powers of two -------------------------------------------------------------------------

// Programs count with (int)__powf(2, i).
__global__ void powers_of_two(int* intrinsic, int* ordinary) {
  const int i = static_cast<int>(threadIdx.x);
  intrinsic[i] = static_cast<int>(__powf(2, i));
  ordinary[i] = static_cast<int>(powf(2, i));
}

int count_wrong_powers() {
  constexpr int kCount = 31;
  int *device, powers[2 * kCount], wrong = 0;
  check(cudaMalloc(&device, sizeof powers), "cudaMalloc");
  powers_of_two<<<1, kCount>>>(device, device + kCount);
  check(cudaMemcpy(powers, device, sizeof powers, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (int i = 0; i < 2 * kCount; ++i) {
    if (powers[i] == 1 << i % kCount) continue;
    std::fprintf(stderr, "(int)%s(2, %d) is %d, expected %d\n", i < kCount ? "__powf" : "powf",
                 i % kCount, powers[i], 1 << i % kCount);
    ++wrong;
  }
  return wrong;
}

// --- the program ---------------------------------------------------------------------------------

__global__ void tell_fast_math(int* answer) {
#ifdef __USE_FAST_MATH__
  *answer = 1;
#else
  *answer = 0;
#endif
}

bool compiled_with_fast_math() {
  int *device, answer = 0;
  check(cudaMalloc(&device, sizeof answer), "cudaMalloc");
  tell_fast_math<<<1, 1>>>(device);
  check(cudaMemcpy(&answer, device, sizeof answer, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return answer == 1;
}

struct Totals {
  int functions = 0;
  std::size_t arguments = 0;
  int wrong = 0;
};

template <typename Rows>
void measure_all(const Rows& rows, Denormals denormals, Totals& totals) {
  for (const auto& row : rows) {
    const raddle::accuracy::Measurement worst =
        raddle::accuracy::measured(row, raddle::accuracy::sample_count(1000), denormals);
    raddle::accuracy::print_if_asked(worst);
    ++totals.functions;
    totals.arguments += worst.arguments;
    if (worst.within()) continue;
    ++totals.wrong;
    std::fprintf(stderr, "%s; %zu of %zu arguments are off\n", worst.text().c_str(), worst.beyond,
                 worst.arguments);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool fast = argc > 1 && std::strcmp(argv[1], "fast-math") == 0;
  if (fast != compiled_with_fast_math()) {
    std::fprintf(stderr, "the kernels were compiled %s -use_fast_math\n",
                 fast ? "without" : "with");
    return 1;
  }
  std::vector<Row<float, 1>> float_one = float_rows_of_one();
  std::vector<Row<float, 2>> float_two = float_rows_of_two();
  std::vector<Row<double, 1>> double_one = double_rows_of_one();
  std::vector<Row<double, 2>> double_two = double_rows_of_two();
  Totals totals;
  if (fast) {
    totals.wrong += replace_by_intrinsics(float_one);
    totals.wrong += replace_by_intrinsics(float_two);
  }
  add_float_rows(float_one, float_two, fast);
  add_double_rows(double_one, double_two);

  const Denormals denormals = fast ? Denormals::kFlushed : Denormals::kKept;
  measure_all(float_one, denormals, totals);
  measure_all(float_two, denormals, totals);
  measure_all(double_one, Denormals::kKept, totals);
  measure_all(double_two, Denormals::kKept, totals);
  totals.wrong += count_wrong_powers();
  std::printf("%d functions, %zu arguments, %d wrong\n", totals.functions, totals.arguments,
              totals.wrong);
  return totals.wrong == 0 ? 0 : 1;
}
