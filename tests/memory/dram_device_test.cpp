// Every timing constraint of a DRAM: probe when a command may come, issue another, probe again. One
// constraint at a time is set, all others are zero, so that a test fails when its constraint is
// lost.
#include "memory/dram_device.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/error.h"

namespace raddle::memory {
namespace {

using enum DramCommand;

// Eight banks in two groups, bursts of one cycle, no constraint at all.
DramTiming free_part() { return {.banks = 8, .bank_groups = 2}; }

std::uint64_t earliest(const DramDevice& device, DramCommand command, std::uint32_t bank = 0) {
  return device.earliest(command, bank).count();
}

TEST(DramDevice, HoldsNothingBackWithoutConstraints) {
  DramDevice device(free_part());
  device.activate(0, 1, Cycle(100));
  EXPECT_EQ(earliest(device, kRead), 100U);
  EXPECT_EQ(earliest(device, kWrite), 100U);
  EXPECT_EQ(earliest(device, kPrecharge), 100U);
  EXPECT_EQ(earliest(device, kActivate, 1), 100U);
  device.precharge(0, Cycle(100));
  EXPECT_EQ(earliest(device, kActivate), 100U);
  EXPECT_EQ(earliest(device, kRefresh), 100U);
}

TEST(DramDevice, ReadsNoSoonerThanRcdAfterTheActivate) {
  DramTiming timing = free_part();
  timing.t_rcd = Cycle(12);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  EXPECT_EQ(earliest(device, kRead), 112U);
  EXPECT_EQ(earliest(device, kWrite), 100U);
  EXPECT_EQ(earliest(device, kRead, 1), 0U);
}

TEST(DramDevice, WritesNoSoonerThanRcdWriteAfterTheActivate) {
  DramTiming timing = free_part();
  timing.t_rcd_write = Cycle(7);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  EXPECT_EQ(earliest(device, kWrite), 107U);
  EXPECT_EQ(earliest(device, kRead), 100U);
}

TEST(DramDevice, PrechargesNoSoonerThanRasAfterTheActivate) {
  DramTiming timing = free_part();
  timing.t_ras = Cycle(28);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  EXPECT_EQ(earliest(device, kPrecharge), 128U);
  EXPECT_EQ(earliest(device, kPrechargeAll), 128U);
}

TEST(DramDevice, ActivatesNoSoonerThanRpAfterThePrecharge) {
  DramTiming timing = free_part();
  timing.t_rp = Cycle(12);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  device.precharge(0, Cycle(150));
  EXPECT_EQ(earliest(device, kActivate), 162U);
  EXPECT_EQ(earliest(device, kRefresh), 162U);
  EXPECT_EQ(earliest(device, kActivate, 1), 100U);
}

TEST(DramDevice, ActivatesABankNoSoonerThanRcAfterItsLastActivate) {
  DramTiming timing = free_part();
  timing.t_rc = Cycle(40);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  device.precharge(0, Cycle(101));
  EXPECT_EQ(earliest(device, kActivate), 140U);
  EXPECT_EQ(earliest(device, kActivate, 1), 100U);
}

TEST(DramDevice, ActivatesAnyBankNoSoonerThanRrdAfterAnother) {
  DramTiming timing = free_part();
  timing.t_rrd = Cycle(6);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(100));
  EXPECT_EQ(earliest(device, kActivate, 5), 106U);
}

TEST(DramDevice, ActivatesAtMostFourBanksInAFawWindow) {
  DramTiming timing = free_part();
  timing.t_faw = Cycle(30);
  DramDevice device(timing);
  for (std::uint32_t bank = 0; bank < 3; ++bank) device.activate(bank, 1, Cycle(bank * 3));
  EXPECT_EQ(earliest(device, kActivate, 3), 6U);
  device.activate(3, 1, Cycle(9));
  EXPECT_EQ(earliest(device, kActivate, 4), 30U);  // the first was at 0
  device.activate(4, 1, Cycle(30));
  EXPECT_EQ(earliest(device, kActivate, 5), 33U);  // the second was at 3
}

TEST(DramDevice, KeepsColumnCommandsCcdApart) {
  DramTiming timing = free_part();
  timing.t_ccd = Cycle(4);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.activate(1, 1, Cycle(0));
  device.read(0, Cycle(100));
  EXPECT_EQ(earliest(device, kRead, 1), 104U);
  EXPECT_EQ(earliest(device, kWrite, 1), 104U);
  device.write(0, Cycle(200));
  EXPECT_EQ(earliest(device, kWrite, 1), 204U);
  EXPECT_EQ(earliest(device, kRead, 1), 204U);
}

TEST(DramDevice, KeepsColumnCommandsOfABankGroupCcdlApart) {
  DramTiming timing = free_part();
  timing.t_ccdl = Cycle(5);
  DramDevice device(timing);
  for (const std::uint32_t bank : {0, 1, 2}) device.activate(bank, 1, Cycle(0));
  device.read(0, Cycle(100));
  EXPECT_EQ(earliest(device, kRead, 2), 105U);   // group 0
  EXPECT_EQ(earliest(device, kWrite, 2), 105U);  // group 0
  EXPECT_EQ(earliest(device, kRead, 1), 101U);   // group 1: the bus alone
  device.write(2, Cycle(200));
  EXPECT_EQ(earliest(device, kWrite, 0), 205U);
  EXPECT_EQ(earliest(device, kRead, 0), 205U);
}

TEST(DramDevice, MovesOneBurstAtATimeOverTheDataBus) {
  DramTiming timing = free_part();
  timing.burst_length = 8;
  timing.beats_per_cycle = 2;
  timing.t_cl = Cycle(9);
  timing.t_wl = Cycle(6);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  EXPECT_EQ(device.read(0, Cycle(100)), Cycle(113));  // data in 109 … 112
  EXPECT_EQ(earliest(device, kRead), 104U);
  EXPECT_EQ(earliest(device, kWrite), 107U);           // its data would come at 113
  EXPECT_EQ(device.write(0, Cycle(200)), Cycle(210));  // data in 206 … 209
  EXPECT_EQ(earliest(device, kWrite), 204U);
  EXPECT_EQ(earliest(device, kRead), 210U);
}

TEST(DramDevice, ReadsNoSoonerThanWtrAfterTheEndOfWriteData) {
  DramTiming timing = free_part();
  timing.t_wtr = Cycle(5);
  timing.t_wl = Cycle(4);
  timing.burst_length = 2;
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.activate(1, 1, Cycle(0));
  device.write(0, Cycle(100));
  EXPECT_EQ(earliest(device, kRead, 1), 100U + 4 + 2 + 5);
  EXPECT_EQ(earliest(device, kWrite, 1), 102U);
}

TEST(DramDevice, WritesNoSoonerThanRtwAfterARead) {
  DramTiming timing = free_part();
  timing.t_rtw = Cycle(12);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.activate(1, 1, Cycle(0));
  device.read(0, Cycle(100));
  EXPECT_EQ(earliest(device, kWrite, 1), 112U);
  EXPECT_EQ(earliest(device, kRead, 1), 101U);
}

TEST(DramDevice, PrechargesNoSoonerThanRtpAfterARead) {
  DramTiming timing = free_part();
  timing.t_rtp = Cycle(8);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.activate(1, 1, Cycle(0));
  device.read(0, Cycle(100));
  EXPECT_EQ(earliest(device, kPrecharge), 108U);
  EXPECT_EQ(earliest(device, kPrecharge, 1), 0U);
}

TEST(DramDevice, PrechargesNoSoonerThanWrAfterTheEndOfWriteData) {
  DramTiming timing = free_part();
  timing.t_wr = Cycle(12);
  timing.t_wl = Cycle(4);
  timing.burst_length = 2;
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.activate(1, 1, Cycle(0));
  device.write(0, Cycle(100));
  EXPECT_EQ(earliest(device, kPrecharge), 100U + 4 + 2 + 12);
  EXPECT_EQ(earliest(device, kPrecharge, 1), 0U);
}

TEST(DramDevice, ActivatesNoBankSoonerThanRfcAfterARefresh) {
  DramTiming timing = free_part();
  timing.t_rfc = Cycle(66);
  DramDevice device(timing);
  device.refresh(Cycle(100));
  for (std::uint32_t bank = 0; bank < 8; ++bank) EXPECT_EQ(earliest(device, kActivate, bank), 166U);
}

TEST(DramDevice, ClosesAllBanksWithOneCommand) {
  DramTiming timing = free_part();
  timing.t_ras = Cycle(10);
  timing.t_rp = Cycle(3);
  DramDevice device(timing);
  device.activate(2, 1, Cycle(0));
  device.activate(5, 1, Cycle(4));
  EXPECT_EQ(device.open_banks(), 2U);
  EXPECT_EQ(earliest(device, kPrechargeAll), 14U);
  device.precharge_all(Cycle(14));
  EXPECT_EQ(device.open_banks(), 0U);
  EXPECT_EQ(earliest(device, kRefresh), 17U);
}

TEST(DramDevice, PrechargesByItselfAtTheEarliestTime) {
  DramTiming timing = free_part();
  timing.t_ras = Cycle(28);
  timing.t_rtp = Cycle(9);
  timing.t_rp = Cycle(12);
  DramDevice device(timing);
  device.activate(0, 1, Cycle(0));
  device.read(0, Cycle(12));
  device.precharge_when_possible(0);
  EXPECT_FALSE(device.is_open(0));
  EXPECT_EQ(earliest(device, kActivate), 28U + 12);
}

TEST(DramDevice, RefusesACommandBeforeItsTime) {
  DramDevice device(gddr5_gtx480());
  device.activate(0, 7, Cycle(0));
  EXPECT_THROW(device.read(0, Cycle(11)), InternalError);
  EXPECT_THROW(device.write(0, Cycle(6)), InternalError);
  EXPECT_THROW(device.precharge(0, Cycle(27)), InternalError);
  EXPECT_THROW(device.precharge_all(Cycle(27)), InternalError);
  EXPECT_THROW(device.activate(1, 7, Cycle(5)), InternalError);
  EXPECT_THROW(device.activate(0, 8, Cycle(500)), InternalError);
  EXPECT_THROW(device.refresh(Cycle(500)), InternalError);
  EXPECT_THROW(device.read(1, Cycle(500)), InternalError);
}

TEST(DramTiming, PresetsMoveWhatTheirPartsMove) {
  constexpr DramTiming kGddr5 = gddr5_gtx480();
  EXPECT_EQ(kGddr5.burst_bytes(), Bytes(64));
  EXPECT_EQ(kGddr5.burst_cycles(), Cycle(2));
  // 924 MHz × 32 B × 6 channels = 177.4 GB/s
  EXPECT_EQ(kGddr5.peak_bytes_per_cycle().count() * 924 * 6, 177'408U);
  constexpr DramTiming kSdr = sdr_sdram_100mhz();
  EXPECT_EQ(kSdr.burst_bytes(), Bytes(16));
  EXPECT_EQ(kSdr.burst_cycles(), Cycle(2));
  EXPECT_NO_THROW(check(kGddr5));
  EXPECT_NO_THROW(check(kSdr));
}

std::string fault(DramTiming timing) {
  try {
    check(timing);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(DramTiming, SaysWhatNoDramCanHave) {
  DramTiming timing = gddr5_gtx480();
  timing.banks = 12;
  EXPECT_EQ(fault(timing),
            "a DRAM channel cannot have 12 banks\nhint: give it a power of two up to 64");
  timing = gddr5_gtx480();
  timing.bank_groups = 3;
  EXPECT_EQ(
      fault(timing),
      "16 banks cannot form 3 groups\nhint: the number of groups divides the number of banks");
  timing = gddr5_gtx480();
  timing.burst_length = 3;
  EXPECT_EQ(
      fault(timing),
      "a DRAM burst cannot move 3 beats of 8 bytes, 4 a cycle\nhint: their product is a power "
      "of two, and at least one beat passes in a cycle");
  timing = sdr_sdram_100mhz();
  timing.t_refi = Cycle(15);
  EXPECT_EQ(fault(timing),
            "a DRAM refresh every 15 cycles leaves no time for anything else\nhint: tREFI is more "
            "than 18 cycles here, or 0 for none");
}

// --- The same constraints once more, written as rules between pairs of commands ------------------

struct Issued {
  DramCommand command;
  std::uint32_t bank;
  std::uint64_t at;
};

class PairRules {
 public:
  explicit PairRules(const DramTiming& timing) : timing_(timing) {}
  void note(DramCommand command, std::uint32_t bank, std::uint64_t at) {
    log_.push_back({command, bank, at});
  }
  std::uint64_t earliest(DramCommand command, std::uint32_t bank) const {
    std::uint64_t time = 0;
    for (const Issued& before : log_) {
      const std::uint64_t apart = distance(before, command, bank);
      if (apart > 0) time = std::max(time, before.at + apart);
    }
    if (command == kActivate) time = std::max(time, after_four_activates());
    return time;
  }

 private:
  // How far after `before` the command must stay; 0 if they do not touch each other.
  std::uint64_t distance(const Issued& before, DramCommand command, std::uint32_t bank) const {
    const bool same_bank = before.bank == bank;
    const bool same_group = before.bank % timing_.bank_groups == bank % timing_.bank_groups;
    const auto of = [](Cycle cycles) { return cycles.count(); };
    const std::uint64_t burst = of(timing_.burst_cycles());
    const std::uint64_t write_end = of(timing_.t_wl) + burst;
    const std::uint64_t column = std::max(of(timing_.t_ccd), same_group ? of(timing_.t_ccdl) : 0);
    switch (before.command) {
      case kActivate:
        if (command == kActivate)
          return same_bank ? std::max(of(timing_.t_rc), of(timing_.t_rrd)) : of(timing_.t_rrd);
        if (!same_bank) return 0;
        if (command == kRead) return of(timing_.t_rcd);
        if (command == kWrite) return of(timing_.t_rcd_write);
        return of(timing_.t_ras);
      case kRead:
        if (command == kRead) return std::max(column, burst);
        if (command == kWrite)
          return std::max({column, of(timing_.t_rtw), of(timing_.t_cl) + burst - of(timing_.t_wl)});
        return command == kPrecharge && same_bank ? of(timing_.t_rtp) : 0;
      case kWrite:
        if (command == kWrite) return std::max(column, burst);
        if (command == kRead) return std::max(column, write_end + of(timing_.t_wtr));
        return command == kPrecharge && same_bank ? write_end + of(timing_.t_wr) : 0;
      default: return command == kActivate && same_bank ? of(timing_.t_rp) : 0;
    }
  }
  std::uint64_t after_four_activates() const {
    std::vector<std::uint64_t> times;
    for (const Issued& before : log_)
      if (before.command == kActivate) times.push_back(before.at);
    return times.size() < 4 ? 0 : times[times.size() - 4] + timing_.t_faw.count();
  }

  DramTiming timing_;
  std::vector<Issued> log_;
};

TEST(DramDevice, AgreesWithRulesBetweenPairsOfCommandsOnRandomSequences) {
  DramTiming timing = gddr5_gtx480();
  timing.t_faw = Cycle(31);
  timing.t_rtp = Cycle(21);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    DramDevice device(timing);
    PairRules rules(timing);
    std::uint64_t now = 0;
    for (int step = 0; step < 150; ++step) {
      const std::uint32_t bank = random() % timing.banks;
      DramCommand command = kActivate;
      if (device.is_open(bank)) {
        constexpr std::array kOfOpenBank = {kRead, kRead, kWrite, kWrite, kPrecharge};
        command = kOfOpenBank[random() % kOfOpenBank.size()];
      }
      const std::uint64_t expected = rules.earliest(command, bank);
      ASSERT_EQ(earliest(device, command, bank), expected)
          << "round " << round << " step " << step << " command " << static_cast<int>(command);
      now = std::max(now + 1, expected) + random() % 3;
      if (command == kActivate) device.activate(bank, 0, Cycle(now));
      if (command == kRead) device.read(bank, Cycle(now));
      if (command == kWrite) device.write(bank, Cycle(now));
      if (command == kPrecharge) device.precharge(bank, Cycle(now));
      rules.note(command, bank, now);
    }
  }
}

}  // namespace
}  // namespace raddle::memory
