// Random numbers that depend on what they are for, as Task Bench draws them: SipHash-2-4 (Aumasson
// and Bernstein, 2012) of the words, with the key 1, 2, … 15, 0.
#pragma once

#include <span>

namespace raddle::bench::task_bench {

// From 0 to 1.
double uniform(std::span<const long> what);

}  // namespace raddle::bench::task_bench
