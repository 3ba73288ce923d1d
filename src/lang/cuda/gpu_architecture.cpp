#include "lang/cuda/gpu_architecture.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace raddle::cuda {

namespace {

constexpr std::array<int, 15> kKnown = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89};
constexpr int kNewest = 90;

}  // namespace

std::optional<int> architecture_number(std::string_view name) {
  if (name == "native" || name == "all" || name == "all-major") return kDefaultArchitecture;
  const std::size_t underscore = name.find('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = name.substr(0, underscore);
  if (prefix != "sm" && prefix != "compute" && prefix != "lto") return std::nullopt;
  const std::string_view digits = name.substr(underscore + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  if (error != std::errc() || number < 10 || !(rest.empty() || rest == "a" || rest == "f"))
    return std::nullopt;
  return number;
}

int supported_architecture(int wanted) {
  if (wanted >= kNewest) return kNewest;
  const auto above = std::upper_bound(kKnown.begin(), kKnown.end(), wanted);
  return above == kKnown.begin() ? kKnown.front() : *(above - 1);
}

int preferred_architecture(const std::vector<int>& wanted) {
  int best = 0;
  for (const int number : wanted) {
    const bool runs = number <= kDefaultArchitecture;
    const bool best_runs = best != 0 && best <= kDefaultArchitecture;
    const bool better =
        runs ? (!best_runs || number > best) : (best == 0 || (!best_runs && number < best));
    if (better) best = number;
  }
  return best == 0 ? kDefaultArchitecture : best;
}

std::string ptx_feature(int architecture) { return architecture >= 89 ? "ptx78" : "ptx75"; }

}  // namespace raddle::cuda
