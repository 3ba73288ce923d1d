#include "memory/address_mapping.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "base/error.h"

namespace raddle::memory {
namespace {

TEST(AddressMapping, SpreadsChunksOf256BytesOverSixChannels) {
  const AddressMapping mapping(gtx480_address_mapping());
  for (std::uint64_t chunk = 0; chunk < 20; ++chunk) {
    EXPECT_EQ(mapping.locate(Address(chunk * 256)).channel, chunk % 6);
    EXPECT_EQ(mapping.locate(Address(chunk * 256 + 255)).channel, chunk % 6);
    EXPECT_EQ(mapping.channel_of(Address(chunk * 256 + 17)), chunk % 6);
  }
}

TEST(AddressMapping, CutsTheRestAsTheGtx480Does) {
  const AddressMapping mapping(gtx480_address_mapping());
  const auto local = [&](std::uint64_t address) {  // in channel 0
    return mapping.locate(Address(address / 256 * 6 * 256 + address % 256));
  };
  EXPECT_EQ(local(0b0'000'0000'0'00'000000), (DramLocation{0, 0, 0, 0}));
  EXPECT_EQ(local(0b0'000'0000'0'00'111111), (DramLocation{0, 0, 0, 0}));
  EXPECT_EQ(local(0b0'000'0000'0'11'000000), (DramLocation{0, 0, 0, 3}));
  EXPECT_EQ(local(0b0'000'0000'1'00'000000), (DramLocation{0, 1, 0, 0}));
  EXPECT_EQ(local(0b0'000'0001'0'00'000000), (DramLocation{0, 0, 0, 4}));
  EXPECT_EQ(local(0b0'001'0000'0'00'000000), (DramLocation{0, 2, 0, 0}));
  EXPECT_EQ(local(0b1'000'0000'0'00'000000), (DramLocation{0, 0, 1, 0}));
  EXPECT_EQ(local(0b101'110'1010'1'01'000000), (DramLocation{0, 13, 5, 41}));
}

// Every burst of a stretch has a place of its own, and the place leads back to it.
void expect_one_to_one(const AddressMappingSpec& spec, Address first, std::uint64_t bursts) {
  const AddressMapping mapping(spec);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> places;
  for (std::uint64_t i = 0; i < bursts; ++i) {
    const Address address = first + i * spec.burst;
    const DramLocation at = mapping.locate(address);
    EXPECT_LT(at.channel, spec.channels);
    EXPECT_LT(at.bank, mapping.banks());
    EXPECT_EQ(mapping.address_of(at), address);
    places.insert({at.channel, at.bank, at.row, at.column});
  }
  EXPECT_EQ(places.size(), bursts);
}

TEST(AddressMapping, IsOneToOne) {
  AddressMappingSpec spec = gtx480_address_mapping();
  expect_one_to_one(spec, Address(0), 30'000);
  expect_one_to_one(spec, Address(0x7'1234'5600), 5'000);
  spec.hash_banks = true;
  expect_one_to_one(spec, Address(0), 30'000);
  spec.channels = 5;
  spec.chunk = Bytes(1024);
  expect_one_to_one(spec, Address(0), 30'000);
  spec.slices = {{AddressField::kBank, 2},
                 {AddressField::kRow, 3},
                 {AddressField::kColumn, 5},
                 {AddressField::kBank, 1}};
  expect_one_to_one(spec, Address(0), 30'000);
  expect_one_to_one(sdr_sdram_address_mapping(), Address(0), 10'000);
}

TEST(AddressMapping, FillsAllPlacesOfAStretchOfWholeRows) {
  // 6 channels × 16 banks × 64 columns: one row of each.
  const AddressMapping mapping(gtx480_address_mapping());
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> places;
  for (std::uint64_t i = 0; i < 6 * 16 * 64; ++i) {
    const DramLocation at = mapping.locate(Address(i * 64));
    EXPECT_EQ(at.row, 0U);
    places.insert({at.channel, at.bank, at.column});
  }
  EXPECT_EQ(places.size(), 6U * 16 * 64);
}

TEST(AddressMapping, KnowsWhichStretchesLieWithinOneRow) {
  AddressMappingSpec spec = gtx480_address_mapping();
  EXPECT_EQ(AddressMapping(spec).row_stretch(), Bytes(256));
  spec.chunk = Bytes(128);
  EXPECT_EQ(AddressMapping(spec).row_stretch(), Bytes(128));
  spec.channels = 1;
  EXPECT_EQ(AddressMapping(spec).row_stretch(), Bytes(256));
  EXPECT_EQ(AddressMapping(sdr_sdram_address_mapping()).row_stretch(), Bytes(4096));
}

TEST(AddressMapping, HashingSpreadsRowsOfOneBankOverTheBanks) {
  AddressMappingSpec spec = gtx480_address_mapping();
  const AddressMapping plain(spec);
  spec.hash_banks = true;
  const AddressMapping hashed(spec);
  std::set<std::uint32_t> plain_banks, hashed_banks;
  for (std::uint32_t row = 0; row < 16; ++row) {
    const Address address = plain.address_of({0, 3, row, 0});
    plain_banks.insert(plain.locate(address).bank);
    hashed_banks.insert(hashed.locate(address).bank);
  }
  EXPECT_EQ(plain_banks.size(), 1U);
  EXPECT_EQ(hashed_banks.size(), 16U);
}

std::string fault(const AddressMappingSpec& spec) {
  try {
    const AddressMapping mapping(spec);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(AddressMapping, SaysWhatIsNoMapping) {
  AddressMappingSpec spec = gtx480_address_mapping();
  spec.channels = 0;
  EXPECT_EQ(fault(spec), "an address mapping cannot have 0 channels\nhint: give it at least one");
  spec = gtx480_address_mapping();
  spec.chunk = Bytes(384);
  EXPECT_EQ(fault(spec),
            "an address mapping cannot have chunks of 384 bytes\nhint: give it a power of two");
  spec = gtx480_address_mapping();
  spec.burst = Bytes(0);
  EXPECT_EQ(fault(spec),
            "an address mapping cannot have bursts of 0 bytes\nhint: give it a power of two");
  spec = gtx480_address_mapping();
  spec.chunk = Bytes(32);
  EXPECT_EQ(
      fault(spec),
      "a channel's chunk of 32 bytes is smaller than a burst of 64 bytes\nhint: a chunk holds "
      "at least one burst");
  spec = gtx480_address_mapping();
  spec.slices = {{AddressField::kBank, 4}, {AddressField::kColumn, 40}};
  EXPECT_EQ(
      fault(spec),
      "an address mapping cannot have 4 bank bits and 40 column bits\nhint: give each at most "
      "31");
}

}  // namespace
}  // namespace raddle::memory
