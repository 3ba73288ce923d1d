// When a DRAM may be given which command: the timing parameters of JEDEC data sheets, counted in
// cycles of the command clock, and what one burst moves. A parameter that a part does not have is
// zero. Two parts that Raddle's machines use are given with their sources.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace raddle::memory {

struct DramTiming {
  // Within a bank.
  Cycle t_rcd{};        // activate to read
  Cycle t_rcd_write{};  // activate to write
  Cycle t_ras{};        // activate to precharge
  Cycle t_rp{};         // precharge to activate or refresh
  Cycle t_rc{};         // activate to activate
  Cycle t_rtp{};        // read to precharge
  Cycle t_wr{};         // end of write data to precharge

  // Between banks.
  Cycle t_rrd{};   // activate to activate
  Cycle t_faw{};   // window that holds at most four activates
  Cycle t_ccd{};   // column command to column command
  Cycle t_ccdl{};  // the same within a bank group
  Cycle t_wtr{};   // end of write data to read
  Cycle t_rtw{};   // read to write

  // The data bus.
  Cycle t_cl{};                       // read to its first data
  Cycle t_wl{};                       // write to its first data
  std::uint32_t burst_length = 1;     // beats a column command moves
  std::uint32_t beats_per_cycle = 1;  // 1: SDR, 2: DDR, 4: GDDR5
  std::uint32_t bus_bytes = 1;        // bytes of a beat

  // Refresh of all banks.
  Cycle t_refi{};  // average time between two refreshes
  Cycle t_rfc{};   // refresh to activate

  std::uint32_t banks = 1;
  std::uint32_t bank_groups = 1;  // bank b lies in group b mod bank_groups

  constexpr Cycle burst_cycles() const {
    return Cycle((burst_length + beats_per_cycle - 1) / beats_per_cycle);
  }
  constexpr Bytes burst_bytes() const { return Bytes(std::uint64_t{burst_length} * bus_bytes); }
  constexpr Bytes peak_bytes_per_cycle() const {
    return Bytes(std::uint64_t{beats_per_cycle} * bus_bytes);
  }
};

// Throws Error when no DRAM can have these parameters.
void check(const DramTiming& timing);

// One of the six channels of a GTX 480: two Hynix H5GQ1H24AFR GDDR5 chips side by side, command
// clock 924 MHz, 16 banks in 4 groups. Source: GPGPU-Sim 4, configs/tested-cfgs/SM2_GTX480, which
// gives nbk=16 CCD=2 RRD=6 RCD=12 RAS=28 RP=12 RC=40 CL=12 WL=4 CDLR=5 WR=12 nbkgrp=4 CCDL=3
// RTPL=2, bus 2 × 4 bytes, burst length 8, four beats a cycle; and its gpu-sim.h, by which
// activate to write takes RCD − (WL + 1) and read to write CL + burst + 2 − WL. It models neither
// tFAW nor refresh. Six channels at 924 MHz × 32 B are the card's 177.4 GB/s.
constexpr DramTiming gddr5_gtx480() {
  return {.t_rcd = Cycle(12),
          .t_rcd_write = Cycle(7),
          .t_ras = Cycle(28),
          .t_rp = Cycle(12),
          .t_rc = Cycle(40),
          .t_rtp = Cycle(2),
          .t_wr = Cycle(12),
          .t_rrd = Cycle(6),
          .t_ccd = Cycle(2),
          .t_ccdl = Cycle(3),
          .t_wtr = Cycle(5),
          .t_rtw = Cycle(12),
          .t_cl = Cycle(12),
          .t_wl = Cycle(4),
          .burst_length = 8,
          .beats_per_cycle = 4,
          .bus_bytes = 8,
          .banks = 16,
          .bank_groups = 4};
}

// Plain SDR SDRAM of an FPGA board at 100 MHz: four Micron MT48LC8M16A2-7E (128 Mb ×16) side by
// side, a bus of 64 bits. Source: Micron 128Mb x4, x8, x16 SDRAM, Rev. N 1/09, table 17, column
// -7E: CL 2 from 7.5 ns on, tRAS 37 ns, tRC 60, tRCD 15, tRP 15, tRRD 14, tRFC 66, 4096 refreshes
// in 64 ms, tWR two clocks from the last data-in, which is one from its end. Write data come with
// the command; a precharge may fall CL − 1 clocks before the last data of a read; one idle clock
// turns the bus from read to write. Chosen: bursts of two, so that one moves a 128-bit texel.
constexpr DramTiming sdr_sdram_100mhz() {
  return {.t_rcd = Cycle(2),
          .t_rcd_write = Cycle(2),
          .t_ras = Cycle(4),
          .t_rp = Cycle(2),
          .t_rc = Cycle(6),
          .t_rtp = Cycle(2),
          .t_wr = Cycle(1),
          .t_rrd = Cycle(2),
          .t_ccd = Cycle(1),
          .t_wtr = Cycle(0),
          .t_rtw = Cycle(5),
          .t_cl = Cycle(2),
          .t_wl = Cycle(0),
          .burst_length = 2,
          .beats_per_cycle = 1,
          .bus_bytes = 8,
          .t_refi = Cycle(1562),
          .t_rfc = Cycle(7),
          .banks = 4};
}

}  // namespace raddle::memory
