// Where a byte lies in a simulated memory, after ChampSim's address.h. Addresses compare, their
// difference is a number of bytes, and bytes move them; two of them do not add.
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"

namespace raddle {

class Address {
 public:
  constexpr Address() = default;
  constexpr explicit Address(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }

  constexpr Address& operator+=(Bytes distance) {
    value_ += distance.count();
    return *this;
  }
  friend constexpr Address operator+(Address a, Bytes distance) { return a += distance; }
  friend constexpr Address operator-(Address a, Bytes distance) {
    return Address(a.value_ - distance.count());
  }
  friend constexpr Bytes operator-(Address a, Address b) { return Bytes(a.value_ - b.value_); }

  // The number of the unit that holds the address, where units of one size follow each other from
  // address 0; and how far into its unit the address lies.
  friend constexpr std::uint64_t operator/(Address a, Bytes unit) {
    return a.value_ / unit.count();
  }
  friend constexpr Bytes operator%(Address a, Bytes unit) { return Bytes(a.value_ % unit.count()); }

  constexpr auto operator<=>(const Address&) const = default;

 private:
  std::uint64_t value_ = 0;
};

// Where the unit begins that holds the address; its size is a power of two.
constexpr Address aligned_down(Address address, Bytes unit) {
  return Address(address.value() & ~(unit.count() - 1));
}
// Units of one size that the bytes from `first` on touch; at least one byte.
constexpr std::uint64_t units_touched(Address first, Bytes bytes, Bytes unit) {
  return (first + bytes - Bytes(1)) / unit - first / unit + 1;
}

}  // namespace raddle
