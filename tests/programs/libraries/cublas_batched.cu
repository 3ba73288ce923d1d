// cuBLAS for many small matrices, sums of matrices and diagonal ones, and the first version of its interface.
// compiled with: -lcublas
#include <cublas.h>

#include <complex>
#include <vector>

#include "../check.h"

using Z = std::complex<double>;
#define BLAS(call) CHECK_EQUAL((int)(call), (int)CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;

static double random_number()
{
    static unsigned state = 5;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}
template <typename T>
struct Kind;
#define KIND(X, T, tolerance, made, valued)                        \
    template <>                                                    \
    struct Kind<T> {                                               \
        static constexpr double bound = tolerance;                 \
        static T make(Z z) { return made; }                        \
        static Z value(T x) { return valued; }                     \
        static constexpr auto getrf = cublas##X##getrfBatched;     \
        static constexpr auto getrs = cublas##X##getrsBatched;     \
        static constexpr auto getri = cublas##X##getriBatched;     \
        static constexpr auto matinv = cublas##X##matinvBatched;   \
        static constexpr auto gels = cublas##X##gelsBatched;       \
        static constexpr auto geam = cublas##X##geam;              \
        static constexpr auto dgmm = cublas##X##dgmm;              \
    };
KIND(S, float, 1e-5, (float)z.real(), x)
KIND(D, double, 1e-13, z.real(), x)
KIND(C, cuComplex, 1e-5, make_cuComplex((float)z.real(), (float)z.imag()), Z(x.x, x.y))
KIND(Z, cuDoubleComplex, 1e-13, make_cuDoubleComplex(z.real(), z.imag()), Z(x.x, x.y))

// Matrices of m x n one after the other, and the list of their pointers on the device.
template <typename T>
struct Batch {
    int m, n, count;
    std::vector<Z> host;
    T *device, **list;
    Batch(int rows, int columns, int matrices) : m(rows), n(columns), count(matrices), host(m * n * count)
    {
        for (Z& z : host) z = Kind<T>::value(Kind<T>::make({random_number(), random_number()}));
        std::vector<T*> pointers(count);
        CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
        CUDA_CHECK(cudaMalloc(&list, count * sizeof(T*)));
        for (int i = 0; i < count; ++i) pointers[i] = device + i * m * n;
        CUDA_CHECK(cudaMemcpy(list, pointers.data(), count * sizeof(T*), cudaMemcpyHostToDevice));
        store();
    }
    ~Batch() { cudaFree(device), cudaFree(list); }
    Z& at(int b, int i, int j) { return host[(b * n + j) * m + i]; }
    void store()
    {
        std::vector<T> copy;
        for (const Z& z : host) copy.push_back(Kind<T>::make(z));
        CUDA_CHECK(cudaMemcpy(device, copy.data(), copy.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    Batch<T>& load(Batch<T>& from)
    {
        std::vector<T> copy(host.size());
        CUDA_CHECK(cudaMemcpy(copy.data(), from.device, copy.size() * sizeof(T), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < copy.size(); ++i) host[i] = Kind<T>::value(copy[i]);
        return *this;
    }
};
#define NEAR(got, wanted, size) CHECK_NEAR_AT(size, std::abs((got) - (wanted)), 0, Kind<T>::bound * (size))

template <typename T>
void check_systems()
{
    const int n = 11, count = 3, vectors = 2;
    Batch<T> a(n, n, count), inverse(n, n, count);
    for (int b = 0; b < count; ++b)
        for (int i = 0; i < n; ++i) a.at(b, i, i) += 2.0;
    a.store();
    int *info, *pivots, good;
    CUDA_CHECK(cudaMalloc(&info, count * 4));
    CUDA_CHECK(cudaMalloc(&pivots, n * count * 4));
    const auto check_inverse = [&] {
        inverse.load(inverse);
        for (int b = 0; b < count; ++b)
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    Z sum = 0;
                    for (int k = 0; k < n; ++k) sum += a.at(b, i, k) * inverse.at(b, k, j);
                    NEAR(sum, Z(i == j), 50 * n);
                }
    };
    BLAS(Kind<T>::matinv(handle, n, a.list, n, inverse.list, n, info, count));
    check_inverse();
    CUDA_CHECK(cudaMemset(inverse.device, 0xff, n * n * count * sizeof(T)));
    BLAS(Kind<T>::getrf(handle, n, a.list, n, pivots, info, count));
    BLAS(Kind<T>::getri(handle, n, a.list, n, pivots, inverse.list, n, info, count));
    check_inverse();
    for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        Batch<T> c(n, vectors, count), x(n, vectors, count);
        BLAS(Kind<T>::getrs(handle, trans, n, vectors, a.list, n, pivots, c.list, n, &good, count));
        CHECK_EQUAL(good, 0);
        x.load(c);
        for (int b = 0; b < count; ++b)
            for (int i = 0; i < n; ++i)
                for (int v = 0; v < vectors; ++v) {
                    Z sum = 0;
                    for (int k = 0; k < n; ++k) sum += (trans == CUBLAS_OP_N ? a.at(b, i, k) : trans == CUBLAS_OP_T ? a.at(b, k, i) : conj(a.at(b, k, i))) * x.at(b, k, v);
                    NEAR(sum, c.at(b, i, v), 50 * n);
                }
    }
    // A singular one is told apart.
    for (int i = 0; i < n; ++i) a.at(1, i, 4) = 0;
    a.store();
    BLAS(Kind<T>::getrf(handle, n, a.list, n, pivots, info, count));
    std::vector<int> infos(count);
    CUDA_CHECK(cudaMemcpy(infos.data(), info, count * 4, cudaMemcpyDeviceToHost));
    CHECK(infos[0] == 0 && infos[1] == 5 && infos[2] == 0);
    // Least squares: what is left is orthogonal to A's columns.
    const int m = 17, w = 6;
    Batch<T> tall(m, w, count), right(m, vectors, count), x(m, vectors, count);
    BLAS(Kind<T>::gels(handle, CUBLAS_OP_N, m, w, vectors, tall.list, m, right.list, m, &good, info, count));
    x.load(right);
    for (int b = 0; b < count; ++b)
        for (int v = 0; v < vectors; ++v)
            for (int j = 0; j < w; ++j) {
                Z product = 0;
                for (int i = 0; i < m; ++i) {
                    Z left = right.at(b, i, v);
                    for (int k = 0; k < w; ++k) left -= tall.at(b, i, k) * x.at(b, k, v);
                    product += conj(tall.at(b, i, j)) * left;
                }
                NEAR(product, Z(0), 10 * m);
            }
    cudaFree(info), cudaFree(pivots);
}

template <typename T>
void check_sums()
{
    const int m = 9, n = 13;
    const T alpha = Kind<T>::make({0.75, 0.5}), beta = Kind<T>::make({-0.5, 0.25}), zero = Kind<T>::make(0);
    Batch<T> a(m, n, 1), b(n, m, 1), c(m, n, 1), d(m, n, 1), x(1, n, 1);
    BLAS(Kind<T>::geam(handle, CUBLAS_OP_N, CUBLAS_OP_C, m, n, &alpha, a.device, m, &beta, b.device, n, c.device, m));
    d.load(c);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) NEAR(d.at(0, i, j), Kind<T>::value(alpha) * a.at(0, i, j) + Kind<T>::value(beta) * conj(b.at(0, j, i)), 4);
    BLAS(Kind<T>::geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &alpha, b.device, n, &zero, nullptr, m, c.device, m));
    d.load(c);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) NEAR(d.at(0, i, j), Kind<T>::value(alpha) * b.at(0, j, i), 4);
    BLAS(Kind<T>::dgmm(handle, CUBLAS_SIDE_RIGHT, m, n, a.device, m, x.device, 1, c.device, m));
    d.load(c);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) NEAR(d.at(0, i, j), a.at(0, i, j) * x.at(0, 0, j), 4);
    BLAS(Kind<T>::dgmm(handle, CUBLAS_SIDE_LEFT, m, n, a.device, m, x.device, -1, c.device, m));
    d.load(c);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) NEAR(d.at(0, i, j), a.at(0, i, j) * x.at(0, 0, m - 1 - i), 4);
}

void check_first_version()
{
    using T = float;
    const int n = 20;
    BLAS(cublasInit());
    float *x, *y, *a;
    BLAS(cublasAlloc(n, 4, (void**)&x));
    BLAS(cublasAlloc(n, 4, (void**)&y));
    BLAS(cublasAlloc(n * n, 4, (void**)&a));
    std::vector<float> u(n), v(n), w(n * n), r(n * n);
    for (int i = 0; i < n; ++i) u[i] = (float)random_number(), v[i] = (float)random_number();
    for (float& z : w) z = (float)random_number();
    BLAS(cublasSetVector(n, 4, u.data(), 1, x, 1));
    BLAS(cublasSetVector(n, 4, v.data(), 1, y, 1));
    BLAS(cublasSetMatrix(n, n, 4, w.data(), n, a, n));
    double dot = 0, squares = 0;
    for (int i = 0; i < n; ++i) dot += (double)u[i] * v[i], squares += (double)u[i] * u[i];
    CHECK_NEAR_AT(0, cublasSdot(n, x, 1, y, 1), dot, 1e-5);
    CHECK_NEAR_AT(0, cublasSnrm2(n, x, 1), sqrt(squares), 1e-5);
    cublasSaxpy(n, 2, x, 1, y, 1);
    cublasSgemv('t', n, n, 1, a, n, y, 1, 0, x, 1);
    BLAS(cublasGetVector(n, 4, x, 1, r.data(), 1));
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += w[k + i * n] * (v[k] + 2.0 * u[k]);
        NEAR((double)r[i], sum, n);
    }
    float* c;
    BLAS(cublasAlloc(n * n, 4, (void**)&c));
    cublasSgemm('N', 'T', n, n, n, 1.5f, a, n, a, n, 0, c, n);
    BLAS(cublasGetError());
    BLAS(cublasGetMatrix(n, n, 4, c, n, r.data(), n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += 1.5 * w[i + k * n] * w[j + k * n];
            NEAR((double)r[i + j * n], sum, n);
        }
    cublasSgemm('N', 'N', -1, n, n, 1, a, n, a, n, 0, c, n);
    CHECK_EQUAL((int)cublasGetError(), (int)CUBLAS_STATUS_INVALID_VALUE);
    for (float* p : {x, y, a, c}) BLAS(cublasFree(p));
    BLAS(cublasShutdown());
}

template <typename T>
void check_all()
{
    check_systems<T>();
    check_sums<T>();
}

int main()
{
    BLAS(cublasCreate(&handle));
    check_all<float>();
    check_all<double>();
    check_all<cuComplex>();
    check_all<cuDoubleComplex>();
    BLAS(cublasDestroy(handle));
    check_first_version();
    return all_ok();
}
