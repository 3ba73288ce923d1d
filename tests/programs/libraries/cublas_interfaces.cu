// cuBLAS with sizes of 64 bits, and cuBLASXt, whose matrices lie on the host.
// compiled with: -lcublas
#include <cublasXt.h>

#include <vector>

#include "../check.h"

#define BLAS(call) CHECK_EQUAL((int)(call), (int)CUBLAS_STATUS_SUCCESS)

static void check_64(cublasHandle_t handle)
{
    const int64_t n = 1000;
    std::vector<float> x(n), y(n);
    double dot = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = (float)((i * 37) % 101 - 50), y[i] = (float)(i % 7 - 3);
        dot += x[i] * y[i];
    }
    x[417] = -77;
    dot += (-77 - (417 * 37 % 101 - 50)) * (417 % 7 - 3);
    float *dx, *dy, *da, result;
    CUDA_CHECK(cudaMalloc(&dx, n * 4));
    CUDA_CHECK(cudaMalloc(&dy, n * 4));
    CUDA_CHECK(cudaMalloc(&da, 20 * 20 * 4));
    CUDA_CHECK(cudaMemcpy(dx, x.data(), n * 4, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dy, y.data(), n * 4, cudaMemcpyHostToDevice));
    BLAS(cublasSdot_64(handle, n, dx, 1, dy, 1, &result));
    CHECK_EQUAL((double)result, dot);
    // All eight bytes of the result are written, on the host and on the device.
    int64_t index = -1, *place;
    BLAS(cublasIsamax_64(handle, n, dx, 1, &index));
    CHECK_EQUAL(index, 418);
    CUDA_CHECK(cudaMalloc(&place, 8));
    CUDA_CHECK(cudaMemset(place, 0xff, 8));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasIsamin_64(handle, n, dx, 1, place));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    CUDA_CHECK(cudaMemcpy(&index, place, 8, cudaMemcpyDeviceToHost));
    int smallest = 0;
    while (x[smallest] != 0) ++smallest;
    CHECK_EQUAL(index, smallest + 1);
    // x and y as matrices of 20 x 20: their product.
    const float one = 1, zero = 0;
    const int64_t side = 20, too_long = (int64_t)1 << 32;
    BLAS(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, side, side, side, &one, dx, side, dy, side, &zero, da, side));
    std::vector<float> a(side * side);
    CUDA_CHECK(cudaMemcpy(a.data(), da, a.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            float sum = 0;
            for (int k = 0; k < side; ++k) sum += x[k * side + i] * y[k * side + j];
            CHECK_EQUAL_AT(i, a[j * side + i], sum);
        }
    // x as such a matrix, its columns times the first elements of y; and x + y.
    BLAS(cublasSdgmm_64(handle, CUBLAS_SIDE_RIGHT, side, side, dx, side, dy, 1, da, side));
    CUDA_CHECK(cudaMemcpy(a.data(), da, a.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < side * side; ++i) CHECK_EQUAL_AT(i, a[i], x[i] * y[i / side]);
    BLAS(cublasSgeam_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, side, side, &one, dx, side, &one, dy, side, da, side));
    CUDA_CHECK(cudaMemcpy(a.data(), da, a.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < side * side; ++i) CHECK_EQUAL_AT(i, a[i], x[i] + y[i]);
    CHECK_EQUAL((int)cublasSaxpy_64(handle, too_long, &one, dx, 1, dy, 1), (int)CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_EQUAL((int)cublasIsamax_64(handle, too_long, dx, 1, &index), (int)CUBLAS_STATUS_NOT_SUPPORTED);
}

static void check_xt()
{
    const size_t m = 33, n = 17, k = 25, lda = 30, ldb = 26, ldc = 40;
    std::vector<double> a(lda * m), b(ldb * n), c(ldc * n, 5), old;
    for (size_t i = 0; i < a.size(); ++i) a[i] = (double)(i * 31 % 13) - 6;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (double)(i * 17 % 11) - 5;
    old = c;
    cublasXtHandle_t handle;
    int devices[1] = {0}, none[1] = {1000};
    BLAS(cublasXtCreate(&handle));
    BLAS(cublasXtDeviceSelect(handle, 1, devices));
    CHECK_EQUAL((int)cublasXtDeviceSelect(handle, 1, none), (int)CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasXtSetBlockDim(handle, 64));
    const double alpha = 2, beta = -1;
    BLAS(cublasXtDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, a.data(), lda, b.data(), ldb, &beta, c.data(),
                       ldc));
    for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < ldc; ++i) {
            double sum = 0;
            for (size_t d = 0; d < k; ++d) sum += i < m ? a[i * lda + d] * b[j * ldb + d] : 0;
            CHECK_EQUAL_AT(i, c[j * ldc + i], i < m ? 2 * sum - old[j * ldc + i] : old[j * ldc + i]);
        }
    BLAS(cublasXtDestroy(handle));
}

int main()
{
    cublasHandle_t handle;
    BLAS(cublasCreate(&handle));
    check_64(handle);
    BLAS(cublasDestroy(handle));
    check_xt();
    return all_ok();
}
