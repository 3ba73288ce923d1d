// Who wrote, and who touched first, each word of memory: what a thread reads of others is found
// from its loads, without any declaration.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ddm/recorder/address_space.h"
#include "ddm/recording/recording.h"

namespace raddle::ddm {

class DataFlow {
 public:
  // From here on, accesses are those of this thread.
  void begin(std::uint32_t thread);
  // Of bytes within one page.
  void load(std::uint32_t page, std::uint64_t offset, std::uint64_t bytes);
  void store(std::uint32_t page, std::uint64_t offset, std::uint64_t bytes);
  // What the thread has read of others, merged.
  std::vector<recording::Flow>& end();

 private:
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::size_t kWords = kPageBytes / kWordBytes;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  struct Word {
    std::uint32_t writer = kNobody;
    std::uint32_t first = kNobody;     // who touched it first
    std::uint32_t known_to = kNobody;  // who has read or written it last
  };
  using Page = std::array<Word, kWords>;

  Page& page(std::uint32_t number);
  void add(std::uint32_t producer, bool initial, std::uint64_t address);

  std::uint32_t thread_ = 0;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<recording::Flow> flows_;
};

}  // namespace raddle::ddm
