// cuRAND's host interface: raw numbers against the published algorithms, computed here in another way, and the moments of
// the distributions.
// compiled with: -lcurand
#include <curand.h>
#include <curand_kernel.h>

#include <random>
#include <vector>

#include "../check.h"

#define RAND(call) CHECK_EQUAL((int)(call), (int)CURAND_STATUS_SUCCESS)

template <typename T>
struct Array {
    T* device;
    std::vector<T> host;
    explicit Array(size_t n) : host(n) { CUDA_CHECK(cudaMalloc(&device, n * sizeof(T))); }
    ~Array() { cudaFree(device); }
    void fetch() { CUDA_CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
};

// Number i comes from subsequence i mod 4096, which the device interface gives too.
template <typename State>
__global__ void draw_streams(unsigned long long seed, int stream, int count, unsigned* out)
{
    State state;
    curand_init(seed, stream, 0, &state);
    for (int i = 0; i < count; ++i) out[i] = curand(&state);
}

template <typename State>
void check_streams(curandRngType_t type)
{
    const int n = 2 * 4096 + 100;
    Array<unsigned> all(n), stream(3);
    curandGenerator_t generator;
    RAND(curandCreateGenerator(&generator, type));
    RAND(curandSetPseudoRandomGeneratorSeed(generator, 77));
    // In parts, as a whole would be.
    RAND(curandGenerate(generator, all.device, 10));
    RAND(curandGenerate(generator, all.device + 10, 1000));
    RAND(curandGenerate(generator, all.device + 1010, n - 1010));
    all.fetch();
    for (const int s : {0, 1, 9, 10, 99, 2500, 4095}) {
        draw_streams<State><<<1, 1>>>(77, s, 3, stream.device);
        CHECK_LAUNCH();
        stream.fetch();
        for (int i = 0; i < 3 && s + 4096 * i < n; ++i) CHECK_EQUAL_AT(s, all.host[s + 4096 * i], stream.host[i]);
    }
    const std::vector<unsigned> whole = all.host;
    RAND(curandSetGeneratorOffset(generator, 4096 + 5));
    RAND(curandGenerate(generator, all.device, 4000));
    all.fetch();
    for (int i = 0; i < 4000; ++i) CHECK_EQUAL_AT(i, all.host[i], whole[4096 + 5 + i]);
    RAND(curandDestroyGenerator(generator));
}

void check_known_answers()
{
    // Philox4x32-10 with key 0: Random123's answers for counter 0 are the first numbers of subsequence 0.
    const unsigned known[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    curandGenerator_t generator;
    std::vector<unsigned> host(4 * 4096);
    RAND(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    RAND(curandSetPseudoRandomGeneratorSeed(generator, 0));
    RAND(curandGenerate(generator, host.data(), host.size()));
    for (int i = 0; i < 4; ++i) CHECK_EQUAL_AT(i, host[4096 * i], known[i]);
    RAND(curandDestroyGenerator(generator));

    // MRG32k3a from L'Ecuyer's paper: seeds 12345.
    RAND(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MRG32K3A));
    RAND(curandGenerate(generator, host.data(), host.size()));
    double a[3] = {12345, 12345, 12345}, b[3] = {12345, 12345, 12345};
    for (int i = 0; i < 4; ++i) {
        const double m1 = 4294967087.0, m2 = 4294944443.0;
        double p1 = 1403580.0 * a[1] - 810728.0 * a[0], p2 = 527612.0 * b[2] - 1370589.0 * b[0];
        p1 -= floor(p1 / m1) * m1, p2 -= floor(p2 / m2) * m2;
        a[0] = a[1], a[1] = a[2], a[2] = p1, b[0] = b[1], b[1] = b[2], b[2] = p2;
        CHECK_EQUAL_AT(i, (double)host[4096 * i], p1 <= p2 ? p1 - p2 + m1 : p1 - p2);
    }
    RAND(curandDestroyGenerator(generator));

    // MT19937 against the standard library's, whose 10000th number the standard gives as 4123659995.
    RAND(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MT19937));
    RAND(curandSetPseudoRandomGeneratorSeed(generator, 5489));
    RAND(curandGenerate(generator, host.data(), 700));
    RAND(curandGenerate(generator, host.data() + 700, 9300));
    std::mt19937 standard;
    for (int i = 0; i < 10000; ++i) CHECK_EQUAL_AT(i, host[i], (unsigned)standard());
    CHECK_EQUAL(host[9999], 4123659995u);
    // Seeds of 64 bits as by init_by_array, whose published answers are for another key; so by the definition.
    const unsigned long long seed = 0x123456789abcdefull;
    std::vector<unsigned> w(624);
    w[0] = 19650218u;
    for (int i = 1; i < 624; ++i) w[i] = 1812433253u * (w[i - 1] ^ (w[i - 1] >> 30)) + i;
    const unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
    int i = 1, j = 0;
    for (int k = 624; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[j] + j;
        i++, j++;
        if (i >= 624) w[0] = w[623], i = 1;
        if (j >= 2) j = 0;
    }
    for (int k = 623; k; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - i;
        i++;
        if (i >= 624) w[0] = w[623], i = 1;
    }
    w[0] = 0x80000000u;
    const unsigned y = (w[0] & 0x80000000u) | (w[1] & 0x7fffffffu);
    unsigned first = w[397] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    first ^= first >> 11, first ^= (first << 7) & 0x9d2c5680u, first ^= (first << 15) & 0xefc60000u, first ^= first >> 18;
    RAND(curandSetPseudoRandomGeneratorSeed(generator, seed));
    RAND(curandGenerate(generator, host.data(), 2));
    CHECK_EQUAL(host[0], first);
    RAND(curandDestroyGenerator(generator));
}

// Sobol's points by the definition: the bits of the index, not its Gray code, times direction numbers m_k / 2^k. The points
// come in another order within each power of two, so the sets are compared; and the first of them one by one.
void check_sobol()
{
    const int points = 256, dimensions = 5;
    // Joe and Kuo's: degree, coefficients, m.
    const std::vector<unsigned> rows[dimensions] = {{}, {1, 0, 1}, {2, 1, 1, 3}, {3, 1, 1, 3, 1}, {3, 2, 1, 1, 1}};
    Array<unsigned> raw(points * dimensions);
    Array<unsigned long long> wide(points * dimensions);
    curandGenerator_t generator;
    RAND(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32));
    RAND(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    CHECK_EQUAL((int)curandGenerate(generator, raw.device, 7), (int)CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_EQUAL((int)curandGenerateLongLong(generator, wide.device, 10), (int)CURAND_STATUS_TYPE_ERROR);
    RAND(curandGenerate(generator, raw.device, points * dimensions));
    raw.fetch();
    RAND(curandDestroyGenerator(generator));
    RAND(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL64));
    RAND(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    RAND(curandGenerateLongLong(generator, wide.device, points * dimensions));
    wide.fetch();
    RAND(curandDestroyGenerator(generator));
    for (int d = 0; d < dimensions; ++d) {
        std::vector<unsigned> m(33, 1);  // from 1
        if (d > 0) {
            const unsigned degree = rows[d][0], inner = rows[d][1];
            for (unsigned k = 1; k <= 32; ++k) {
                if (k <= degree) {
                    m[k] = rows[d][1 + k];
                    continue;
                }
                unsigned long long next = m[k - degree] ^ ((unsigned long long)m[k - degree] << degree);
                for (unsigned i = 1; i < degree; ++i)
                    if (inner >> (degree - 1 - i) & 1) next ^= (unsigned long long)m[k - i] << i;
                m[k] = (unsigned)next;
            }
        }
        for (int i = 0; i < points; ++i) {
            const unsigned index = i ^ (i >> 1);
            double x = 0;
            unsigned bits = 0;
            for (int k = 1; k <= 9; ++k)
                if (index >> (k - 1) & 1) bits ^= m[k] << (32 - k);
            x = bits / 4294967296.0;
            CHECK_EQUAL_AT(i, raw.host[d * points + i] / 4294967296.0, x);
            CHECK_EQUAL_AT(i, (double)wide.host[d * points + i] / 18446744073709551616.0, x);
        }
    }
    // All 128 dimensions are spread evenly: each interval of 1/256 holds one of 256 points, also when scrambled.
    for (const auto type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32}) {
        Array<float> uniform(256 * 128);
        RAND(curandCreateGenerator(&generator, type));
        RAND(curandSetQuasiRandomGeneratorDimensions(generator, 128));
        RAND(curandGenerateUniform(generator, uniform.device, 256 * 128));
        uniform.fetch();
        for (int d = 0; d < 128; ++d) {
            std::vector<int> hits(256);
            for (int i = 0; i < 256; ++i) ++hits[(int)(uniform.host[d * 256 + i] * 256)];
            for (int i = 0; i < 256; ++i) CHECK_EQUAL_AT(d, hits[i], 1);
        }
        RAND(curandDestroyGenerator(generator));
    }
    CHECK_EQUAL((int)curandCreateGenerator(&generator, CURAND_RNG_TEST), (int)CURAND_STATUS_TYPE_ERROR);
}

__global__ void draw_sobol(unsigned* vectors, unsigned scramble, unsigned* out)
{
    curandStateSobol32_t state;
    curandStateScrambledSobol32_t scrambled;
    curand_init(vectors, 3u, &state);
    curand_init(vectors, scramble, 0u, &scrambled);
    for (int i = 0; i < 20; ++i) out[i] = curand(&state), out[20 + i] = curand(&scrambled);
    skipahead(7u, &state);
    out[40] = curand(&state);
}

// The device's states walk through the same points.
void check_device_sobol()
{
    curandDirectionVectors32_t* vectors;
    RAND(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    Array<unsigned> there(32), out(41), raw(4 * 64);
    CUDA_CHECK(cudaMemcpy(there.device, vectors[3], sizeof(vectors[3]), cudaMemcpyHostToDevice));
    draw_sobol<<<1, 1>>>(there.device, 0xabcdef01u, out.device);
    CHECK_LAUNCH();
    out.fetch();
    curandGenerator_t generator;
    RAND(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32));
    RAND(curandSetQuasiRandomGeneratorDimensions(generator, 4));
    RAND(curandGenerate(generator, raw.device, 4 * 64));
    raw.fetch();
    for (int i = 0; i < 20; ++i) {
        CHECK_EQUAL_AT(i, out.host[i], raw.host[3 * 64 + 3 + i]);
        CHECK_EQUAL_AT(i, out.host[20 + i], raw.host[3 * 64 + i] ^ 0xabcdef01u);
    }
    CHECK_EQUAL(out.host[40], raw.host[3 * 64 + 30]);
    RAND(curandDestroyGenerator(generator));
}

void check_moments(const double* x, int n, double mean, double variance, double errors)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) sum += x[i], squares += x[i] * x[i];
    const double got = sum / n;
    CHECK_NEAR_AT(n, got, mean, errors * sqrt(variance / n));
    CHECK_NEAR_AT(n, (squares / n - got * got) / variance, 1, 0.08);
}

void check_distributions(curandRngType_t type)
{
    const int n = 8192;
    Array<float> f(n);
    Array<double> d(n);
    Array<unsigned> u(n);
    curandGenerator_t g;
    RAND(curandCreateGenerator(&g, type));
    const auto check = [&](double mean, double variance) { check_moments(d.host.data(), n, mean, variance, 5); };
    const auto widen = [&](double (*function)(double)) {
        f.fetch();
        for (int i = 0; i < n; ++i) d.host[i] = function(f.host[i]);
    };
    const auto same = [](double x) { return x; };
    RAND(curandGenerateUniform(g, f.device, n));
    widen(same);
    for (const double x : d.host) CHECK(x > 0 && x <= 1);
    check(0.5, 1 / 12.0);
    RAND(curandGenerateUniformDouble(g, d.device, n));
    d.fetch();
    check(0.5, 1 / 12.0);
    RAND(curandGenerateNormal(g, f.device, n, 3, 2));
    widen(same);
    check(3, 4);
    RAND(curandGenerateNormalDouble(g, d.device, n, -1, 0.5));
    d.fetch();
    check(-1, 0.25);
    RAND(curandGenerateLogNormal(g, f.device, n, 1, 0.5));
    widen([](double x) { return log(x); });
    check(1, 0.25);
    RAND(curandGenerateLogNormalDouble(g, d.device, n, 0, 1));
    d.fetch();
    for (double& x : d.host) x = log(x);
    check(0, 1);
    for (const double lambda : {0.5, 6.0, 300.0}) {
        RAND(curandGeneratePoisson(g, u.device, n, lambda));
        u.fetch();
        for (int i = 0; i < n; ++i) d.host[i] = u.host[i];
        check(lambda, lambda);
    }
    RAND(curandDestroyGenerator(g));
}

int main()
{
    check_known_answers();
    check_streams<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT);
    check_streams<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10);
    check_streams<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A);
    check_sobol();
    check_device_sobol();
    for (const auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                            CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64})
        check_distributions(type);
    return all_ok();
}
