// Cycles, bytes, picojoules, hertz and seconds as types of their own, after ChampSim's chrono.h:
// adding bytes to cycles does not compile. Quantities of one unit add, subtract and compare; a
// plain number scales them; the quotient of two of the same unit is a plain number; and cycles over
// a frequency are seconds.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace raddle {

template <class Unit, class Number>
class Quantity {
 public:
  using number_type = Number;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Number count) : count_(count) {}
  // Implicit: a table may hold a smaller number than calculations have.
  template <std::unsigned_integral Smaller>
    requires(std::unsigned_integral<Number> && sizeof(Smaller) < sizeof(Number))
  constexpr Quantity(Quantity<Unit, Smaller> small) : count_(small.count()) {}  // NOLINT

  constexpr Number count() const { return count_; }
  constexpr double as_double() const { return static_cast<double>(count_); }

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  constexpr Quantity& operator++()
    requires std::integral<Number>
  {
    ++count_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, Number factor) {
    return Quantity(a.count_ * factor);
  }
  friend constexpr Quantity operator*(Number factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, Number divisor) {
    return Quantity(a.count_ / divisor);
  }
  // A whole number of something times 0.5 would be cut off without a word.
  template <std::floating_point Factor>
    requires std::integral<Number>
  friend Quantity operator*(Quantity, Factor) = delete;
  template <std::floating_point Factor>
    requires std::integral<Number>
  friend Quantity operator*(Factor, Quantity) = delete;
  template <std::floating_point Divisor>
    requires std::integral<Number>
  friend Quantity operator/(Quantity, Divisor) = delete;
  friend constexpr Quantity operator%(Quantity a, Quantity b)
    requires std::integral<Number>
  {
    return Quantity(a.count_ % b.count_);
  }
  // Whole times that b goes into a for integers, the exact ratio for floating-point numbers.
  friend constexpr Number operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }

  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  Number count_{};
};

using Cycle = Quantity<struct CycleUnit, std::uint64_t>;
using ShortCycle = Quantity<CycleUnit, std::uint32_t>;  // for tables; widens to Cycle
using Bytes = Quantity<struct BytesUnit, std::uint64_t>;
using ShortBytes = Quantity<BytesUnit, std::uint32_t>;  // for tables; widens to Bytes
using Picojoule = Quantity<struct PicojouleUnit, double>;
using Hertz = Quantity<struct HertzUnit, double>;
using Seconds = Quantity<struct SecondsUnit, double>;

constexpr Seconds operator/(Cycle cycles, Hertz clock) {
  return Seconds(cycles.as_double() / clock.count());
}

namespace unit_literals {

constexpr Cycle operator""_cycles(unsigned long long count) { return Cycle(count); }
constexpr Bytes operator""_B(unsigned long long count) { return Bytes(count); }
constexpr Bytes operator""_KiB(unsigned long long count) { return Bytes(count << 10); }
constexpr Bytes operator""_MiB(unsigned long long count) { return Bytes(count << 20); }
constexpr Bytes operator""_GiB(unsigned long long count) { return Bytes(count << 30); }

}  // namespace unit_literals
}  // namespace raddle
