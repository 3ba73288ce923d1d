// What shared memory holds before a program starts: the values of its declarations, with files read
// and formulas computed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lang/e/ast.h"
#include "lang/e/diagnostics.h"
#include "machine/tpa/data_source.h"

namespace raddle::e {

// One array of words for each of program.shared, in that order: its first words, the rest are 0.
using SharedData = std::vector<std::vector<std::int64_t>>;

// Contents given on the command line instead of those in the source, by name of the variable; the
// forms that they take are those of machine/tpa/data_source.h.
using GivenInputs = std::map<std::string, std::string>;

// Files named in the source are looked up in `folder`. Errors go to `diagnostics`.
SharedData initial_data(const Program& program, const std::filesystem::path& folder,
                        const GivenInputs& inputs, Diagnostics& diagnostics);

// How texts give the words of this type.
machine::tpa::WordForm form_of(Type type);

// The number that random(seed, least, greatest) gives at an index; the same on every machine.
std::int64_t random_value(std::int64_t seed, std::int64_t index, std::int64_t least,
                          std::int64_t greatest);

}  // namespace raddle::e
