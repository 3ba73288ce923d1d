// The kernels of Task Bench, by what limits them: arithmetic, memory, or nothing. They do as many
// operations per iteration as the original's, which counts 2·64 flops for compute_bound and 2·32
// for compute_bound2.
#pragma once

#include <cstddef>

#include "bench/task_bench/task_graph.h"

namespace raddle::bench::task_bench {

void run_kernel(const TaskGraph& graph, long step, long point, std::byte* scratch);

}  // namespace raddle::bench::task_bench
