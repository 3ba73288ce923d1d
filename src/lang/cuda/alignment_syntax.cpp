#include "lang/cuda/alignment_syntax.h"

#include "lang/cuda/source_scanner.h"

namespace raddle::cuda {

namespace {

constexpr std::string_view kWord = "alignas";

bool says_where(std::string_view token) {
  return token == "__shared__" || token == "__constant__" || token == "__device__" ||
         token == "__managed__";
}

}  // namespace

std::optional<std::string> exchange_alignments(std::string_view source) {
  if (source.find(kWord) == std::string_view::npos) return std::nullopt;
  std::string text;
  std::size_t taken = 0;
  SourceScanner scanner(source);
  while (scanner.find_code()) {
    const bool after_where = says_where(scanner.last_token());
    const std::size_t place = scanner.place();
    scanner.step();
    if (!after_where || scanner.last_token() != kWord) continue;
    text += source.substr(taken, place - taken);
    text += "_Alignas";
    taken = place + kWord.size();
  }
  if (taken == 0) return std::nullopt;
  text += source.substr(taken);
  return text;
}

}  // namespace raddle::cuda
