// Kernels as PTX text on gtx580, whose multiprocessors share as the settings say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {

class Gtx580 : public ref::Launcher {
 public:
  Gtx580(std::string_view ptx, const std::string& mode, std::vector<std::string> settings = {})
      : Launcher(ptx, with(std::move(settings), "sharing=" + mode), "gtx580") {}

  // The kernel k with a buffer of so many zero words.
  LaunchResult run_k(std::uint32_t blocks, std::uint32_t threads, std::uint32_t n = 0,
                     std::size_t words = 1024) {
    buffer_ = buffer(std::vector<std::uint32_t>(words, 0));
    return run("k", {blocks, 1, 1}, {threads, 1, 1}, {buffer_, n});
  }
  std::vector<std::uint32_t> words(std::size_t count) const {
    return read<std::uint32_t>(buffer_, count);
  }

 private:
  static std::vector<std::string> with(std::vector<std::string> settings, std::string last) {
    settings.push_back(std::move(last));
    return settings;
  }
  std::uint64_t buffer_ = 0;
};

inline double energy_of(const LaunchResult& result, std::string_view part) {
  for (const Share& share : result.energy) {
    if (share.name == part) return share.value;
  }
  return 0;
}

}  // namespace raddle::machine::simt
