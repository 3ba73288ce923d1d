// Parameters that make no GPU are refused: what, and a hint.
#include "machine/simt/gpu_parameters.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "machine/simt/fermi.h"

namespace raddle::machine::simt {
namespace {

// The words of the refusal, without the file; empty: it was taken.
std::string refusal(const std::vector<std::string>& settings) {
  try {
    fermi(settings);
  } catch (const Error& error) {
    return std::string(error.what()) + "\nhint: " + error.hint();
  }
  return {};
}

std::string range(const char* key, const char* value, const char* least, const char* most,
                  const char* unit) {
  return std::string("parameter '") + key + "' is " + value + ", but must be from " + least +
         " to " + most + "\nhint: its unit: " + unit +
         "; `raddle machines show fermi` prints all parameters";
}

TEST(GpuParameters, OfFermiAreTaken) { EXPECT_EQ(refusal({}), ""); }

TEST(GpuParameters, RefuseAGpuWithoutPartsOfIt) {
  EXPECT_EQ(refusal({"device.cores=0"}), range("device.cores", "0", "1", "1024", "SMs"));
  EXPECT_EQ(refusal({"core.warps=0"}), range("core.warps", "0", "1", "64", "warps"));
  EXPECT_EQ(refusal({"core.threads=31"}), range("core.threads", "31", "32", "65536", "threads"));
  EXPECT_EQ(refusal({"core.blocks=0"}), range("core.blocks", "0", "1", "65536", "blocks"));
  EXPECT_EQ(refusal({"core.schedulers=0"}), range("core.schedulers", "0", "1", "8", "schedulers"));
  EXPECT_EQ(refusal({"units.sp=0"}), range("units.sp", "0", "1", "16", "units"));
  EXPECT_EQ(refusal({"dram.channels=0"}), range("dram.channels", "0", "1", "64", "channels"));
}

TEST(GpuParameters, RefuseTimingOfNoCycles) {
  for (const char* key : {"t_rcd", "t_ras", "t_rp", "t_rc", "t_rrd", "t_ccd", "t_cl", "t_wl"}) {
    const std::string path = std::string("dram.") + key;
    EXPECT_EQ(refusal({path + "=0"}), range(path.c_str(), "0", "1", "900", "cycles"));
  }
  EXPECT_EQ(refusal({"latency.integer_add=0"}),
            range("latency.integer_add", "0", "1", "900", "cycles"));
  EXPECT_EQ(refusal({"interval.special=901"}),
            range("interval.special", "901", "1", "900", "cycles"));
  EXPECT_EQ(refusal({"dram.t_faw=0"}), "") << "there are chips without it";
}

TEST(GpuParameters, RefuseACacheThatIsNoWholeNumberOfSets) {
  EXPECT_EQ(refusal({"l1.bytes=16000"}),
            "[l1]: a cache of 16000 bytes is not a whole number of sets\n"
            "hint: 4 lines of 128 bytes make sets of 512 bytes");
}

TEST(GpuParameters, RefuseAnL2ThatCannotBeDividedAmongItsSlices) {
  EXPECT_EQ(refusal({"l2.bytes=786433"}),
            "l2.bytes = 786433 cannot be divided among 12 slices\n"
            "hint: make it a multiple of 12288");
}

TEST(GpuParameters, RefuseSizesThatAreNoPowersOfTwo) {
  EXPECT_EQ(refusal({"l1.line_bytes=96"}),
            "l1.line_bytes = 96 is not a power of two\nhint: the nearest are 64 and 128");
  EXPECT_EQ(refusal({"dram.banks=12"}),
            "dram.banks = 12 is not a power of two\nhint: the nearest are 8 and 16");
  EXPECT_EQ(refusal({"operands.banks=10"}),
            "operands.banks = 10 is not a power of two\nhint: the nearest are 8 and 16");
}

TEST(GpuParameters, RefuseClocksThatLieFarApart) {
  EXPECT_EQ(
      refusal({"clock.core_hz=1e11", "clock.network_hz=1e6"}),
      "clock frequencies range from 1.00 MHz to 100 GHz\n"
      "hint: the fastest of clock.core_hz, network_hz, l2_hz and dram_hz may be 100 times the "
      "slowest");
  EXPECT_EQ(refusal({"clock.core_hz=900e6", "clock.dram_hz=9e6", "clock.l2_hz=900e6",
                     "clock.network_hz=900e6"}),
            "");
  EXPECT_EQ(
      refusal({"clock.dram_hz=6e6"}),
      "clock frequencies range from 6.00 MHz to 700 MHz\n"
      "hint: the fastest of clock.core_hz, network_hz, l2_hz and dram_hz may be 100 times the "
      "slowest");
}

TEST(GpuParameters, RefuseWhatWouldBeBookedTooFarAhead) {
  EXPECT_EQ(refusal({"operands.sfu_collectors=500", "interval.double_divide=900"}),
            "results are due up to 458511 cycles ahead, which exceeds the limit of 65536\n"
            "hint: too many instructions can queue for a slow unit: reduce [latency], [interval] "
            "or the collectors of [operands]");
  EXPECT_EQ(refusal({"units.load_store_interval=900"}).substr(0, 46),
            "results are due up to 461139 cycles ahead, whi");
}

TEST(GpuParameters, RefuseNamesThatAreNotKnown) {
  EXPECT_EQ(refusal({"core.policy=lifo"}),
            "core.policy = \"lifo\" is not a known value\n"
            "hint: known: greedy-then-oldest, loose-round-robin, test-oldest-first, "
            "test-one-at-a-time, two-level");
  EXPECT_EQ(refusal({"core.policy=two-lvel"}),
            "core.policy = \"two-lvel\" is not a known value\n"
            "hint: did you mean 'two-level'? known: greedy-then-oldest, loose-round-robin, "
            "test-oldest-first, test-one-at-a-time, two-level");
  EXPECT_EQ(refusal({"l1.set_index=prime"}),
            "l1.set_index = \"prime\" is not a known value\nhint: known: modulo, hash, fermi");
  EXPECT_EQ(refusal({"dram.scheduling=random"}),
            "dram.scheduling = \"random\" is not a known value\nhint: known: fr-fcfs, in-order");
}

TEST(GpuParameters, RefuseLinesOfDifferentSizes) {
  EXPECT_EQ(refusal({"l1.line_bytes=64", "l1.set_index=modulo"}),
            "l1.line_bytes = 64 differs from l2.line_bytes = 128\n"
            "hint: lines of both levels have the same size");
  EXPECT_EQ(refusal({"l1.line_bytes=64", "l2.line_bytes=64", "l1.set_index=modulo"}),
            "texture_cache.line_bytes = 128 is more than l2.line_bytes = 64\n"
            "hint: a line comes from one line of the L2");
  EXPECT_EQ(refusal({"l1.line_bytes=64", "l2.line_bytes=64", "l1.set_index=modulo",
                     "texture_cache.line_bytes=64", "instruction_cache.line_bytes=64"}),
            "");
}

TEST(GpuParameters, RefuseToEvictWhatWasFetchedForAStore) {
  EXPECT_EQ(refusal({"l1.global_write_miss=fetch"}),
            "[l1]: a cache cannot evict on a write hit and allocate on a write miss\nhint: "
            "write-evict goes with no-allocate");
  EXPECT_EQ(refusal({"l1.global_write_miss=fetch", "l1.global_write_hit=back"}), "");
}

TEST(GpuParameters, RefuseARowThatHoldsNoBurst) {
  EXPECT_EQ(refusal({"dram.bus_bytes=256", "dram.burst_length=64", "dram.chunk_bytes=65536"}),
            "dram.row_bytes = 4096 is less than a burst of 16384 bytes\n"
            "hint: a burst is dram.bus_bytes · dram.burst_length; a row holds whole ones");
}

TEST(GpuParameters, RefuseANetworkWithTooLittleRoomForAPacket) {
  EXPECT_EQ(refusal({"network.input_flits=1"}),
            "a buffer of 1 flits is too small for packets of up to 4\nhint: give it at least 4");
  EXPECT_EQ(refusal({"network.switch=crosspoint-queued", "network.buffer_flits=1"}),
            "a buffer of 1 flits is too small for packets of up to 4\nhint: give it at least 4");
}

}  // namespace
}  // namespace raddle::machine::simt
