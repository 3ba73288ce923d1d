#include "memory/address_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace raddle::memory {

namespace {

constexpr std::uint32_t kMaxSliceBits = 31;

std::uint32_t bits_of(Bytes size, const char* what) {
  if (!std::has_single_bit(size.count()))
    throw Error(fmt::format("an address mapping cannot have {} of {} bytes", what, size.count()),
                {}, "give it a power of two");
  return static_cast<std::uint32_t>(std::countr_zero(size.count()));
}

}  // namespace

AddressMapping::AddressMapping(const AddressMappingSpec& spec)
    : channels_(spec.channels),
      chunk_bits_(bits_of(spec.chunk, "chunks")),
      burst_bits_(bits_of(spec.burst, "bursts")),
      hash_banks_(spec.hash_banks),
      slices_(spec.slices) {
  if (channels_ == 0)
    throw Error("an address mapping cannot have 0 channels", {}, "give it at least one");
  if (chunk_bits_ < burst_bits_)
    throw Error(fmt::format("a channel's chunk of {} bytes is smaller than a burst of {} bytes",
                            spec.chunk.count(), spec.burst.count()),
                {}, "a chunk holds at least one burst");
  std::uint32_t column_bits = 0;
  for (const AddressSlice& slice : slices_) {
    if (slice.field == AddressField::kBank) bank_bits_ += slice.bits;
    if (slice.field == AddressField::kColumn) column_bits += slice.bits;
  }
  if (bank_bits_ > kMaxSliceBits || column_bits > kMaxSliceBits)
    throw Error(fmt::format("an address mapping cannot have {} bank bits and {} column bits",
                            bank_bits_, column_bits),
                {}, fmt::format("give each at most {}", kMaxSliceBits));
}

DramLocation AddressMapping::locate(Address address) const {
  const std::uint64_t chunk = address.value() >> chunk_bits_;
  DramLocation location;
  location.channel = static_cast<std::uint32_t>(chunk % channels_);
  const std::uint64_t within = address.value() & ((std::uint64_t{1} << chunk_bits_) - 1);
  std::uint64_t rest = (((chunk / channels_) << chunk_bits_) | within) >> burst_bits_;

  // By field: its value, and how many of its bits are known.
  std::uint64_t values[3] = {};
  std::uint32_t known[3] = {};
  for (const AddressSlice& slice : slices_) {
    const auto field = static_cast<std::size_t>(slice.field);
    values[field] |= (rest & ((std::uint64_t{1} << slice.bits) - 1)) << known[field];
    known[field] += slice.bits;
    rest >>= slice.bits;
  }
  constexpr auto kRow = static_cast<std::size_t>(AddressField::kRow);
  location.row = static_cast<std::uint32_t>(values[kRow] | (rest << known[kRow]));
  location.column =
      static_cast<std::uint32_t>(values[static_cast<std::size_t>(AddressField::kColumn)]);
  location.bank =
      hashed(static_cast<std::uint32_t>(values[static_cast<std::size_t>(AddressField::kBank)]),
             location.row);
  return location;
}

Address AddressMapping::address_of(const DramLocation& location) const {
  std::uint64_t values[3] = {};
  values[static_cast<std::size_t>(AddressField::kColumn)] = location.column;
  values[static_cast<std::size_t>(AddressField::kBank)] = hashed(location.bank, location.row);
  values[static_cast<std::size_t>(AddressField::kRow)] = location.row;
  std::uint64_t local = 0;
  std::uint32_t position = 0;
  for (const AddressSlice& slice : slices_) {
    std::uint64_t& value = values[static_cast<std::size_t>(slice.field)];
    local |= (value & ((std::uint64_t{1} << slice.bits) - 1)) << position;
    value >>= slice.bits;
    position += slice.bits;
  }
  local |= values[static_cast<std::size_t>(AddressField::kRow)] << position;
  local <<= burst_bits_;
  const std::uint64_t within = local & ((std::uint64_t{1} << chunk_bits_) - 1);
  const std::uint64_t chunk = (local >> chunk_bits_) * channels_ + location.channel;
  return Address((chunk << chunk_bits_) | within);
}

Bytes AddressMapping::row_stretch() const {
  std::uint32_t bits = burst_bits_;
  for (const AddressSlice& slice : slices_) {
    if (slice.field != AddressField::kColumn) break;
    bits += slice.bits;
  }
  return Bytes(std::uint64_t{1} << (channels_ == 1 ? bits : std::min(bits, chunk_bits_)));
}

AddressMappingSpec gtx480_address_mapping() {
  return {.channels = 6,
          .chunk = Bytes(256),
          .burst = Bytes(64),
          .slices = {{AddressField::kColumn, 2},
                     {AddressField::kBank, 1},
                     {AddressField::kColumn, 4},
                     {AddressField::kBank, 3}},
          .hash_banks = false};
}

AddressMappingSpec sdr_sdram_address_mapping() {
  return {.channels = 1,
          .chunk = Bytes(256),
          .burst = Bytes(16),
          .slices = {{AddressField::kColumn, 8}, {AddressField::kBank, 2}},
          .hash_banks = false};
}

}  // namespace raddle::memory
