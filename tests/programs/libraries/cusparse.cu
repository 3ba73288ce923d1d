// cuSPARSE against dense matrices on the host, in double: products, conversions, triangular systems, incomplete LU.
// compiled with: -lcusparse
#include <cusparse.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "../check.h"

using Z = std::complex<double>;
#define SPARSE(call) CHECK_EQUAL((int)(call), (int)CUSPARSE_STATUS_SUCCESS)

static cusparseHandle_t handle;
static const cusparseIndexType_t kInt = CUSPARSE_INDEX_32I;
static const cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

static double random_number()
{
    static unsigned state = 7;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}

template <typename T>
struct Kind;
template <>
struct Kind<float> {
    static constexpr cudaDataType type = CUDA_R_32F;
    static constexpr double bound = 1e-5;
    static float make(Z z) { return (float)z.real(); }
};
template <>
struct Kind<double> {
    static constexpr cudaDataType type = CUDA_R_64F;
    static constexpr double bound = 1e-13;
    static double make(Z z) { return z.real(); }
};
template <>
struct Kind<cuComplex> {
    static constexpr cudaDataType type = CUDA_C_32F;
    static constexpr double bound = 1e-5;
    static cuComplex make(Z z) { return make_cuComplex((float)z.real(), (float)z.imag()); }
};
template <>
struct Kind<cuDoubleComplex> {
    static constexpr cudaDataType type = CUDA_C_64F;
    static constexpr double bound = 1e-13;
    static cuDoubleComplex make(Z z) { return make_cuDoubleComplex(z.real(), z.imag()); }
};
static Z value(double x) { return x; }
static Z value(cuComplex x) { return Z(x.x, x.y); }
static Z value(cuDoubleComplex x) { return Z(x.x, x.y); }
template <typename T>
std::vector<T> random_vector(int n)
{
    std::vector<T> result(n);
    for (T& x : result) x = Kind<T>::make({random_number(), random_number()});
    return result;
}

template <typename T>
struct Device {
    T* p;
    size_t n;
    explicit Device(size_t count) : n(count) { CUDA_CHECK(cudaMalloc(&p, (n + 1) * sizeof(T))); }
    Device(const std::vector<T>& host) : Device(host.size()) { put(host); }
    ~Device() { cudaFree(p); }
    void put(const std::vector<T>& host) { CUDA_CHECK(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    std::vector<T> get()
    {
        std::vector<T> host(n);
        CUDA_CHECK(cudaMemcpy(host.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

// Dense on the host, and compressed with indices of type I by rows or columns.
template <typename T, typename I = int>
struct Matrix {
    int rows, columns, base;
    std::vector<Z> dense;
    std::vector<I> offsets, indices, lines;
    std::vector<T> values;
    Z& at(int i, int j) { return dense[i + j * rows]; }

    Matrix(int m, int n, int first, double density = 0.25) : rows(m), columns(n), base(first), dense(m * n)
    {
        for (Z& z : dense) {
            if (random_number() + 0.5 < density) z = value(Kind<T>::make(Z(random_number(), random_number())));
        }
        compress(false);
    }
    void compress(bool by_columns)
    {
        offsets.assign(1, base), indices.clear(), lines.clear(), values.clear();
        for (int i = 0; i < (by_columns ? columns : rows); ++i) {
            for (int j = 0; j < (by_columns ? rows : columns); ++j) {
                const Z z = by_columns ? at(j, i) : at(i, j);
                if (z == Z(0)) continue;
                indices.push_back((I)(j + base)), lines.push_back((I)(i + base)), values.push_back(Kind<T>::make(z));
            }
            offsets.push_back((I)(values.size() + base));
        }
    }
    Z applied(cusparseOperation_t op, int i, int j)
    {
        if (op == kPlain) return at(i, j);
        return op == CUSPARSE_OPERATION_TRANSPOSE ? at(j, i) : conj(at(j, i));
    }
};

// The same on the device, with its descriptor.
template <typename T, typename I = int>
struct Stored {
    Device<I> offsets, indices, lines;
    Device<T> values;
    cusparseSpMatDescr_t matrix;
    Stored(Matrix<T, I>& a, cusparseFormat_t format) : Stored(compressed(a, format), format, 0) {}
    ~Stored() { SPARSE(cusparseDestroySpMat(matrix)); }

private:
    static Matrix<T, I>& compressed(Matrix<T, I>& a, cusparseFormat_t format)
    {
        a.compress(format == CUSPARSE_FORMAT_CSC);
        return a;
    }
    Stored(Matrix<T, I>& a, cusparseFormat_t format, int) : offsets(a.offsets), indices(a.indices), lines(a.lines), values(a.values)
    {
        const auto type = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        const auto base = a.base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
        if (format == CUSPARSE_FORMAT_COO) {
            SPARSE(cusparseCreateCoo(&matrix, a.rows, a.columns, values.n, lines.p, indices.p, values.p, type, base, Kind<T>::type));
        } else {
            const auto create = format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr;
            SPARSE(create(&matrix, a.rows, a.columns, values.n, offsets.p, indices.p, values.p, type, type, base, Kind<T>::type));
        }
    }
};

static const cusparseFormat_t kFormats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};

// Vectors and matrices times each format, as they are and transposed.
template <typename T, typename I>
void check_products(int base)
{
    const int m = 37, n = 23, k = 5;
    const cudaDataType type = Kind<T>::type;
    Matrix<T, I> a(m, n, base);
    const T alpha = Kind<T>::make({0.75, 0.5}), beta = Kind<T>::make({-0.5, 0.25}), zero = Kind<T>::make(0);
    for (const auto format : kFormats) {
        Stored<T, I> stored(a, format);
        for (const auto op : {kPlain, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
            const int rows = op == kPlain ? m : n, depth = m + n - rows;
            for (const auto op_b : {kPlain, CUSPARSE_OPERATION_TRANSPOSE}) {
                const bool flips = op_b != kPlain;
                const std::vector<T> b = random_vector<T>(depth * k), c = random_vector<T>(rows * k);
                Device<T> b_there(b), c_there(c);
                cusparseDnMatDescr_t left, right;  // B by rows, C by columns
                SPARSE(cusparseCreateDnMat(&left, flips ? k : depth, flips ? depth : k, flips ? depth : k, b_there.p, type, CUSPARSE_ORDER_ROW));
                SPARSE(cusparseCreateDnMat(&right, rows, k, rows, c_there.p, type, CUSPARSE_ORDER_COL));
                size_t bytes;
                SPARSE(cusparseSpMM_bufferSize(handle, op, op_b, &alpha, stored.matrix, left, &beta, right, type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
                SPARSE(cusparseSpMM(handle, op, op_b, &alpha, stored.matrix, left, &beta, right, type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
                const std::vector<T> got = c_there.get();
                for (int i = 0; i < rows; ++i) {
                    for (int j = 0; j < k; ++j) {
                        Z sum = 0;
                        for (int l = 0; l < depth; ++l) sum += a.applied(op, i, l) * value(b[flips ? j * depth + l : l * k + j]);
                        const Z wanted = value(alpha) * sum + value(beta) * value(c[i + j * rows]);
                        CHECK_NEAR_AT(i, abs(value(got[i + j * rows]) - wanted), 0, Kind<T>::bound);
                    }
                }
                SPARSE(cusparseDestroyDnMat(left));
                SPARSE(cusparseDestroyDnMat(right));
            }
            const std::vector<T> x = random_vector<T>(depth), y(rows, Kind<T>::make({NAN, NAN}));  // not read with beta 0
            Device<T> x_there(x), y_there(y);
            cusparseDnVecDescr_t from, to;
            size_t bytes;
            SPARSE(cusparseCreateDnVec(&from, depth, x_there.p, type));
            SPARSE(cusparseCreateDnVec(&to, rows, y_there.p, type));
            SPARSE(cusparseSpMV_bufferSize(handle, op, &alpha, stored.matrix, from, &zero, to, type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
            SPARSE(cusparseSpMV(handle, op, &alpha, stored.matrix, from, &zero, to, type, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
            const std::vector<T> got = y_there.get();
            for (int i = 0; i < rows; ++i) {
                Z sum = 0;
                for (int l = 0; l < depth; ++l) sum += a.applied(op, i, l) * value(x[l]);
                CHECK_NEAR_AT(i, abs(value(got[i]) - value(alpha) * sum), 0, Kind<T>::bound);
            }
            SPARSE(cusparseDestroyDnVec(from));
            SPARSE(cusparseDestroyDnVec(to));
        }
    }
}

template <typename T>
void check_sparse_product()
{
    const int m = 30, k = 25, n = 28;
    const cudaDataType type = Kind<T>::type;
    Matrix<T> a(m, k, 0, 0.15), b(k, n, 1, 0.15);
    Stored<T> left(a, CUSPARSE_FORMAT_CSR), right(b, CUSPARSE_FORMAT_CSR);
    Device<int> offsets_there(m + 1);
    cusparseSpMatDescr_t result;
    SPARSE(cusparseCreateCsr(&result, m, n, 0, nullptr, nullptr, nullptr, kInt, kInt, CUSPARSE_INDEX_BASE_ZERO, type));
    const T alpha = Kind<T>::make({1.5, -1}), beta = Kind<T>::make(0);
    cusparseSpGEMMDescr_t work;
    SPARSE(cusparseSpGEMM_createDescr(&work));
    size_t bytes1 = 0, bytes2 = 0;
    SPARSE(cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work, &bytes1, nullptr));
    Device<char> buffer1(bytes1);
    SPARSE(cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work, &bytes1, buffer1.p));
    SPARSE(cusparseSpGEMM_compute(handle, kPlain, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work, &bytes2, nullptr));
    Device<char> buffer2(bytes2);
    SPARSE(cusparseSpGEMM_compute(handle, kPlain, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work, &bytes2, buffer2.p));
    int64_t rows, columns, nnz;
    SPARSE(cusparseSpMatGetSize(result, &rows, &columns, &nnz));
    Device<int> indices_there(nnz);
    Device<T> values_there(nnz);
    SPARSE(cusparseCsrSetPointers(result, offsets_there.p, indices_there.p, values_there.p));
    SPARSE(cusparseSpGEMM_copy(handle, kPlain, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work));
    const std::vector<int> offsets = offsets_there.get(), indices = indices_there.get();
    const std::vector<T> values = values_there.get();
    int next = 0;
    for (int i = 0; i < m; ++i) {
        CHECK_EQUAL_AT(i, offsets[i], next);
        for (int j = 0; j < n; ++j) {
            Z sum = 0;
            bool there = false;
            for (int l = 0; l < k; ++l) {
                sum += a.at(i, l) * b.at(l, j);
                there |= a.at(i, l) != Z(0) && b.at(l, j) != Z(0);
            }
            if (!there) continue;
            CHECK_EQUAL_AT(i, indices[next], j);
            CHECK_NEAR_AT(i, abs(value(values[next]) - value(alpha) * sum), 0, Kind<T>::bound);
            ++next;
        }
    }
    CHECK_EQUAL(nnz, next);
    CHECK_EQUAL((int)cusparseSpGEMM_compute(handle, CUSPARSE_OPERATION_TRANSPOSE, kPlain, &alpha, left.matrix, right.matrix, &beta, result, type, CUSPARSE_SPGEMM_DEFAULT, work, &bytes2, buffer2.p),
                (int)CUSPARSE_STATUS_NOT_SUPPORTED);
    SPARSE(cusparseSpGEMM_destroyDescr(work));
    SPARSE(cusparseDestroySpMat(result));
}

void check_conversions()
{
    const int m = 21, n = 34;
    const auto one = CUSPARSE_INDEX_BASE_ONE;
    Matrix<double> a(m, n, 1), by_columns = a;
    by_columns.compress(true);
    Stored<double> stored(a, CUSPARSE_FORMAT_CSR);
    const int nnz = (int)a.values.size();
    Device<int> lines(nnz), again(m + 1), csc_offsets(n + 1), csc_indices(nnz);
    Device<double> csc_values(nnz), dense(m * n);
    SPARSE(cusparseXcsr2coo(handle, stored.offsets.p, nnz, m, lines.p, one));
    CHECK(lines.get() == a.lines);
    SPARSE(cusparseXcoo2csr(handle, lines.p, nnz, m, again.p, one));
    CHECK(again.get() == a.offsets);
    size_t bytes;
    SPARSE(cusparseCsr2cscEx2_bufferSize(handle, m, n, nnz, stored.values.p, stored.offsets.p, stored.indices.p, csc_values.p, csc_offsets.p, csc_indices.p, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, &bytes));
    Device<char> buffer(bytes);
    SPARSE(cusparseCsr2cscEx2(handle, m, n, nnz, stored.values.p, stored.offsets.p, stored.indices.p, csc_values.p, csc_offsets.p, csc_indices.p, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, buffer.p));
    CHECK(csc_offsets.get() == by_columns.offsets);
    CHECK(csc_indices.get() == by_columns.indices);
    CHECK(csc_values.get() == by_columns.values);
    // To a dense matrix, and back into each format.
    cusparseDnMatDescr_t full;
    SPARSE(cusparseCreateDnMat(&full, m, n, m, dense.p, CUDA_R_64F, CUSPARSE_ORDER_COL));
    for (const auto format : kFormats) {
        Stored<double> source(a, format);
        CUDA_CHECK(cudaMemset(dense.p, 0xff, m * n * sizeof(double)));
        SPARSE(cusparseSparseToDense(handle, source.matrix, full, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
        const std::vector<double> got = dense.get();
        for (int i = 0; i < m * n; ++i) CHECK_EQUAL_AT(i, got[i], a.dense[i].real());
        const bool columns = format == CUSPARSE_FORMAT_CSC, listed = format == CUSPARSE_FORMAT_COO;
        const Matrix<double>& wanted = columns ? by_columns : a;
        a.compress(false);
        Device<int> o(wanted.offsets.size()), i(nnz), l(nnz);
        Device<double> v(nnz);
        cusparseSpMatDescr_t sparse;
        if (listed) {
            SPARSE(cusparseCreateCoo(&sparse, m, n, 0, nullptr, nullptr, nullptr, kInt, one, CUDA_R_64F));
        } else {
            const auto create = columns ? cusparseCreateCsc : cusparseCreateCsr;
            SPARSE(create(&sparse, m, n, 0, o.p, nullptr, nullptr, kInt, kInt, one, CUDA_R_64F));
        }
        SPARSE(cusparseDenseToSparse_bufferSize(handle, full, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
        Device<char> room(bytes);
        SPARSE(cusparseDenseToSparse_analysis(handle, full, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, room.p));
        int64_t rows, width, found;
        SPARSE(cusparseSpMatGetSize(sparse, &rows, &width, &found));
        CHECK_EQUAL(found, nnz);
        if (listed) {
            SPARSE(cusparseCooSetPointers(sparse, l.p, i.p, v.p));
        } else {
            SPARSE(cusparseCsrSetPointers(sparse, o.p, i.p, v.p));
        }
        SPARSE(cusparseDenseToSparse_convert(handle, full, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, room.p));
        CHECK(i.get() == wanted.indices);
        CHECK(v.get() == wanted.values);
        if (listed) CHECK(l.get() == wanted.lines);
        if (!listed) CHECK(o.get() == wanted.offsets);
        SPARSE(cusparseDestroySpMat(sparse));
    }
    SPARSE(cusparseDestroyDnMat(full));
    // Rows out of order are sorted, and a permutation says how.
    std::vector<int> mixed = a.indices;
    for (int i = 0; i < m; ++i) std::reverse(mixed.begin() + a.offsets[i] - 1, mixed.begin() + a.offsets[i + 1] - 1);
    Device<int> order(mixed), permutation(nnz);
    cusparseMatDescr_t descriptor;
    SPARSE(cusparseCreateMatDescr(&descriptor));
    SPARSE(cusparseSetMatIndexBase(descriptor, one));
    SPARSE(cusparseCreateIdentityPermutation(handle, nnz, permutation.p));
    SPARSE(cusparseXcsrsort(handle, m, n, nnz, descriptor, stored.offsets.p, order.p, permutation.p, nullptr));
    CHECK(order.get() == a.indices);
    const std::vector<int> p = permutation.get();
    for (int i = 0; i < nnz; ++i) CHECK_EQUAL_AT(i, mixed[p[i]], a.indices[i]);
    SPARSE(cusparseDestroyMatDescr(descriptor));
}

void check_vectors()
{
    const std::vector<float> y = {1, 2, 3, 4, 5, 6}, x = {10, 20, 30};
    const std::vector<int> at = {5, 0, 3};
    Device<float> dense(y), values(x);
    Device<int> indices(at);
    cusparseSpVecDescr_t sparse;
    cusparseDnVecDescr_t full;
    SPARSE(cusparseCreateSpVec(&sparse, 6, 3, indices.p, values.p, kInt, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    SPARSE(cusparseCreateDnVec(&full, 6, dense.p, CUDA_R_32F));
    const float alpha = 2, beta = 3;
    float dot = 0;
    Device<char> buffer(16);
    SPARSE(cusparseSpVV(handle, kPlain, sparse, full, &dot, CUDA_R_32F, buffer.p));
    CHECK_EQUAL(dot, 10.f * 6 + 20 * 1 + 30 * 4);
    SPARSE(cusparseAxpby(handle, &alpha, sparse, &beta, full));
    CHECK((dense.get() == std::vector<float>{3 + 40, 6, 9, 12 + 60, 15, 18 + 20}));
    SPARSE(cusparseGather(handle, full, sparse));
    CHECK((values.get() == std::vector<float>{38, 43, 72}));
    values.put(x);
    SPARSE(cusparseScatter(handle, sparse, full));
    CHECK((dense.get() == std::vector<float>{20, 6, 9, 30, 15, 10}));
    SPARSE(cusparseDestroySpVec(sparse));
    SPARSE(cusparseDestroyDnVec(full));
}

// The definition of ILU(0): (L U)_ij = A_ij wherever A has an element.
void check_incomplete_factors(Matrix<double>& a)
{
    const int n = a.rows;
    Stored<double> stored(a, CUSPARSE_FORMAT_CSR);
    const int nnz = (int)a.values.size();
    cusparseMatDescr_t descriptor;
    csrilu02Info_t info;
    int bytes, pivot;
    SPARSE(cusparseCreateMatDescr(&descriptor));
    SPARSE(cusparseCreateCsrilu02Info(&info));
    SPARSE(cusparseDcsrilu02_bufferSize(handle, n, nnz, descriptor, stored.values.p, stored.offsets.p, stored.indices.p, info, &bytes));
    SPARSE(cusparseDcsrilu02_analysis(handle, n, nnz, descriptor, stored.values.p, stored.offsets.p, stored.indices.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr));
    SPARSE(cusparseDcsrilu02(handle, n, nnz, descriptor, stored.values.p, stored.offsets.p, stored.indices.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr));
    SPARSE(cusparseXcsrilu02_zeroPivot(handle, info, &pivot));
    std::vector<double> f(n * n);
    const std::vector<double> factors = stored.values.get();
    for (int i = 0; i < n; ++i)
        for (int e = a.offsets[i]; e < a.offsets[i + 1]; ++e) f[i * n + a.indices[e]] = factors[e];
    for (int i = 0; i < n; ++i) {
        for (int e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
            const int j = a.indices[e];
            double sum = 0;
            for (int k = 0; k <= (i < j ? i : j); ++k) sum += (k == i ? 1 : f[i * n + k]) * f[k * n + j];
            CHECK_NEAR_AT(i, sum, a.at(i, j).real(), 1e-12);
        }
    }
    SPARSE(cusparseDestroyCsrilu02Info(info));
    SPARSE(cusparseDestroyMatDescr(descriptor));
}

void check_triangle(Matrix<double>& a, cusparseFillMode_t fill, cusparseOperation_t op, cusparseFormat_t format)
{
    const int n = a.rows;
    const bool lower = fill == CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = lower ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    Stored<double> stored(a, format);
    const std::vector<double> b = random_vector<double>(n);
    Device<double> x(b), y(n);
    cusparseDnVecDescr_t from, to;
    cusparseSpSVDescr_t work;
    SPARSE(cusparseSpMatSetAttribute(stored.matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
    SPARSE(cusparseSpMatSetAttribute(stored.matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
    SPARSE(cusparseCreateDnVec(&from, n, x.p, CUDA_R_64F));
    SPARSE(cusparseCreateDnVec(&to, n, y.p, CUDA_R_64F));
    SPARSE(cusparseSpSV_createDescr(&work));
    const double alpha = 2;
    size_t size;
    SPARSE(cusparseSpSV_bufferSize(handle, op, &alpha, stored.matrix, from, to, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, work, &size));
    SPARSE(cusparseSpSV_analysis(handle, op, &alpha, stored.matrix, from, to, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, work, nullptr));
    SPARSE(cusparseSpSV_solve(handle, op, &alpha, stored.matrix, from, to, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, work));
    const std::vector<double> got = y.get();
    for (int r = 0; r < n; ++r) {
        double sum = 0;
        for (int c = 0; c < n; ++c) {
            const int s = op == kPlain ? r : c, t = r + c - s;
            sum += (s == t && lower ? 1.0 : (lower ? s >= t : s <= t) ? a.at(s, t).real() : 0.0) * got[c];
        }
        CHECK_NEAR_AT(r, sum, alpha * b[r], 1e-9);
    }
    SPARSE(cusparseSpSV_destroyDescr(work));
    SPARSE(cusparseDestroyDnVec(from));
    SPARSE(cusparseDestroyDnVec(to));
}

void check_triangles()
{
    Matrix<double> a(40, 40, 0, 0.2);
    for (int i = 0; i < 40; ++i) a.at(i, i) = 4;
    check_incomplete_factors(a);
    for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER}) {
        for (const auto op : {kPlain, CUSPARSE_OPERATION_TRANSPOSE}) {
            check_triangle(a, fill, op, CUSPARSE_FORMAT_CSR);
            check_triangle(a, fill, op, CUSPARSE_FORMAT_CSC);
        }
    }
}

// A product of dense matrices, only where C has elements.
void check_sampled()
{
    const int m = 12, n = 9, depth = 7;
    Matrix<float> c(m, n, 0);
    const std::vector<float> a = random_vector<float>(m * depth), b = random_vector<float>(depth * n);
    Stored<float> stored(c, CUSPARSE_FORMAT_CSR);
    Device<float> left(a), right(b);
    cusparseDnMatDescr_t x, y;
    SPARSE(cusparseCreateDnMat(&x, m, depth, depth, left.p, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseCreateDnMat(&y, depth, n, depth, right.p, CUDA_R_32F, CUSPARSE_ORDER_COL));
    const float alpha = 2, beta = 0.5f;
    SPARSE(cusparseSDDMM(handle, kPlain, kPlain, &alpha, x, y, &beta, stored.matrix, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    const std::vector<float> got = stored.values.get();
    for (int i = 0; i < m; ++i) {
        for (int e = c.offsets[i]; e < c.offsets[i + 1]; ++e) {
            double sum = 0;
            for (int k = 0; k < depth; ++k) sum += (double)a[i * depth + k] * b[k + c.indices[e] * depth];
            CHECK_NEAR_AT(e, got[e], 2 * sum + 0.5 * c.values[e], 1e-5);
        }
    }
    SPARSE(cusparseDestroyDnMat(x));
    SPARSE(cusparseDestroyDnMat(y));
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    check_products<float, int>(0);
    check_products<double, long long>(1);
    check_products<cuComplex, int>(1);
    check_products<cuDoubleComplex, int>(0);
    check_sparse_product<float>();
    check_sparse_product<cuDoubleComplex>();
    check_conversions();
    check_vectors();
    check_triangles();
    check_sampled();
    CHECK_EQUAL((int)cusparseSetStream(nullptr, 0), (int)CUSPARSE_STATUS_NOT_INITIALIZED);
    SPARSE(cusparseDestroy(handle));
    return all_ok();
}
