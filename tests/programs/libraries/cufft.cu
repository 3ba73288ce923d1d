// cuFFT against the definition of the discrete Fourier transform, in double on the host.
// compiled with: -lcufft
#include <cufft.h>
#include <cufftXt.h>

#include <complex>
#include <vector>

#include "../check.h"

using Z = std::complex<double>;

#define FFT(call) CHECK_EQUAL((int)(call), (int)CUFFT_SUCCESS)

static double random_number()
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}

// Along one axis, by the definition.
static std::vector<Z> along(const std::vector<Z>& x, int outer, int n, int inner, int sign)
{
    std::vector<Z> y(x.size()), roots(n);
    for (int k = 0; k < n; ++k) roots[k] = std::polar(1.0, sign * 2 * M_PI * k / n);
    for (int o = 0; o < outer; ++o)
        for (int i = 0; i < inner; ++i)
            for (int k = 0; k < n; ++k) {
                Z sum = 0;
                for (int j = 0; j < n; ++j) sum += x[((size_t)o * n + j) * inner + i] * roots[(long long)j * k % n];
                y[((size_t)o * n + k) * inner + i] = sum;
            }
    return y;
}
static std::vector<Z> expected(std::vector<Z> x, const std::vector<int>& n, int batch, int sign)
{
    int outer = batch, inner = 1;
    for (const int length : n) inner *= length;
    for (const int length : n) {
        inner /= length;
        x = along(x, outer, length, inner, sign);
        outer *= length;
    }
    return x;
}

template <typename T>
struct Device {
    T* p;
    size_t n;
    explicit Device(size_t count) : n(count) { CUDA_CHECK(cudaMalloc(&p, n * sizeof(T))); }
    Device(const std::vector<T>& host) : Device(host.size()) { CUDA_CHECK(cudaMemcpy(p, host.data(), n * sizeof(T), cudaMemcpyHostToDevice)); }
    ~Device() { cudaFree(p); }
    std::vector<T> get()
    {
        std::vector<T> host(n);
        CUDA_CHECK(cudaMemcpy(host.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

template <typename R>
struct Kind;
template <>
struct Kind<float> {
    using C = cufftComplex;
    static constexpr cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
    static constexpr auto forward = cufftExecR2C;
    static constexpr auto back = cufftExecC2R;
    static constexpr auto both = cufftExecC2C;
    static constexpr double bound = 2e-6;
};
template <>
struct Kind<double> {
    using C = cufftDoubleComplex;
    static constexpr cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
    static constexpr auto forward = cufftExecD2Z;
    static constexpr auto back = cufftExecZ2D;
    static constexpr auto both = cufftExecZ2Z;
    static constexpr double bound = 1e-14;
};

template <typename R>
double bound(const std::vector<int>& n)
{
    double elements = 1;
    for (const int length : n) elements *= length;
    return Kind<R>::bound * sqrt(elements) * 10;
}

cufftHandle plan_of(std::vector<int> n, cufftType type, int batch)
{
    cufftHandle plan;
    if (n.size() == 1) {
        FFT(cufftPlan1d(&plan, n[0], type, batch));
    } else if (batch > 1) {
        FFT(cufftPlanMany(&plan, (int)n.size(), n.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch));
    } else if (n.size() == 2) {
        FFT(cufftPlan2d(&plan, n[0], n[1], type));
    } else {
        FFT(cufftPlan3d(&plan, n[0], n[1], n[2], type));
    }
    return plan;
}

template <typename R>
void check_complex(const std::vector<int>& n, int batch)
{
    using C = typename Kind<R>::C;
    size_t elements = batch;
    for (const int length : n) elements *= length;
    std::vector<C> host(elements);
    std::vector<Z> x(elements);
    for (size_t i = 0; i < elements; ++i) {
        host[i].x = (R)random_number(), host[i].y = (R)random_number();
        x[i] = Z(host[i].x, host[i].y);
    }
    Device<C> in(host), out(elements);
    const cufftHandle plan = plan_of(n, Kind<R>::c2c, batch);
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        FFT(Kind<R>::both(plan, in.p, out.p, direction));
        const std::vector<Z> wanted = expected(x, n, batch, direction);
        const std::vector<C> got = out.get();
        for (size_t i = 0; i < elements; ++i) {
            CHECK_NEAR_AT(i, got[i].x, wanted[i].real(), bound<R>(n));
            CHECK_NEAR_AT(i, got[i].y, wanted[i].imag(), bound<R>(n));
        }
    }
    // In place, there and back.
    FFT(Kind<R>::both(plan, in.p, in.p, CUFFT_FORWARD));
    FFT(Kind<R>::both(plan, in.p, in.p, CUFFT_INVERSE));
    const std::vector<C> got = in.get();
    for (size_t i = 0; i < elements; ++i) CHECK_NEAR_AT(i, got[i].x / ((double)elements / batch), x[i].real(), bound<R>(n));
    FFT(cufftDestroy(plan));
}

// Real ones: out of place, and in place with rows of 2 (n / 2 + 1).
template <typename R>
void check_real(const std::vector<int>& n, int batch)
{
    using C = typename Kind<R>::C;
    size_t rows = batch;
    for (size_t i = 0; i + 1 < n.size(); ++i) rows *= n[i];
    const int length = n.back(), half = length / 2 + 1;
    std::vector<R> host(rows * length), padded(rows * half * 2);
    std::vector<Z> x(rows * length);
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = host[i] = (R)random_number();
        padded[i / length * 2 * half + i % length] = host[i];
    }
    const std::vector<Z> wanted = expected(x, n, batch, CUFFT_FORWARD);
    Device<R> in(host), shared(padded);
    Device<C> out(rows * half);
    const cufftHandle there = plan_of(n, Kind<R>::r2c, batch), back = plan_of(n, Kind<R>::c2r, batch);
    FFT(Kind<R>::forward(there, in.p, out.p));
    FFT(Kind<R>::forward(there, shared.p, (C*)shared.p));
    const std::vector<C> got = out.get();
    std::vector<C> in_place(rows * half);
    CUDA_CHECK(cudaMemcpy(in_place.data(), shared.p, rows * half * sizeof(C), cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < rows; ++r)
        for (int k = 0; k < half; ++k) {
            CHECK_NEAR_AT(k, got[r * half + k].x, wanted[r * length + k].real(), bound<R>(n));
            CHECK_NEAR_AT(k, got[r * half + k].y, wanted[r * length + k].imag(), bound<R>(n));
            CHECK_EQUAL_AT(k, in_place[r * half + k].x, got[r * half + k].x);
        }
    const double scale = (double)x.size() / batch;
    FFT(Kind<R>::back(back, out.p, in.p));
    FFT(Kind<R>::back(back, (C*)shared.p, shared.p));
    const std::vector<R> again = in.get(), again_shared = shared.get();
    for (size_t i = 0; i < x.size(); ++i) {
        CHECK_NEAR_AT(i, again[i] / scale, x[i].real(), bound<R>(n));
        CHECK_EQUAL_AT(i, again_shared[i / length * 2 * half + i % length], again[i]);
    }
    FFT(cufftDestroy(there));
    FFT(cufftDestroy(back));
}

// A 6 x 10 piece of rows of 12, every second element, three of them interleaved with others.
void check_embedding()
{
    int n[2] = {6, 10}, inembed[2] = {6, 12}, onembed[2] = {7, 11};
    const int batch = 3, istride = 2, ostride = 3, idist = 6 * 12 * 2 + 5, odist = 7 * 11 * 3 + 1;
    std::vector<cufftComplex> host(batch * idist), marks(batch * odist);
    for (auto& c : host) c.x = (float)random_number(), c.y = (float)random_number();
    for (auto& c : marks) c.x = c.y = -77;
    std::vector<Z> x;
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 10; ++j) {
                const cufftComplex c = host[b * idist + (i * 12 + j) * istride];
                x.push_back(Z(c.x, c.y));
            }
    const std::vector<Z> wanted = expected(x, {6, 10}, batch, -1);
    Device<cufftComplex> in(host), out(marks);
    cufftHandle plan;
    size_t bytes, estimate;
    void* area;
    FFT(cufftCreate(&plan));
    FFT(cufftSetAutoAllocation(plan, 0));
    FFT(cufftMakePlanMany(plan, 2, n, inembed, istride, idist, onembed, ostride, odist, CUFFT_C2C, batch, &bytes));
    FFT(cufftEstimateMany(2, n, inembed, istride, idist, onembed, ostride, odist, CUFFT_C2C, batch, &estimate));
    CHECK_EQUAL(bytes, estimate);
    CHECK_EQUAL((int)cufftExecC2C(plan, in.p, out.p, CUFFT_FORWARD), (int)CUFFT_NO_WORKSPACE);
    CUDA_CHECK(cudaMalloc(&area, bytes));
    FFT(cufftSetWorkArea(plan, area));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    FFT(cufftSetStream(plan, stream));
    FFT(cufftExecC2C(plan, in.p, out.p, CUFFT_FORWARD));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::vector<cufftComplex> got = out.get();
    int untouched = 0;
    for (const auto& c : got) untouched += c.x == -77;
    CHECK_EQUAL(untouched, batch * odist - batch * 60);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 10; ++j) {
                const Z w = wanted[(b * 6 + i) * 10 + j];
                const cufftComplex c = got[b * odist + (i * 11 + j) * ostride];
                CHECK_NEAR_AT(j, c.x, w.real(), 1e-4);
                CHECK_NEAR_AT(j, c.y, w.imag(), 1e-4);
            }
    FFT(cufftDestroy(plan));
    CHECK_EQUAL((int)cufftDestroy(plan), (int)CUFFT_INVALID_PLAN);
    CHECK_EQUAL((int)cufftExecC2C(plan, in.p, out.p, CUFFT_FORWARD), (int)CUFFT_INVALID_PLAN);
    CHECK_EQUAL((int)cufftPlan1d(&plan, 0, CUFFT_C2C, 1), (int)CUFFT_INVALID_SIZE);
    FFT(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
    CHECK_EQUAL((int)cufftExecZ2Z(plan, (cufftDoubleComplex*)in.p, (cufftDoubleComplex*)out.p, 1), (int)CUFFT_INVALID_PLAN);
    CHECK_EQUAL((int)cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, nullptr), (int)CUFFT_INVALID_VALUE);
    FFT(cufftDestroy(plan));
    cudaFree(area);
}

// What is loaded is multiplied by a filter, and what is stored by a factor.
struct Filter {
    float weights[12], factor;
};
static __device__ cufftReal load_weighted(void* in, size_t i, void* info, void*)
{
    return ((cufftReal*)in)[i] * ((Filter*)info)->weights[i];
}
static __device__ void store_scaled(void* out, size_t i, cufftComplex x, void* info, void*)
{
    const float factor = ((Filter*)info)->factor;
    ((cufftComplex*)out)[i] = {x.x * factor, x.y * factor};
}
__device__ cufftCallbackLoadR loads = load_weighted;
__device__ cufftCallbackStoreC stores = store_scaled;

static void check_callbacks()
{
    const int n = 12;
    Filter *filter, host;
    float *in;
    cufftComplex* out;
    CUDA_CHECK(cudaMalloc(&filter, sizeof host));
    CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(float)));
    CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(cufftComplex)));
    for (int i = 0; i < n; ++i) in[i] = (float)(i * i % 7), host.weights[i] = (float)(i % 3 - 1);
    host.factor = 0.25f;
    CUDA_CHECK(cudaMemcpy(filter, &host, sizeof host, cudaMemcpyHostToDevice));
    cufftHandle plan;
    void* functions[2];
    CUDA_CHECK(cudaMemcpyFromSymbol(&functions[0], loads, sizeof(void*)));
    CUDA_CHECK(cudaMemcpyFromSymbol(&functions[1], stores, sizeof(void*)));
    FFT(cufftPlan1d(&plan, n, CUFFT_R2C, 1));
    CHECK_EQUAL((int)cufftXtSetCallback(plan, functions, CUFFT_CB_LD_COMPLEX, (void**)&filter), (int)CUFFT_INVALID_TYPE);
    CHECK_EQUAL((int)cufftXtSetCallback(plan, functions, CUFFT_CB_LD_REAL_DOUBLE, (void**)&filter), (int)CUFFT_INVALID_TYPE);
    FFT(cufftXtSetCallback(plan, &functions[0], CUFFT_CB_LD_REAL, (void**)&filter));
    FFT(cufftXtSetCallback(plan, &functions[1], CUFFT_CB_ST_COMPLEX, (void**)&filter));
    for (const bool weighted : {true, false}) {
        if (!weighted) FFT(cufftXtClearCallback(plan, CUFFT_CB_LD_REAL));
        FFT(cufftExecR2C(plan, in, out));
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int k = 0; k <= n / 2; ++k) {
            Z sum = 0;
            for (int i = 0; i < n; ++i)
                sum += std::polar((double)in[i] * (weighted ? host.weights[i] : 1), -2 * M_PI * i * k / n);
            CHECK_NEAR_AT(k, out[k].x, sum.real() / 4, 1e-5);
            CHECK_NEAR_AT(k, out[k].y, sum.imag() / 4, 1e-5);
        }
    }
    FFT(cufftDestroy(plan));
}

int main()
{
    check_callbacks();
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 64, 97, 210, 256, 286, 1000, 1021}) check_complex<float>({n}, 2);
    for (const int n : {6, 31, 128, 1155}) check_complex<double>({n}, 3);
    check_complex<float>({8, 12}, 1);
    check_complex<double>({19, 6, 4}, 1);
    check_complex<double>({4, 23, 5}, 2);
    for (const int n : {2, 9, 32, 37, 100}) check_real<float>({n}, 2);
    check_real<double>({6, 10}, 1);
    check_real<float>({12, 7}, 3);
    check_real<double>({4, 5, 6}, 1);
    check_embedding();
    return all_ok();
}
