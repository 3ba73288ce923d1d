// What a program's arrays must hold at its end, computed by the host from what they held at its
// start: the other side of a program's `.expect` lines.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

// The words of a symbol; null if there is none of that name.
using WordsOf = std::function<const std::vector<Word>*(std::string_view)>;

// "sort(_A_)", "sums(_A_, 16)". Throws Error for a call that is none of the known ones.
std::vector<Word> expected_words(std::string_view call, const WordsOf& words);

// Throws Error for what expected_words could not call, whatever the arrays hold.
void check_call(std::string_view call, const std::function<bool(std::string_view)>& is_array);

struct HostFunction {
  std::string_view name;
  std::string_view arguments;
  std::string_view sentence;
};
std::span<const HostFunction> host_functions();

// "element 3 of _A_ is 4, expected 5 by sort(_A_) (12 of 128 differ)", or an empty text.
std::string difference(std::string_view symbol, std::string_view call, std::span<const Word> found,
                       std::span<const Word> expected);

}  // namespace raddle::machine::tpa
