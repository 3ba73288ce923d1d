// What shared memory holds before a program starts: the values of its declarations, with files read
// and formulas computed. Files hold integers as text (blanks, commas and line ends between them)
// or, where the name ends in .bin, 64-bit little-endian words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/diagnostics.h"

namespace raddle::e {

// One array of words for each of program.shared, in that order.
using SharedData = std::vector<std::vector<std::int64_t>>;

// Contents given on the command line instead of those in the source.
struct GivenInputs {
  std::map<std::string, std::string> sources;  // by name of the variable
  // What a source means for an array of so many words; throws Error. Without it, it is a file.
  std::function<std::vector<std::int64_t>(const std::string& source, std::size_t words)> read;
};

// Files named in the source are looked up in `folder`. Errors go to `diagnostics`.
SharedData initial_data(const Program& program, const std::filesystem::path& folder,
                        const GivenInputs& inputs, Diagnostics& diagnostics);

// The words of a file; throws Error where it cannot be read or holds something else.
std::vector<std::int64_t> read_words(const std::filesystem::path& file);
// Written whole or not at all, in the form that the name's ending says.
void write_words(const std::filesystem::path& file, const std::vector<std::int64_t>& words);

// The number that random(seed, least, greatest) gives at an index; the same on every machine.
std::int64_t random_value(std::int64_t seed, std::int64_t index, std::int64_t least,
                          std::int64_t greatest);

}  // namespace raddle::e
