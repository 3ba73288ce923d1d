// compiled with: -lcublas
// cuBLAS: every function against sums in double on the host, in all four types.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <complex>
#include <type_traits>
#include <vector>

#include "../check.h"

#define BLAS(call) CHECK_EQUAL((int)(call), (int)CUBLAS_STATUS_SUCCESS)

using Z = std::complex<double>;

template <typename T>
struct Kind;
// The functions of a type by one name each.
#define KIND(T, X, DOT, GER, NRM, R, I)                                  \
    template <>                                                          \
    struct Kind<T> {                                                     \
        using Real = R;                                                  \
        static constexpr auto gemm = cublas##X##gemm;                    \
        static constexpr auto strided = cublas##X##gemmStridedBatched;   \
        static constexpr auto batched = cublas##X##gemmBatched;          \
        static constexpr auto gemv = cublas##X##gemv;                    \
        static constexpr auto symv = cublas##X##symv;                    \
        static constexpr auto trmv = cublas##X##trmv;                    \
        static constexpr auto trsv = cublas##X##trsv;                    \
        static constexpr auto symm = cublas##X##symm;                    \
        static constexpr auto syrk = cublas##X##syrk;                    \
        static constexpr auto syr2k = cublas##X##syr2k;                  \
        static constexpr auto trmm = cublas##X##trmm;                    \
        static constexpr auto trsm = cublas##X##trsm;                    \
        static constexpr auto axpy = cublas##X##axpy;                    \
        static constexpr auto scal = cublas##X##scal;                    \
        static constexpr auto swap = cublas##X##swap;                    \
        static constexpr auto copy = cublas##X##copy;                    \
        static constexpr auto dot = cublas##DOT;                         \
        static constexpr auto ger = cublas##GER;                         \
        static constexpr auto nrm2 = cublas##NRM##nrm2;                  \
        static constexpr auto asum = cublas##NRM##asum;                  \
        static constexpr auto amax = cublasI##I##amax;                   \
        static constexpr auto amin = cublasI##I##amin;                   \
    };
KIND(float, S, Sdot, Sger, S, float, s)
KIND(double, D, Ddot, Dger, D, double, d)
KIND(cuComplex, C, Cdotc, Cgerc, Sc, float, c)
KIND(cuDoubleComplex, Z, Zdotc, Zgerc, Dz, double, z)

template <typename T>
constexpr bool kComplex = std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;
template <typename T>
T make(Z z)
{
    if constexpr (kComplex<T>) {
        T t;
        t.x = z.real(), t.y = z.imag();
        return t;
    } else {
        return (T)z.real();
    }
}
template <typename T>
Z value(T t)
{
    if constexpr (kComplex<T>) return {t.x, t.y};
    else return {(double)t, 0};
}

unsigned state = 1;
double random_number()
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 8388608.0 - 1;
}

// A matrix on the device, and what the host thinks is in it.
template <typename T>
struct Matrix {
    int rows, columns;
    T* device;
    std::vector<Z> host;
    Matrix(int r, int c) : rows(r), columns(c), host(r * c)
    {
        std::vector<T> numbers(r * c);
        for (int i = 0; i < r * c; ++i) {
            numbers[i] = make<T>({random_number(), random_number()});
            host[i] = value(numbers[i]);
        }
        CUDA_CHECK(cudaMalloc(&device, numbers.size() * sizeof(T)));
        BLAS(cublasSetMatrix(r, c, sizeof(T), numbers.data(), r, device, r));
    }
    ~Matrix() { cudaFree(device); }
    Z& at(int r, int c) { return host[r + c * rows]; }
    Z op(cublasOperation_t o, int r, int c) { return o == CUBLAS_OP_N ? at(r, c) : o == CUBLAS_OP_T ? at(c, r) : conj(at(c, r)); }
    void store()
    {
        std::vector<T> numbers(host.size());
        for (size_t i = 0; i < host.size(); ++i) numbers[i] = make<T>(host[i]);
        CUDA_CHECK(cudaMemcpy(device, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    // Within a bound that grows with the length of the sums.
    void check(int length)
    {
        std::vector<T> numbers(host.size());
        BLAS(cublasGetMatrix(rows, columns, sizeof(T), device, rows, numbers.data(), rows));
        const double epsilon = sizeof(typename Kind<T>::Real) == 4 ? 6e-7 : 1e-14;
        for (size_t i = 0; i < host.size(); ++i) {
            CHECK_NEAR_AT(i, value(numbers[i]).real(), host[i].real(), epsilon * (4 + length));
            CHECK_NEAR_AT(i, value(numbers[i]).imag(), host[i].imag(), epsilon * (4 + length));
        }
    }
};

cublasHandle_t handle;

template <typename T>
void check_products()
{
    const T alpha = make<T>({0.75, 0.5}), beta = make<T>({-0.5, 0.25});
    const Z a1 = value(alpha), b1 = value(beta);
    const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    for (const auto ta : operations) {
        for (const auto tb : operations) {
            for (const int m : {5, 70}) {
                const int n = 37, k = 23;
                Matrix<T> a(ta == CUBLAS_OP_N ? m : k, ta == CUBLAS_OP_N ? k : m), b(tb == CUBLAS_OP_N ? k : n, tb == CUBLAS_OP_N ? n : k), c(m, n);
                BLAS(Kind<T>::gemm(handle, ta, tb, m, n, k, &alpha, a.device, a.rows, b.device, b.rows, &beta, c.device, m));
                for (int i = 0; i < m; ++i) {
                    for (int j = 0; j < n; ++j) {
                        Z sum = 0;
                        for (int l = 0; l < k; ++l) sum += a.op(ta, i, l) * b.op(tb, l, j);
                        c.at(i, j) = a1 * sum + b1 * c.at(i, j);
                    }
                }
                c.check(k);
            }
        }
    }
    // Three products at a distance, then the same by pointers; beta 0 does not read what is there.
    Matrix<T> a(8, 3 * 6), b(6, 3 * 5), c(8, 3 * 5);
    const T zero = make<T>(0);
    const T *lists[3][3];
    for (int i = 0; i < 3; ++i) lists[0][i] = a.device + 48 * i, lists[1][i] = b.device + 30 * i, lists[2][i] = c.device + 40 * i;
    const T** device_lists;
    CUDA_CHECK(cudaMalloc(&device_lists, sizeof(lists)));
    CUDA_CHECK(cudaMemcpy(device_lists, lists, sizeof(lists), cudaMemcpyHostToDevice));
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 15; ++j) {
            c.at(i, j) = 0;
            for (int l = 0; l < 6; ++l) c.at(i, j) += a1 * a.at(i, 6 * (j / 5) + l) * b.at(l, j);
        }
    }
    CUDA_CHECK(cudaMemset(c.device, 0xff, 120 * sizeof(T)));
    BLAS(Kind<T>::strided(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 5, 6, &alpha, a.device, 8, 48, b.device, 6, 30, &zero, c.device, 8, 40, 3));
    c.check(6);
    CUDA_CHECK(cudaMemset(c.device, 0xff, 120 * sizeof(T)));
    BLAS(Kind<T>::batched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 5, 6, &alpha, device_lists, 8, device_lists + 3, 6, &zero, (T* const*)device_lists + 6, 8, 3));
    c.check(6);
    cudaFree(device_lists);
}

// Symmetric and triangular matrices, from both sides and triangles. A's diagonal is large, so that systems are tame.
template <typename T>
void check_triangles()
{
    const T alpha = make<T>({0.75, 0.5}), beta = make<T>({-0.5, 0.25});
    const Z a1 = value(alpha), b1 = value(beta);
    const int n = 45, vectors = 7;
    Matrix<T> a(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) a.at(i, j) = value(make<T>(i == j ? Z(2 + i % 3) : a.at(i, j) / (double)n));
    }
    a.store();
    for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        const auto stored = [&](int i, int j) { return uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j; };
        for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int m1 = left ? n : vectors, n1 = left ? vectors : n;
            Matrix<T> b(m1, n1), c(m1, n1);
            const auto symmetric = [&](int i, int j) { return stored(i, j) ? a.at(i, j) : a.at(j, i); };
            BLAS(Kind<T>::symm(handle, side, uplo, m1, n1, &alpha, a.device, n, b.device, m1, &beta, c.device, m1));
            for (int i = 0; i < m1; ++i) {
                for (int j = 0; j < n1; ++j) {
                    Z sum = 0;
                    for (int l = 0; l < n; ++l) sum += left ? symmetric(i, l) * b.at(l, j) : b.at(i, l) * symmetric(l, j);
                    c.at(i, j) = a1 * sum + b1 * c.at(i, j);
                }
            }
            c.check(n);
            for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
                for (const auto diag : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}) {
                    const auto half = [&](int i, int j) {
                        const int r = trans == CUBLAS_OP_N ? i : j, s = trans == CUBLAS_OP_N ? j : i;
                        const Z x = r == s && diag == CUBLAS_DIAG_UNIT ? Z(1) : stored(r, s) ? a.at(r, s) : Z(0);
                        return trans == CUBLAS_OP_C ? conj(x) : x;
                    };
                    Matrix<T> x(m1, n1), y(m1, n1);
                    const std::vector<Z> old = x.host;
                    const T one = make<T>(1), inverse = make<T>(Z(1) / a1);
                    BLAS(Kind<T>::trmm(handle, side, uplo, trans, diag, m1, n1, &alpha, a.device, n, x.device, m1, y.device, m1));
                    for (int i = 0; i < m1; ++i) {
                        for (int j = 0; j < n1; ++j) {
                            Z sum = 0;
                            for (int l = 0; l < n; ++l) sum += left ? half(i, l) * x.at(l, j) : x.at(i, l) * half(l, j);
                            y.at(i, j) = a1 * sum;
                        }
                    }
                    y.check(n);
                    BLAS(Kind<T>::trmm(handle, side, uplo, trans, diag, m1, n1, &alpha, a.device, n, x.device, m1, x.device, m1));
                    x.host = y.host;
                    x.check(n);
                    BLAS(Kind<T>::trsm(handle, side, uplo, trans, diag, m1, n1, &inverse, a.device, n, y.device, m1));
                    y.host = old;
                    y.check(4 * n);
                    if (!left) continue;
                    // The same for one vector.
                    Matrix<T> v(n, 1);
                    const std::vector<Z> before = v.host;
                    BLAS(Kind<T>::trmv(handle, uplo, trans, diag, n, a.device, n, v.device, 1));
                    for (int i = 0; i < n; ++i) {
                        v.host[i] = 0;
                        for (int l = 0; l < n; ++l) v.host[i] += half(i, l) * before[l];
                    }
                    v.check(n);
                    BLAS(Kind<T>::trsv(handle, uplo, trans, diag, n, a.device, n, v.device, 1));
                    v.host = before;
                    v.check(4 * n);
                    (void)one;
                }
            }
        }
        // The triangle that is not asked for stays as it was.
        Matrix<T> p(n, 12), q(n, 12), c(n, n);
        BLAS(Kind<T>::syrk(handle, uplo, CUBLAS_OP_N, n, 12, &alpha, p.device, n, &beta, c.device, n));
        BLAS(Kind<T>::syr2k(handle, uplo, CUBLAS_OP_N, n, 12, &alpha, p.device, n, q.device, n, &beta, c.device, n));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                if (!stored(i, j)) continue;
                Z one_sum = 0, two = 0;
                for (int l = 0; l < 12; ++l) one_sum += p.at(i, l) * p.at(j, l), two += p.at(i, l) * q.at(j, l) + q.at(i, l) * p.at(j, l);
                c.at(i, j) = a1 * two + b1 * (a1 * one_sum + b1 * c.at(i, j));
            }
        }
        c.check(60);
    }
}

template <typename T>
void check_vectors()
{
    const T alpha = make<T>({0.75, 0.5}), beta = make<T>({-0.5, 0.25});
    const Z a1 = value(alpha), b1 = value(beta);
    const int n = 1500;
    Matrix<T> x(2, n), y(1, n);  // x with an increment of 2
    Z dot = 0;
    double squares = 0, sum = 0;
    int largest = 0, smallest = 0;
    const auto size = [&](int i) { return fabs(x.at(0, i).real()) + fabs(x.at(0, i).imag()); };
    for (int i = 0; i < n; ++i) {
        dot += conj(x.at(0, i)) * y.at(0, i);
        squares += norm(x.at(0, i)), sum += size(i);
        if (size(i) > size(largest)) largest = i;
        if (size(i) < size(smallest)) smallest = i;
    }
    T result;
    typename Kind<T>::Real length;
    int index;
    const double bound = sizeof(length) == 4 ? 1e-3 : 1e-10;
    BLAS(Kind<T>::dot(handle, n, x.device, 2, y.device, 1, &result));
    CHECK(abs(value(result) - dot) < bound);
    BLAS(Kind<T>::nrm2(handle, n, x.device, 2, &length));
    CHECK(fabs(length - sqrt(squares)) < bound);
    BLAS(Kind<T>::asum(handle, n, x.device, 2, &length));
    CHECK(fabs(length - sum) < bound);
    BLAS(Kind<T>::amax(handle, n, x.device, 2, &index));
    CHECK_EQUAL(index, largest + 1);
    BLAS(Kind<T>::amin(handle, n, x.device, 2, &index));
    CHECK_EQUAL(index, smallest + 1);
    // A result that stays on the device, and a factor that is there.
    T* place;
    CUDA_CHECK(cudaMalloc(&place, sizeof(T)));
    CUDA_CHECK(cudaMemcpy(place, &alpha, sizeof(T), cudaMemcpyHostToDevice));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(Kind<T>::axpy(handle, n, place, x.device, 2, y.device, 1));
    BLAS(Kind<T>::dot(handle, n, x.device, 2, x.device, 2, place));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    CUDA_CHECK(cudaMemcpy(&result, place, sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(abs(value(result) - squares) < bound);
    cudaFree(place);
    for (int i = 0; i < n; ++i) y.at(0, i) += a1 * x.at(0, i);
    y.check(2);
    BLAS(Kind<T>::scal(handle, n, &beta, y.device, 1));
    for (Z& z : y.host) z *= b1;
    y.check(2);
    BLAS(Kind<T>::swap(handle, n, x.device, 2, y.device, -1));
    for (int i = 0; i < n; ++i) std::swap(x.at(0, i), y.at(0, n - 1 - i));
    BLAS(Kind<T>::copy(handle, n, y.device, 1, x.device + 1, 2));
    for (int i = 0; i < n; ++i) x.at(1, i) = y.at(0, i);
    x.check(2);
    y.check(2);

    const int m = 41, k = 77;
    Matrix<T> a(m, k), u(k, 1), v(m, 1);
    BLAS(Kind<T>::gemv(handle, CUBLAS_OP_N, m, k, &alpha, a.device, m, u.device, 1, &beta, v.device, 1));
    for (int i = 0; i < m; ++i) {
        Z row = 0;
        for (int j = 0; j < k; ++j) row += a.at(i, j) * u.host[j];
        v.host[i] = a1 * row + b1 * v.host[i];
    }
    v.check(k);
    BLAS(Kind<T>::gemv(handle, CUBLAS_OP_C, m, k, &alpha, a.device, m, v.device, 1, &beta, u.device, 1));
    for (int j = 0; j < k; ++j) {
        Z row = 0;
        for (int i = 0; i < m; ++i) row += conj(a.at(i, j)) * v.host[i];
        u.host[j] = a1 * row + b1 * u.host[j];
    }
    u.check(20 * m);
    BLAS(Kind<T>::ger(handle, m, k, &alpha, v.device, 1, u.device, 1, a.device, m));
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < k; ++j) a.at(i, j) += a1 * v.host[i] * conj(u.host[j]);
    }
    a.check(2000);
}

void check_half()
{
    const int n = 40;
    std::vector<__half> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = __float2half((float)random_number()), b[i] = __float2half((float)random_number());
    __half *da, *db, *dc;
    float* df;
    for (__half** p : {&da, &db, &dc}) CUDA_CHECK(cudaMalloc(p, n * n * 2));
    CUDA_CHECK(cudaMalloc(&df, n * n * 4));
    BLAS(cublasSetMatrix(n, n, 2, a.data(), n, da, n));
    BLAS(cublasSetMatrix(n, n, 2, b.data(), n, db, n));
    const __half one = __float2half(1), zero = __float2half(0);
    const float one_float = 1, zero_float = 0;
    BLAS(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, n, db, n, &zero, dc, n));
    BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_float, da, CUDA_R_16F, n, db, CUDA_R_16F, n, &zero_float, df, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    CHECK_EQUAL((int)cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_float, da, CUDA_R_16F, n, db, CUDA_R_32F, n, &zero_float, df, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT), (int)CUBLAS_STATUS_NOT_SUPPORTED);
    std::vector<float> f(n * n);
    BLAS(cublasGetMatrix(n, n, 2, dc, n, c.data(), n));
    BLAS(cublasGetMatrix(n, n, 4, df, n, f.data(), n));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += (double)__half2float(a[i + k * n]) * __half2float(b[k + j * n]);
            CHECK_NEAR_AT(i, f[i + j * n], sum, 1e-5);
            CHECK_NEAR_AT(i, __half2float(c[i + j * n]), sum, 0.001 + fabs(sum) / 1024);
        }
    }
}

template <typename T>
void check_all()
{
    check_products<T>();
    check_triangles<T>();
    check_vectors<T>();
}

int main()
{
    BLAS(cublasCreate(&handle));
    CHECK_EQUAL((int)cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, nullptr, nullptr, 1, nullptr, 4, nullptr, nullptr, 4), (int)CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQUAL((int)cublasSetStream(nullptr, 0), (int)CUBLAS_STATUS_NOT_INITIALIZED);
    check_all<float>();
    check_all<double>();
    check_all<cuComplex>();
    check_all<cuDoubleComplex>();
    check_half();
    BLAS(cublasDestroy(handle));
    return all_ok();
}
