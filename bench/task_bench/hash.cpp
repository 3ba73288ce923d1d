#include "bench/task_bench/hash.h"

#include <bit>
#include <cstdint>

namespace raddle::bench::task_bench {
namespace {

class SipHash {
 public:
  void add(std::uint64_t word) {
    v3_ ^= word;
    rounds(2);
    v0_ ^= word;
  }
  std::uint64_t finish() {
    v2_ ^= 0xff;
    rounds(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void rounds(int count) {
    for (; count > 0; --count) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32) + v3_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  static constexpr std::uint64_t kKey0 = 0x0807060504030201, kKey1 = 0x000f0e0d0c0b0a09;
  std::uint64_t v0_ = kKey0 ^ 0x736f6d6570736575;
  std::uint64_t v1_ = kKey1 ^ 0x646f72616e646f6d;
  std::uint64_t v2_ = kKey0 ^ 0x6c7967656e657261;
  std::uint64_t v3_ = kKey1 ^ 0x7465646279746573;
};

}  // namespace

double uniform(std::span<const long> what) {
  SipHash hash;
  for (const long word : what) hash.add(static_cast<std::uint64_t>(word));
  hash.add(static_cast<std::uint64_t>(what.size_bytes()) << 56);  // whole words: nothing is left
  return static_cast<double>(hash.finish()) * 0x1p-64;
}

}  // namespace raddle::bench::task_bench
