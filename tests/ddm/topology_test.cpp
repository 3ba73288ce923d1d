// Threads near a memory of the machine.
#include "ddm/native/topology.h"

#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace raddle::ddm {
namespace {

TEST(Topology, ReadsWhichCoresAreNearWhichMemory) {
  const std::filesystem::path directory = testing::TempDir() + "ddm_nodes";
  const auto write = [&](const char* node, const char* cores) {
    std::filesystem::create_directories(directory / node);
    std::ofstream(directory / node / "cpulist") << cores << "\n";
  };
  write("node0", "0-1,8-9");
  write("node2", "2-5");
  write("node3", "6,7");
  using Nodes = std::vector<int>;
  EXPECT_EQ(native::memory_nodes_of({0, 1, 2, 6, 9}, directory), (Nodes{0, 0, 1, 2, 0}));
  EXPECT_EQ(native::memory_nodes_of({6, 7}, directory), (Nodes{0, 0}));
  EXPECT_EQ(native::memory_nodes_of({0, 1}, directory / "nothing"), (Nodes{0, 0}));
  std::filesystem::remove_all(directory);
}

TEST(Topology, BindsInstancesToWorkersOfAMemory) {
  Options options;
  options.workers = 2;
  std::atomic<int> ran{0};
  int nodes = 0;
  Program program;
  auto near = program.thread("near", range(64), [&](std::size_t) { ++ran; });
  near.memory_node([&nodes](std::size_t i, int count) {
    nodes = count;
    return static_cast<int>(i) % count;
  });
  near.then(near, offset(1));
  EXPECT_EQ(program.run(options).threads_fired, 64U);
  EXPECT_EQ(ran, 64);
  EXPECT_GE(nodes, 1);
  near.memory_node([](std::size_t, int count) { return count; });
  try {
    program.run(options);
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_EQ(std::string(error.what()),
              "thread 'near'[0] of block 'main': memory_node(…) gives node " +
                  std::to_string(nodes) + ", but workers have " + std::to_string(nodes) +
                  "\nhint: NUMA nodes are numbered from 0");
  }
}

}  // namespace
}  // namespace raddle::ddm
