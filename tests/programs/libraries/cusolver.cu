// cuSOLVER's factors multiplied out again on the host, in double, and its solutions put into their systems.
// compiled with: -lcusolver
#include <cusolverDn.h>

#include <complex>
#include <vector>

#include "../check.h"

using Z = std::complex<double>;
#define SOLVE(call) CHECK_EQUAL((int)(call), (int)CUSOLVER_STATUS_SUCCESS)

static cusolverDnHandle_t handle;

static double random_number()
{
    static unsigned state = 3;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}
static Z value(double x) { return x; }
static Z value(cuComplex x) { return Z(x.x, x.y); }
static Z value(cuDoubleComplex x) { return Z(x.x, x.y); }

template <typename T>
struct Kind;
#define KIND(X, T, R, ORM, ORG, SY, tolerance, expression)          \
    template <>                                                     \
    struct Kind<T> {                                                \
        using Real = R;                                             \
        static constexpr double bound = tolerance;                  \
        static T make(Z z) { return expression; }                   \
        static constexpr auto getrf_size = cusolverDn##X##getrf_bufferSize; \
        static constexpr auto getrf = cusolverDn##X##getrf;         \
        static constexpr auto getrs = cusolverDn##X##getrs;         \
        static constexpr auto potrf_size = cusolverDn##X##potrf_bufferSize; \
        static constexpr auto potrf = cusolverDn##X##potrf;         \
        static constexpr auto potrs = cusolverDn##X##potrs;         \
        static constexpr auto geqrf_size = cusolverDn##X##geqrf_bufferSize; \
        static constexpr auto geqrf = cusolverDn##X##geqrf;         \
        static constexpr auto ormqr_size = cusolverDn##X##ORM##_bufferSize; \
        static constexpr auto ormqr = cusolverDn##X##ORM;           \
        static constexpr auto orgqr_size = cusolverDn##X##ORG##_bufferSize; \
        static constexpr auto orgqr = cusolverDn##X##ORG;           \
        static constexpr auto evd_size = cusolverDn##X##SY##evd_bufferSize; \
        static constexpr auto evd = cusolverDn##X##SY##evd;         \
        static constexpr auto svd_size = cusolverDn##X##gesvd_bufferSize; \
        static constexpr auto svd = cusolverDn##X##gesvd;           \
    };
KIND(S, float, float, ormqr, orgqr, sy, 1e-5, (float)z.real())
KIND(D, double, double, ormqr, orgqr, sy, 1e-13, z.real())
KIND(C, cuComplex, float, unmqr, ungqr, he, 1e-5, make_cuComplex((float)z.real(), (float)z.imag()))
KIND(Z, cuDoubleComplex, double, unmqr, ungqr, he, 1e-13, make_cuDoubleComplex(z.real(), z.imag()))

// On the host in double, on the device in T with a leading dimension of its own.
template <typename T>
struct Matrix {
    int rows, columns, ld;
    std::vector<Z> host;
    T* device;
    Matrix(int m, int n, int more = 0) : rows(m), columns(n), ld(m + more), host(m * n)
    {
        CUDA_CHECK(cudaMalloc(&device, (size_t)ld * n * sizeof(T)));
        for (Z& z : host) z = value(Kind<T>::make({random_number(), random_number()}));
        store();
    }
    Matrix(const Matrix&) = delete;
    ~Matrix() { cudaFree(device); }
    Z& at(int i, int j) { return host[i + j * rows]; }
    void store()
    {
        std::vector<T> copy((size_t)ld * columns);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) copy[i + j * ld] = Kind<T>::make(at(i, j));
        CUDA_CHECK(cudaMemcpy(device, copy.data(), copy.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<Z> load()
    {
        std::vector<T> copy((size_t)ld * columns);
        CUDA_CHECK(cudaMemcpy(copy.data(), device, copy.size() * sizeof(T), cudaMemcpyDeviceToHost));
        std::vector<Z> result(rows * columns);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows; ++i) result[i + j * rows] = value(copy[i + j * ld]);
        return result;
    }
};

struct Info {
    int* device;
    Info() { CUDA_CHECK(cudaMalloc(&device, 4)); }
    ~Info() { cudaFree(device); }
    int get()
    {
        int host;
        CUDA_CHECK(cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost));
        return host;
    }
};
#define NEAR(got, wanted, size) CHECK_NEAR_AT(size, std::abs((got) - (wanted)), 0, Kind<T>::bound * (size))

template <typename T>
void check_lu(int m, int n)
{
    Matrix<T> a(m, n, 3);
    Info info;
    const int smaller = m < n ? m : n;
    int elements;
    SOLVE(Kind<T>::getrf_size(handle, m, n, a.device, a.ld, &elements));
    Matrix<T> work(elements, 1);
    int* pivots;
    CUDA_CHECK(cudaMalloc(&pivots, smaller * 4));
    SOLVE(Kind<T>::getrf(handle, m, n, a.device, a.ld, work.device, pivots, info.device));
    CHECK_EQUAL(info.get(), 0);
    std::vector<int> p(smaller);
    CUDA_CHECK(cudaMemcpy(p.data(), pivots, smaller * 4, cudaMemcpyDeviceToHost));
    const std::vector<Z> f = a.load();
    std::vector<Z> moved = a.host;
    for (int i = 0; i < smaller; ++i)
        for (int j = 0; j < n; ++j) std::swap(moved[i + j * m], moved[p[i] - 1 + j * m]);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            Z sum = 0;
            for (int k = 0; k < smaller && k <= j && k <= i; ++k) sum += (k == i ? Z(1) : f[i + k * m]) * f[k + j * m];
            NEAR(sum, moved[i + j * m], m);
            if (i > j) CHECK(std::abs(f[i + j * m]) <= 1.4143);  // pivots are the largest by |re| + |im|
        }
    }
    for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        if (m != n) break;
        Matrix<T> b(n, 3, 2);
        SOLVE(Kind<T>::getrs(handle, trans, n, 3, a.device, a.ld, pivots, b.device, b.ld, info.device));
        const std::vector<Z> x = b.load();
        for (int i = 0; i < n; ++i) {
            for (int v = 0; v < 3; ++v) {
                Z sum = 0;
                for (int k = 0; k < n; ++k) sum += (trans == CUBLAS_OP_N ? a.at(i, k) : trans == CUBLAS_OP_T ? a.at(k, i) : conj(a.at(k, i))) * x[k + v * n];
                NEAR(sum, b.at(i, v), 100 * n);
            }
        }
    }
    cudaFree(pivots);
}

template <typename T>
void check_cholesky(int n)
{
    for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
        Matrix<T> a(n, n, 1);
        for (int i = 0; i < n; ++i) {
            a.at(i, i) = n;
            for (int j = 0; j < i; ++j) a.at(j, i) = conj(a.at(i, j));
        }
        a.store();
        Info info;
        int elements;
        SOLVE(Kind<T>::potrf_size(handle, uplo, n, a.device, a.ld, &elements));
        Matrix<T> work(elements, 1), b(n, 2);
        SOLVE(Kind<T>::potrf(handle, uplo, n, a.device, a.ld, work.device, elements, info.device));
        CHECK_EQUAL(info.get(), 0);
        const std::vector<Z> f = a.load();
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                Z sum = 0;
                for (int k = 0; k <= i && k <= j; ++k) sum += lower ? f[i + k * n] * conj(f[j + k * n]) : conj(f[k + i * n]) * f[k + j * n];
                NEAR(sum, a.at(i, j), n);
            }
        }
        SOLVE(Kind<T>::potrs(handle, uplo, n, 2, a.device, a.ld, b.device, b.ld, info.device));
        const std::vector<Z> x = b.load();
        for (int i = 0; i < n; ++i) {
            for (int v = 0; v < 2; ++v) {
                Z sum = 0;
                for (int k = 0; k < n; ++k) sum += a.at(i, k) * x[k + v * n];
                NEAR(sum, b.at(i, v), n);
            }
        }
        // The order of the first minor that is not positive.
        a.at(n - 2, n - 2) = -1;
        a.store();
        SOLVE(Kind<T>::potrf(handle, uplo, n, a.device, a.ld, work.device, elements, info.device));
        CHECK_EQUAL(info.get(), n - 1);
    }
}

template <typename T>
void check_qr(int m, int n)
{
    Matrix<T> a(m, n, 2), c(m, 4), tau(n, 1), q(m, n);
    Info info;
    int elements;
    SOLVE(Kind<T>::geqrf_size(handle, m, n, a.device, a.ld, &elements));
    Matrix<T> work(elements, 1);
    SOLVE(Kind<T>::geqrf(handle, m, n, a.device, a.ld, tau.device, work.device, elements, info.device));
    const std::vector<Z> r = a.load();
    CUDA_CHECK(cudaMemcpy2D(q.device, m * sizeof(T), a.device, a.ld * sizeof(T), m * sizeof(T), n, cudaMemcpyDeviceToDevice));
    SOLVE(Kind<T>::orgqr_size(handle, m, n, n, q.device, m, tau.device, &elements));
    Matrix<T> room(elements, 1);
    SOLVE(Kind<T>::orgqr(handle, m, n, n, q.device, m, tau.device, room.device, elements, info.device));
    const std::vector<Z> columns = q.load();
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            Z sum = 0;
            for (int k = 0; k <= j; ++k) sum += columns[i + k * m] * r[k + j * m];
            NEAR(sum, a.at(i, j), m);
        }
        for (int k = 0; k < n; ++k) {
            Z product = 0;
            for (int i = 0; i < m; ++i) product += conj(columns[i + k * m]) * columns[i + j * m];
            NEAR(product, Z(k == j), m);
        }
    }
    // Q' C, whose first rows Q's columns give; then Q brings C back. The same from the right.
    const auto adjoint = sizeof(T) == 2 * sizeof(typename Kind<T>::Real) ? CUBLAS_OP_C : CUBLAS_OP_T;
    SOLVE(Kind<T>::ormqr_size(handle, CUBLAS_SIDE_LEFT, adjoint, m, 4, n, a.device, a.ld, tau.device, c.device, m, &elements));
    SOLVE(Kind<T>::ormqr(handle, CUBLAS_SIDE_LEFT, adjoint, m, 4, n, a.device, a.ld, tau.device, c.device, m, work.device, 1, info.device));
    const std::vector<Z> turned = c.load();
    for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < n; ++k) {
            Z product = 0;
            for (int i = 0; i < m; ++i) product += conj(columns[i + k * m]) * c.at(i, j);
            NEAR(turned[k + j * m], product, m);
        }
    }
    SOLVE(Kind<T>::ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, 4, n, a.device, a.ld, tau.device, c.device, m, work.device, 1, info.device));
    const std::vector<Z> again = c.load();
    for (int i = 0; i < 4 * m; ++i) NEAR(again[i], c.host[i], m);
    Matrix<T> d(4, m);
    SOLVE(Kind<T>::ormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 4, m, n, a.device, a.ld, tau.device, d.device, 4, work.device, 1, info.device));
    const std::vector<Z> right = d.load();
    for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < n; ++k) {
            Z product = 0;
            for (int i = 0; i < m; ++i) product += d.at(j, i) * columns[i + k * m];
            NEAR(right[j + k * 4], product, m);
        }
    }
}

template <typename T>
void check_eigenvalues(int n)
{
    Matrix<T> a(n, n);
    for (int i = 0; i < n; ++i) {
        a.at(i, i) = a.at(i, i).real();
        for (int j = 0; j < i; ++j) a.at(j, i) = conj(a.at(i, j));
    }
    a.store();
    Info info;
    typename Kind<T>::Real* values;
    CUDA_CHECK(cudaMalloc(&values, n * sizeof(*values)));
    int elements;
    SOLVE(Kind<T>::evd_size(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a.device, n, values, &elements));
    Matrix<T> work(elements, 1);
    SOLVE(Kind<T>::evd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a.device, n, values, work.device, elements, info.device));
    CHECK_EQUAL(info.get(), 0);
    std::vector<typename Kind<T>::Real> w(n);
    CUDA_CHECK(cudaMemcpy(w.data(), values, n * sizeof(*values), cudaMemcpyDeviceToHost));
    const std::vector<Z> v = a.load();
    for (int j = 0; j < n; ++j) {
        if (j > 0) CHECK(w[j] >= w[j - 1]);
        for (int i = 0; i < n; ++i) {
            Z sum = 0, product = 0;
            for (int k = 0; k < n; ++k) sum += a.at(i, k) * v[k + j * n], product += conj(v[k + i * n]) * v[k + j * n];
            NEAR(sum, (double)w[j] * v[i + j * n], n);
            NEAR(product, Z(i == j), n);
        }
    }
    cudaFree(values);
}

// A = U S V', with a column that the others make up, so that one singular value is zero.
template <typename T>
void check_singular_values(int m, int n)
{
    Matrix<T> a(m, n), u(m, m), vt(n, n);
    for (int i = 0; i < m; ++i) a.at(i, n - 1) = a.at(i, 0);
    a.store();
    Info info;
    typename Kind<T>::Real* values;
    CUDA_CHECK(cudaMalloc(&values, n * sizeof(*values)));
    int elements;
    SOLVE(Kind<T>::svd_size(handle, m, n, &elements));
    Matrix<T> work(elements, 1);
    SOLVE(Kind<T>::svd(handle, 'A', 'A', m, n, a.device, m, values, u.device, m, vt.device, n, work.device, elements, nullptr, info.device));
    CHECK_EQUAL(info.get(), 0);
    std::vector<typename Kind<T>::Real> s(n);
    CUDA_CHECK(cudaMemcpy(s.data(), values, n * sizeof(*values), cudaMemcpyDeviceToHost));
    const std::vector<Z> left = u.load(), right = vt.load();
    CHECK(s[n - 1] < Kind<T>::bound);
    for (int j = 1; j < n; ++j) CHECK(s[j] <= s[j - 1]);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            Z sum = 0;
            for (int k = 0; k < n; ++k) sum += left[i + k * m] * (double)s[k] * right[k + j * n];
            NEAR(sum, a.at(i, j), m);
        }
        for (int j = 0; j < m; ++j) {
            Z product = 0;
            for (int k = 0; k < m; ++k) product += conj(left[k + i * m]) * left[k + j * m];
            NEAR(product, Z(i == j), m);
        }
    }
    cudaFree(values);
}

template <typename T>
void check_all()
{
    check_lu<T>(45, 45);
    check_lu<T>(50, 35);
    check_lu<T>(20, 40);
    check_cholesky<T>(45);
    check_qr<T>(40, 18);
    check_eigenvalues<T>(13);
    check_singular_values<T>(15, 8);
}

int main()
{
    SOLVE(cusolverDnCreate(&handle));
    check_all<float>();
    check_all<double>();
    check_all<cuComplex>();
    check_all<cuDoubleComplex>();
    CHECK_EQUAL((int)cusolverDnSgetrf(handle, 4, 4, nullptr, 2, nullptr, nullptr, nullptr), (int)CUSOLVER_STATUS_INVALID_VALUE);
    SOLVE(cusolverDnDestroy(handle));
    return all_ok();
}
