// cuBLASLt: types, orders, batches, pointer modes, epilogues and scales, each against sums on the host.
// compiled with: -lcublasLt -lcublas
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <vector>

#include "../check.h"

#define BLAS(call) CHECK_EQUAL((int)(call), (int)CUBLAS_STATUS_SUCCESS)

static cublasLtHandle_t handle;

// A matrix of any type by columns or rows, with a gap after each; its numbers as doubles.
template <typename T>
struct Matrix {
    int rows, columns, leading, batches;
    bool by_rows;
    std::vector<T> numbers;
    T* device;
    cublasLtMatrixLayout_t layout;
    Matrix(cudaDataType type, int m, int n, bool rows_first = false, int count = 1)
        : rows(m), columns(n), leading((rows_first ? n : m) + 3), batches(count), by_rows(rows_first),
          numbers(leading * (rows_first ? m : n) * count)
    {
        CUDA_CHECK(cudaMalloc(&device, numbers.size() * sizeof(T)));
        BLAS(cublasLtMatrixLayoutCreate(&layout, type, m, n, leading));
        const int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
        const int64_t distance = numbers.size() / count;
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof batches));
        BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &distance, sizeof distance));
    }
    ~Matrix()
    {
        cudaFree(device);
        BLAS(cublasLtMatrixLayoutDestroy(layout));
    }
    T& at(int i, int j, int b = 0)
    {
        return numbers[numbers.size() / batches * b + (by_rows ? i * leading + j : j * leading + i)];
    }
    // Small whole numbers and, with a divisor, fractions that every type holds.
    void fill(int seed, int divisor = 1)
    {
        unsigned state = seed;
        for (T& x : numbers) {
            state = state * 1664525u + 1013904223u;
            x = T((float)((int)(state >> 20) % 7 - 3) / divisor);
        }
        store();
    }
    void store() { CUDA_CHECK(cudaMemcpy(device, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    void load() { CUDA_CHECK(cudaMemcpy(numbers.data(), device, numbers.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
};

template <typename T>
static double value(T x)
{
    return (double)(float)x;
}
static double value(double x) { return x; }
static double value(int x) { return x; }

struct Operation {
    cublasLtMatmulDesc_t description;
    Operation(cublasComputeType_t compute, cudaDataType scale) { BLAS(cublasLtMatmulDescCreate(&description, compute, scale)); }
    ~Operation() { BLAS(cublasLtMatmulDescDestroy(description)); }
    template <typename T>
    Operation& set(cublasLtMatmulDescAttributes_t attribute, T x)
    {
        BLAS(cublasLtMatmulDescSetAttribute(description, attribute, &x, sizeof x));
        return *this;
    }
    template <typename A, typename B, typename C, typename D>
    cublasStatus_t run(const void* alpha, A& a, B& b, const void* beta, C& c, D& d)
    {
        cublasLtMatmulPreference_t preference;
        BLAS(cublasLtMatmulPreferenceCreate(&preference));
        cublasLtMatmulHeuristicResult_t result;
        int count = 0;
        cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, description, a.layout, b.layout, c.layout,
                                                               d.layout, preference, 1, &result, &count);
        BLAS(cublasLtMatmulPreferenceDestroy(preference));
        CHECK_EQUAL(count, status == CUBLAS_STATUS_SUCCESS ? 1 : 0);
        if (count == 1)
            status = cublasLtMatmul(handle, description, alpha, a.device, a.layout, b.device, b.layout, beta, c.device,
                                    c.layout, d.device, d.layout, &result.algo, nullptr, 0, 0);
        return status;
    }
};

template <typename A, typename B>
static double sum(A& a, bool a_turned, B& b, bool b_turned, int i, int j, int depth, int batch = 0)
{
    double total = 0;
    for (int k = 0; k < depth; ++k)
        total += value(a_turned ? a.at(k, i, batch) : a.at(i, k, batch)) *
                 value(b_turned ? b.at(j, k, batch) : b.at(k, j, batch));
    return total;
}

// D = alpha op(A) op(B) + beta C in one type, C in a matrix of its own or in D's.
template <typename In, typename Out, typename Factor>
static void check_type(cudaDataType in, cudaDataType out, cublasComputeType_t compute, cudaDataType scale, bool a_turned,
                       bool b_turned, bool by_rows, bool in_place, double bound)
{
    const int m = 37, n = 21, k = 18, batches = 2;
    Matrix<In> a(in, a_turned ? k : m, a_turned ? m : k, by_rows, batches);
    Matrix<In> b(in, b_turned ? n : k, b_turned ? k : n, false, batches);
    Matrix<Out> c(out, m, n, false, batches), other(out, m, n, by_rows, batches);
    Matrix<Out>& d = in_place ? c : other;
    a.fill(1), b.fill(2), c.fill(3);
    Matrix<Out> old = c;
    old.device = nullptr;
    BLAS(cublasLtMatrixLayoutCreate(&old.layout, out, m, n, old.leading));
    const Factor alpha = Factor(2), beta = Factor(3);
    Operation operation(compute, scale);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSA, a_turned ? CUBLAS_OP_T : CUBLAS_OP_N);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSB, b_turned ? CUBLAS_OP_T : CUBLAS_OP_N);
    BLAS(operation.run(&alpha, a, b, &beta, c, d));
    d.load();
    for (int batch = 0; batch < batches; ++batch)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                CHECK_NEAR_AT(i, value(d.at(i, j, batch)),
                              2 * sum(a, a_turned, b, b_turned, i, j, k, batch) + 3 * value(old.at(i, j, batch)), bound);
}

static void check_types()
{
    for (const bool in_place : {true, false})
        for (const bool by_rows : {false, true}) {
            const bool turned = by_rows != in_place;
            check_type<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, turned, false, by_rows,
                                            in_place, 0);
            check_type<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, false, turned,
                                               by_rows, in_place, 0);
            check_type<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F, turned, turned,
                                               by_rows, in_place, 0);
            check_type<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, true, turned,
                                                    by_rows, in_place, 0);
            check_type<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, turned, false,
                                              by_rows, in_place, 0);
        }
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

static void check_epilogues()
{
    const int m = 20, n = 9, k = 7;
    Matrix<float> a(CUDA_R_32F, m, k), b(CUDA_R_32F, k, n), c(CUDA_R_32F, m, n), d(CUDA_R_32F, m, n), bias(CUDA_R_32F, m, 1);
    a.fill(4, 4), b.fill(5, 4), c.fill(6), bias.fill(7, 2);
    Matrix<float> aux(CUDA_R_32F, m, n);
    const float alpha = 1.5f, beta = 0;
    const struct {
        cublasLtEpilogue_t epilogue;
        bool has_bias, keeps;
        int function;
    } cases[] = {{CUBLASLT_EPILOGUE_RELU, false, false, 1},      {CUBLASLT_EPILOGUE_BIAS, true, false, 0},
                 {CUBLASLT_EPILOGUE_RELU_BIAS, true, false, 1},  {CUBLASLT_EPILOGUE_GELU, false, false, 2},
                 {CUBLASLT_EPILOGUE_GELU_BIAS, true, false, 2},  {CUBLASLT_EPILOGUE_GELU_AUX, false, true, 2},
                 {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, true, true, 2}};
    for (const auto& one : cases) {
        Operation operation(CUBLAS_COMPUTE_32F, CUDA_R_32F);
        operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE, one.epilogue);
        operation.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, (const void*)bias.device);
        operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, (void*)aux.device);
        operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)aux.leading);
        BLAS(operation.run(&alpha, a, b, &beta, c, d));
        d.load(), aux.load();
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                const double x = alpha * sum(a, false, b, false, i, j, k) + (one.has_bias ? bias.at(i, 0) : 0);
                CHECK_NEAR_AT(i, d.at(i, j), one.function == 0 ? x : one.function == 1 ? fmax(x, 0) : gelu(x), 1e-5);
                if (one.keeps) CHECK_NEAR_AT(i, aux.at(i, j), x, 0);
            }
    }
    // A factor for each row, and bytes that saturate.
    Matrix<signed char> a8(CUDA_R_8I, m, k), b8(CUDA_R_8I, k, n), d8(CUDA_R_8I, m, n);
    Matrix<float> factors(CUDA_R_32F, m, 1);
    a8.fill(8), b8.fill(9), factors.fill(10, 4);
    Operation operation(CUBLAS_COMPUTE_32I, CUDA_R_32F);
    operation.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
    for (float& x : factors.numbers) x *= 40;
    factors.store();
    BLAS(operation.run(factors.device, a8, b8, nullptr, d8, d8));
    d8.load();
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            const double x = factors.at(i, 0) * sum(a8, false, b8, false, i, j, k);
            CHECK_EQUAL((int)d8.at(i, j), (int)fmin(fmax(x, -128), 127));
        }
}

static void check_fp8()
{
    const int m = 16, n = 48, k = 32;
    Matrix<__nv_fp8_e4m3> a(CUDA_R_8F_E4M3, k, m), d(CUDA_R_8F_E4M3, m, n);
    Matrix<__nv_fp8_e5m2> b(CUDA_R_8F_E5M2, k, n);
    Matrix<__nv_bfloat16> c(CUDA_R_16BF, m, n);
    a.fill(11, 2), b.fill(12), c.fill(13);
    const float scales[4] = {2, 0.5f, 4, 0.25f}, alpha = 1, beta = 1;
    float *device, *amax;
    CUDA_CHECK(cudaMalloc(&device, sizeof scales));
    CUDA_CHECK(cudaMalloc(&amax, 4));
    CUDA_CHECK(cudaMemcpy(device, scales, sizeof scales, cudaMemcpyHostToDevice));
    Operation operation(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T).set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, (void*)amax);
    operation.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, (void*)device);
    operation.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, (void*)(device + 1));
    operation.set(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, (void*)(device + 2));
    operation.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, (void*)(device + 3));
    operation.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, (int8_t)1);
    BLAS(operation.run(&alpha, a, b, &beta, c, d));
    d.load();
    double largest = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            const double x = sum(a, true, b, false, i, j, k) + 4 * value(c.at(i, j));
            largest = fmax(largest, fabs(x));
            CHECK_EQUAL((int)d.at(i, j).__x, (int)__nv_fp8_e4m3(0.25 * x).__x);
        }
    float got;
    CUDA_CHECK(cudaMemcpy(&got, amax, 4, cudaMemcpyDeviceToHost));
    CHECK_EQUAL((double)got, largest);
}

static void check_refusals()
{
    Matrix<float> a(CUDA_R_32F, 4, 5), b(CUDA_R_32F, 5, 6), d(CUDA_R_32F, 4, 6);
    const float one = 1;
    Operation operation(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    CHECK_EQUAL((int)operation.run(&one, a, a, &one, d, d), (int)CUBLAS_STATUS_INVALID_VALUE);
    operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DRELU);
    CHECK_EQUAL((int)operation.run(&one, a, b, &one, d, d), (int)CUBLAS_STATUS_NOT_SUPPORTED);
    size_t bytes = 0;
    uint32_t epilogue = 0;
    BLAS(cublasLtMatmulDescGetAttribute(operation.description, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4, &bytes));
    CHECK_EQUAL((int)epilogue, (int)CUBLASLT_EPILOGUE_DRELU);
    CHECK_EQUAL((int)bytes, 4);
    CHECK_EQUAL((int)cublasLtMatmulDescSetAttribute(operation.description, CUBLASLT_MATMUL_DESC_EPILOGUE, &one, 2),
                (int)CUBLAS_STATUS_INVALID_VALUE);
}

int main()
{
    BLAS(cublasLtCreate(&handle));
    check_types();
    check_epilogues();
    check_fp8();
    check_refusals();
    BLAS(cublasLtDestroy(handle));
    return all_ok();
}
