// cuRAND's device interface: the generators against the published algorithms, computed here in another way, and moments of
// the distributions.
#include <curand_kernel.h>

#include <vector>

#include "../check.h"

template <typename State>
__global__ void draw(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, State* state,
                     unsigned* out, int n)
{
    curand_init(seed, subsequence, offset, state);
    for (int i = 0; i < n; ++i) out[i] = curand(state);
}

template <typename State>
void draw(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, std::vector<unsigned>& out,
          State& start)
{
    State* state;
    unsigned* numbers;
    CUDA_CHECK(cudaMalloc(&state, sizeof(State)));
    CUDA_CHECK(cudaMalloc(&numbers, out.size() * 4));
    draw<<<1, 1>>>(seed, subsequence, offset, state, numbers, 0);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&start, state, sizeof(State), cudaMemcpyDeviceToHost));
    draw<<<1, 1>>>(seed, subsequence, offset, state, numbers, (int)out.size());
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(out.data(), numbers, out.size() * 4, cudaMemcpyDeviceToHost));
    cudaFree(state);
    cudaFree(numbers);
}

// Marsaglia's xorwow, written with one variable for each word.
unsigned xorwow(unsigned (&s)[6])
{
    const unsigned t = s[0] ^ (s[0] >> 2);
    s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    return (s[5] += 362437) + s[4];
}

// Ahead by 2^k: the step as a matrix over GF(2), squared k times.
void jump(unsigned (&s)[6], int k)
{
    using Column = std::vector<unsigned>;  // what one bit of the state becomes
    std::vector<Column> matrix(160, Column(5));
    for (int bit = 0; bit < 160; ++bit) {
        unsigned unit[6] = {};
        unit[bit / 32] = 1u << (bit % 32);
        xorwow(unit);
        for (int w = 0; w < 5; ++w) matrix[bit][w] = unit[w];
    }
    const auto apply = [&](const unsigned* v) {
        Column sum(5);
        for (int bit = 0; bit < 160; ++bit)
            if (v[bit / 32] >> (bit % 32) & 1)
                for (int w = 0; w < 5; ++w) sum[w] ^= matrix[bit][w];
        return sum;
    };
    for (int i = 0; i < k; ++i) {
        std::vector<Column> square(160);
        for (int bit = 0; bit < 160; ++bit) square[bit] = apply(matrix[bit].data());
        matrix = square;
    }
    const Column ahead = apply(s);
    for (int w = 0; w < 5; ++w) s[w] = ahead[w];
}

void check_xorwow()
{
    std::vector<unsigned> plain(600), skipped(20), other(20);
    curandState first, start;
    draw(1234, 0, 0, plain, first);
    unsigned s[6] = {first.v[0], first.v[1], first.v[2], first.v[3], first.v[4], first.d};
    for (size_t i = 0; i < plain.size(); ++i) CHECK_EQUAL_AT((int)i, plain[i], xorwow(s));
    draw(1234, 0, 573, skipped, start);
    for (int i = 0; i < 20; ++i) CHECK_EQUAL_AT(i, skipped[i], plain[573 + i]);
    draw(1234, 5, 0, other, start);  // 5 = 4 + 1: 2^69 and 2^67 numbers
    unsigned jumped[6] = {first.v[0], first.v[1], first.v[2], first.v[3], first.v[4], first.d};
    jump(jumped, 67);
    jump(jumped, 69);
    for (int i = 0; i < 20; ++i) CHECK_EQUAL_AT(i, other[i], xorwow(jumped));
}

void check_philox()
{
    // Known answers of Random123 for counter 0 and key 0.
    const unsigned known[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    std::vector<unsigned> plain(64), skipped(20);
    curandStatePhilox4_32_10_t state;
    draw(0, 0, 0, plain, state);
    for (int i = 0; i < 4; ++i) CHECK_EQUAL_AT(i, plain[i], known[i]);
    draw(0, 0, 39, skipped, state);
    for (int i = 0; i < 20; ++i) CHECK_EQUAL_AT(i, skipped[i], plain[39 + i]);
}

void check_mrg32k3a()
{
    // L'Ecuyer's example: all six seeds 12345, in floating point as in his paper.
    double a[3] = {12345, 12345, 12345}, b[3] = {12345, 12345, 12345};
    const double m1 = 4294967087.0, m2 = 4294944443.0;
    std::vector<unsigned> plain(200), skipped(20);
    curandStateMRG32k3a_t state;
    draw(0, 0, 0, plain, state);
    for (int i = 0; i < 200; ++i) {
        double p1 = 1403580.0 * a[1] - 810728.0 * a[0], p2 = 527612.0 * b[2] - 1370589.0 * b[0];
        p1 -= floor(p1 / m1) * m1;
        p2 -= floor(p2 / m2) * m2;
        a[0] = a[1], a[1] = a[2], a[2] = p1;
        b[0] = b[1], b[1] = b[2], b[2] = p2;
        CHECK_EQUAL_AT(i, (double)plain[i], p1 <= p2 ? p1 - p2 + m1 : p1 - p2);
    }
    draw(0, 0, 150, skipped, state);
    for (int i = 0; i < 20; ++i) CHECK_EQUAL_AT(i, skipped[i], plain[150 + i]);
}

constexpr int kThreads = 256, kDraws = 64, kNumbers = kThreads * kDraws;

template <typename State>
__global__ void distributions(double* out)
{
    State state;
    curand_init(99, threadIdx.x, 0, &state);
    for (int i = threadIdx.x; i < kNumbers; i += kThreads) {
        out[i] = curand_uniform(&state);
        out[kNumbers + i] = curand_uniform_double(&state);
        out[2 * kNumbers + i] = curand_normal(&state);
        out[3 * kNumbers + i] = curand_normal_double(&state);
        out[4 * kNumbers + i] = log((double)curand_log_normal(&state, 1.0f, 0.5f));
        out[5 * kNumbers + i] = curand_poisson(&state, 4.0);
        out[6 * kNumbers + i] = curand_poisson(&state, 400.0);
    }
}

// Mean and variance within five standard errors (of the variance, 8%).
template <typename State>
void check_distributions()
{
    const double expected[7][2] = {{0.5, 1 / 12.0}, {0.5, 1 / 12.0}, {0, 1}, {0, 1}, {1, 0.25}, {4, 4}, {400, 400}};
    std::vector<double> host(7 * kNumbers);
    double* device;
    CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(double)));
    distributions<State><<<1, kThreads>>>(device);
    CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
    for (int kind = 0; kind < 7; ++kind) {
        double sum = 0, squares = 0;
        for (int i = 0; i < kNumbers; ++i) {
            const double x = host[kind * kNumbers + i];
            if (kind < 2) CHECK(x > 0 && x <= 1);
            sum += x;
            squares += x * x;
        }
        const double mean = sum / kNumbers, variance = squares / kNumbers - mean * mean;
        CHECK(fabs(mean - expected[kind][0]) < 5 * sqrt(expected[kind][1] / kNumbers));
        CHECK(fabs(variance / expected[kind][1] - 1) < 0.08);
    }
    cudaFree(device);
}

int main()
{
    check_xorwow();
    check_philox();
    check_mrg32k3a();
    check_distributions<curandState>();
    check_distributions<curandStatePhilox4_32_10_t>();
    check_distributions<curandStateMRG32k3a_t>();
    puts("ok");
    return 0;
}
