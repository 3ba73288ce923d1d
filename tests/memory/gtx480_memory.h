// What comes after the SMs of a GTX 480, for tests and benchmarks of parts that need the whole of
// it: machines/fermi.toml in short.
#pragma once

#include "memory/memory_system.h"

namespace raddle::memory {

inline MemorySystemSpec gtx480_memory(std::uint32_t cores, Hertz network = Hertz(700e6)) {
  MemorySystemSpec spec;
  spec.network_clock = network;
  spec.l2_clock = Hertz(700e6);
  spec.dram_clock = Hertz(924e6);
  spec.request_network.inputs = spec.reply_network.outputs = cores;
  spec.request_network.outputs = spec.reply_network.inputs = spec.slices();
  spec.request_network.flit_bytes = spec.reply_network.flit_bytes = ShortBytes(40);
  CacheParameters& slice = spec.partition.slice;
  slice.bytes = Bytes(65536);
  slice.ways = 8;
  slice.mshrs = 256;
  slice.accesses_per_mshr = 4;
  slice.write = {WriteHit::kWriteBack, WriteMiss::kValidateOnWrite};
  slice.slices = spec.slices();
  slice.slice_bytes = spec.chunk_bytes;
  return spec;
}

}  // namespace raddle::memory
