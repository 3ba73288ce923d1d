// Which channel, bank, row and column of a DRAM holds an address. Addresses go to channels in
// chunks, by division, so that any number of channels works; what is left is cut into bit slices.
// Every address has one place and every place one address.
#pragma once

#include <cstdint>
#include <vector>

#include "base/address.h"

namespace raddle::memory {

enum class AddressField : std::uint8_t { kColumn, kBank, kRow };

struct AddressSlice {
  AddressField field;
  std::uint32_t bits;
};

struct AddressMappingSpec {
  std::uint32_t channels = 1;
  Bytes chunk{256};  // as many bytes lie in one channel before the next one's turn
  Bytes burst{64};   // as many bytes have one column address
  // From the lowest bit above the burst; all bits above the last slice belong to the row.
  std::vector<AddressSlice> slices;
  // Has the bank's number XORed with the row's lowest bits, so that rows that lie one after the
  // other in a bank by their address are spread over the banks.
  bool hash_banks = false;
};

struct DramLocation {
  std::uint32_t channel = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  bool operator==(const DramLocation&) const = default;
};

class AddressMapping {
 public:
  // Throws Error when the spec is not one to one.
  explicit AddressMapping(const AddressMappingSpec& spec);

  DramLocation locate(Address address) const;
  std::uint32_t channel_of(Address address) const {
    return static_cast<std::uint32_t>((address.value() >> chunk_bits_) % channels_);
  }
  // The first byte of the burst that lies there.
  Address address_of(const DramLocation& location) const;

  std::uint32_t channels() const { return channels_; }
  std::uint32_t banks() const { return 1U << bank_bits_; }
  Bytes burst() const { return Bytes(std::uint64_t{1} << burst_bits_); }
  // Stretches of so many bytes, aligned to their size, lie within one row.
  Bytes row_stretch() const;

 private:
  std::uint32_t hashed(std::uint32_t bank, std::uint32_t row) const {
    return hash_banks_ ? bank ^ (row & (banks() - 1)) : bank;
  }

  std::uint32_t channels_;
  std::uint32_t chunk_bits_;
  std::uint32_t burst_bits_;
  std::uint32_t bank_bits_ = 0;
  bool hash_banks_;
  std::vector<AddressSlice> slices_;
};

// GTX 480: chunks of 256 bytes over 6 channels, then RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS (GPGPU-Sim 4,
// configs/tested-cfgs/SM2_GTX480).
AddressMappingSpec gtx480_address_mapping();
// One channel of four Micron MT48LC8M16A2: 512 columns a row in bursts of two, 4 banks, then rows.
AddressMappingSpec sdr_sdram_address_mapping();

}  // namespace raddle::memory
