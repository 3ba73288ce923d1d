// CUB out of Debian: algorithms of a device, of a block and of a warp.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "../check.h"

constexpr int kCount = 6000;

template <typename T>
struct Buffer {
    T* data;
    explicit Buffer(size_t n) { CUDA_CHECK(cudaMalloc(&data, n * sizeof(T))); }
    explicit Buffer(const std::vector<T>& host) : Buffer(host.size())
    {
        CUDA_CHECK(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get(size_t n) const
    {
        std::vector<T> host(n);
        CUDA_CHECK(cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    ~Buffer() { cudaFree(data); }
};

// CUB's two calls: how much memory it needs, then the work.
template <typename Call>
void with_memory(Call call)
{
    size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes));
    Buffer<char> memory(bytes);
    CUDA_CHECK(call(memory.data, bytes));
}

__global__ void block_and_warp(const int* in, int* scanned, int* totals, int* warp_sums, int* sorted)
{
    using Scan = cub::BlockScan<int, 128>;
    using Sort = cub::BlockRadixSort<int, 128, 2>;
    using Reduce = cub::WarpReduce<int>;
    __shared__ union {
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Reduce::TempStorage reduce[4];
    } memory;
    const int i = blockIdx.x * 128 + threadIdx.x;
    int result, total;
    Scan(memory.scan).ExclusiveSum(in[i], result, total);
    scanned[i] = result;
    if (threadIdx.x == 0) totals[blockIdx.x] = total;
    __syncthreads();
    const int sum = Reduce(memory.reduce[threadIdx.x / 32]).Sum(in[i]);
    if (threadIdx.x % 32 == 0) warp_sums[i / 32] = sum;
    __syncthreads();
    int keys[2] = {in[i], -in[i]};
    Sort(memory.sort).Sort(keys);
    sorted[2 * i] = keys[0];
    sorted[2 * i + 1] = keys[1];
}

void check_block(const std::vector<int>& values)
{
    const int n = 512;
    Buffer<int> in(values), scanned(n), totals(4), warps(16), sorted(2 * n);
    block_and_warp<<<4, 128>>>(in.data, scanned.data, totals.data, warps.data, sorted.data);
    CHECK_LAUNCH();
    const std::vector<int> scan = scanned.get(n), total = totals.get(4), sums = warps.get(16), keys = sorted.get(2 * n);
    for (int block = 0; block < 4; ++block) {
        int sum = 0;
        std::vector<int> expected;
        for (int i = block * 128; i < block * 128 + 128; ++i) {
            CHECK_EQUAL_AT(i, scan[i], sum);
            sum += values[i];
            expected.insert(expected.end(), {values[i], -values[i]});
        }
        CHECK_EQUAL_AT(block, total[block], sum);
        std::sort(expected.begin(), expected.end());
        for (int i = 0; i < 256; ++i) CHECK_EQUAL_AT(i, keys[block * 256 + i], expected[i]);
    }
    for (int warp = 0; warp < 16; ++warp)
        CHECK_EQUAL_AT(warp, sums[warp], std::accumulate(values.begin() + warp * 32, values.begin() + warp * 32 + 32, 0));
}

int main()
{
    std::vector<int> values(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = (i * 7919) % 101;
    Buffer<int> in(values), out(kCount), other(kCount), number(1);

    with_memory([&](void* p, size_t& n) { return cub::DeviceReduce::Sum(p, n, in.data, number.data, kCount); });
    CHECK_EQUAL(number.get(1)[0], std::accumulate(values.begin(), values.end(), 0));

    with_memory([&](void* p, size_t& n) { return cub::DeviceScan::ExclusiveSum(p, n, in.data, out.data, kCount); });
    std::vector<int> got = out.get(kCount);
    for (int i = 0, sum = 0; i < kCount; sum += values[i++]) CHECK_EQUAL_AT(i, got[i], sum);

    with_memory([&](void* p, size_t& n) { return cub::DeviceRadixSort::SortKeys(p, n, in.data, out.data, kCount); });
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    CHECK(out.get(kCount) == sorted);

    // Pairs in falling order; equal keys keep theirs.
    std::vector<int> places(kCount), order;
    std::iota(places.begin(), places.end(), 0);
    order = places;
    Buffer<int> payload(places), moved(kCount);
    with_memory([&](void* p, size_t& n) {
        return cub::DeviceRadixSort::SortPairsDescending(p, n, in.data, out.data, payload.data, moved.data, kCount);
    });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] > values[b]; });
    CHECK(moved.get(kCount) == order);

    with_memory([&](void* p, size_t& n) {
        return cub::DeviceSelect::If(p, n, in.data, out.data, number.data, kCount, [] __device__(int x) { return x % 3 == 0; });
    });
    std::vector<int> chosen;
    std::copy_if(values.begin(), values.end(), std::back_inserter(chosen), [](int x) { return x % 3 == 0; });
    CHECK_EQUAL(number.get(1)[0], (int)chosen.size());
    CHECK(out.get(chosen.size()) == chosen);

    const int levels = 12;
    Buffer<int> histogram(levels);
    with_memory([&](void* p, size_t& n) {
        return cub::DeviceHistogram::HistogramEven(p, n, in.data, histogram.data, levels, 0, 110, kCount);
    });
    std::vector<int> bins(levels - 1);
    for (int value : values) ++bins[value / 10];
    CHECK(histogram.get(levels - 1) == bins);

    Buffer<int> ordered(sorted);
    with_memory([&](void* p, size_t& n) {
        return cub::DeviceRunLengthEncode::Encode(p, n, ordered.data, out.data, other.data, number.data, kCount);
    });
    CHECK_EQUAL(number.get(1)[0], 101);
    const std::vector<int> lengths = other.get(101);
    for (int i = 0; i < 101; ++i) CHECK_EQUAL_AT(i, lengths[i], (int)std::count(values.begin(), values.end(), i));

    Buffer<int> offsets(std::vector<int>{0, 1000, 1000, kCount}), sums(3);
    with_memory([&](void* p, size_t& n) {
        return cub::DeviceSegmentedReduce::Sum(p, n, in.data, sums.data, 3, offsets.data, offsets.data + 1);
    });
    const std::vector<int> segments = sums.get(3);
    CHECK_EQUAL(segments[0], std::accumulate(values.begin(), values.begin() + 1000, 0));
    CHECK_EQUAL(segments[1], 0);
    CHECK_EQUAL(segments[2], std::accumulate(values.begin() + 1000, values.end(), 0));

    check_block(values);
    puts("ok");
    return 0;
}
