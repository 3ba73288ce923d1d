#include "machine/cgra/fabric/fabric_parameters.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "base/error.h"

namespace raddle::machine::cgra {

namespace {

void check_power_of_two(std::string_view what, std::uint32_t value, std::uint32_t most) {
  if (std::has_single_bit(value) && value <= most) return;
  throw Error(fmt::format("{} cannot be {}", what, value), {},
              fmt::format("take a power of two, at most {}", most));
}

template <class Value>
void check_at_least_one(std::string_view what, Value value) {
  if (value == Value(0)) throw Error(fmt::format("{} cannot be 0", what), {}, "take at least 1");
}

void check_banks(std::string_view what, const BankParameters& banks) {
  check_power_of_two(fmt::format("the number of banks of the {}", what), banks.banks, 64);
  check_power_of_two(fmt::format("the bank width of the {}", what), banks.bank_bytes.count(), 128);
  check_at_least_one(fmt::format("the latency of the {}", what), banks.latency);
}

}  // namespace

void FabricParameters::check() const {
  check_at_least_one("the number of cores", cores);
  check_power_of_two("the size of a token buffer", token_buffer, 64);
  check_power_of_two("the number of accesses in flight", load_store_entries, 64);
  check_at_least_one("the number of groups of an injector", injector_groups);
  check_at_least_one("the hop latency", hop_cycles);
  check_banks("scratchpad", scratchpad);
  check_banks("live-value cache", live_values);
  check_banks("L1", {l1_banks, l1_bank_bytes, l1.hit_latency});
  check_at_least_one("the size of a miss queue", l1_miss_queue);
  l1.check();
  if (memory.request_network.inputs != cores)
    throw Error(fmt::format("the request network has {} inputs for {} cores",
                            memory.request_network.inputs, cores),
                {}, "give it one input per core");
}

}  // namespace raddle::machine::cgra
