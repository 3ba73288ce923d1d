// Thrust out of Debian: vectors, sorts, scans, reductions, iterators that compute, and execution policies.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "../check.h"

struct Square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

struct IsOdd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

std::vector<int> numbers(int n, unsigned seed, int range)
{
    std::vector<int> values(n);
    for (int& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = (int)(seed >> 8) % range - range / 2;
    }
    return values;
}

template <typename T>
void check_equal(const thrust::device_vector<T>& device, const std::vector<T>& expected)
{
    thrust::host_vector<T> got = device;
    CHECK_EQUAL(got.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) CHECK_EQUAL_AT((int)i, got[i], expected[i]);
}

void check_sorts(const std::vector<int>& values)
{
    thrust::device_vector<int> keys(values.begin(), values.end());
    std::vector<int> sorted = values;
    thrust::sort(keys.begin(), keys.end());
    std::sort(sorted.begin(), sorted.end());
    check_equal(keys, sorted);
    thrust::sort(thrust::device, keys.begin(), keys.end(), thrust::greater<int>());
    std::reverse(sorted.begin(), sorted.end());
    check_equal(keys, sorted);

    // A comparison of its own is a merge sort.
    std::vector<int> by_last_digit = values;
    const auto less = [] __host__ __device__(int a, int b) { return (a & 7) < (b & 7); };
    keys.assign(values.begin(), values.end());
    thrust::stable_sort(keys.begin(), keys.end(), less);
    std::stable_sort(by_last_digit.begin(), by_last_digit.end(), less);
    check_equal(keys, by_last_digit);

    thrust::device_vector<int> places(values.size());
    thrust::sequence(places.begin(), places.end());
    keys.assign(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin());
    std::vector<int> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
    check_equal(places, order);
}

void check_reductions_and_scans(const std::vector<int>& values)
{
    const thrust::device_vector<int> device(values.begin(), values.end());
    CHECK_EQUAL(thrust::reduce(device.begin(), device.end()), std::accumulate(values.begin(), values.end(), 0));
    long long squares = 0;
    for (int value : values) squares += (long long)value * value;
    const auto begin = thrust::make_transform_iterator(device.begin(), Square());
    CHECK_EQUAL(thrust::reduce(begin, begin + device.size(), 0ll), squares);
    CHECK_EQUAL(thrust::inner_product(device.begin(), device.end(), device.begin(), 0ll), squares);
    CHECK_EQUAL(*thrust::max_element(device.begin(), device.end()), *std::max_element(values.begin(), values.end()));
    CHECK_EQUAL((int)thrust::count_if(device.begin(), device.end(), IsOdd()),
                (int)std::count_if(values.begin(), values.end(), IsOdd()));
    CHECK_EQUAL(thrust::reduce(thrust::counting_iterator<int>(1), thrust::counting_iterator<int>(101)), 5050);
    CHECK_EQUAL(thrust::reduce(thrust::host, values.begin(), values.end()), std::accumulate(values.begin(), values.end(), 0));

    thrust::device_vector<int> sums(values.size());
    std::vector<int> expected(values.size());
    thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
    std::partial_sum(values.begin(), values.end(), expected.begin());
    check_equal(sums, expected);
    thrust::exclusive_scan(device.begin(), device.end(), sums.begin(), 7);
    int sum = 7;
    for (size_t i = 0; i < values.size(); ++i) {
        expected[i] = sum;
        sum += values[i];
    }
    check_equal(sums, expected);
}

void check_keys_and_selection(const std::vector<int>& values)
{
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const thrust::device_vector<int> device(sorted.begin(), sorted.end());
    thrust::device_vector<int> keys(values.size()), counts(values.size());
    const auto ends = thrust::reduce_by_key(device.begin(), device.end(), thrust::constant_iterator<int>(1), keys.begin(),
                                            counts.begin());
    keys.resize(ends.first - keys.begin());
    counts.resize(ends.second - counts.begin());
    std::map<int, int> histogram;
    for (int value : values) ++histogram[value];
    std::vector<int> expected_keys, expected_counts;
    for (const auto& [key, count] : histogram) {
        expected_keys.push_back(key);
        expected_counts.push_back(count);
    }
    check_equal(keys, expected_keys);
    check_equal(counts, expected_counts);

    thrust::device_vector<int> distinct = device;
    distinct.erase(thrust::unique(distinct.begin(), distinct.end()), distinct.end());
    check_equal(distinct, expected_keys);

    thrust::device_vector<int> odd(values.size()), even = device;
    odd.resize(thrust::copy_if(device.begin(), device.end(), odd.begin(), IsOdd()) - odd.begin());
    even.erase(thrust::remove_if(even.begin(), even.end(), IsOdd()), even.end());
    std::vector<int> expected_odd, expected_even;
    for (int value : sorted) (value % 2 != 0 ? expected_odd : expected_even).push_back(value);
    check_equal(odd, expected_odd);
    check_equal(even, expected_even);

    thrust::device_vector<int> places(5), wanted(5);
    thrust::sequence(wanted.begin(), wanted.end(), -20, 10);
    thrust::lower_bound(device.begin(), device.end(), wanted.begin(), wanted.end(), places.begin());
    for (int i = 0; i < 5; ++i)
        CHECK_EQUAL_AT(i, (int)places[i], (int)(std::lower_bound(sorted.begin(), sorted.end(), -20 + 10 * i) - sorted.begin()));

    // Two sequences as one of pairs.
    thrust::device_vector<int> products(sorted.size());
    const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(device.begin(), thrust::counting_iterator<int>(0)));
    thrust::transform(pairs, pairs + device.size(), products.begin(),
                      [] __device__(const thrust::tuple<int, int>& pair) { return thrust::get<0>(pair) * thrust::get<1>(pair); });
    for (size_t i = 0; i < sorted.size(); ++i) sorted[i] *= (int)i;
    check_equal(products, sorted);
}

int main()
{
    for (int n : {1, 100, 5000}) {
        check_sorts(numbers(n, 17, 1000));
        check_reductions_and_scans(numbers(n, 23, 100));
        check_keys_and_selection(numbers(n, 29, 60));
    }
    // Floating-point keys, in a stream.
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    std::vector<float> floats(3000);
    for (size_t i = 0; i < floats.size(); ++i) floats[i] = (float)((i * 7919) % 3001) - 1500.5f;
    thrust::device_vector<float> device(floats.begin(), floats.end());
    thrust::sort(thrust::cuda::par.on(stream), device.begin(), device.end());
    std::sort(floats.begin(), floats.end());
    check_equal(device, floats);
    CUDA_CHECK(cudaStreamDestroy(stream));
    puts("ok");
    return 0;
}
