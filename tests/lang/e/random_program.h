// Random e programs, the same for the same seed: thick regions of all sizes, fibers that decide
// apart, loops, functions, flows, splits, multioperations and multiprefixes with every technique
// that gives a determined result. Indices stay inside of arrays and flows do not race, so that
// every program has one meaning.
#pragma once

#include <cstdint>
#include <string>

namespace raddle::e::test {

std::string random_program(std::uint64_t seed);

}  // namespace raddle::e::test
