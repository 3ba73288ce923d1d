#include "machine/energy_coefficients.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/resource_paths.h"
#include "machine/sourced_values.h"

namespace raddle::machine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariantPrefix = "variant.";

std::vector<std::string> set_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

double number_of(const Parameter& value, const std::string& file) {
  double number = -1;
  if (const double* exact = std::get_if<double>(&value.value)) number = *exact;
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.value))
    number = static_cast<double>(*whole);
  if (number < 0)
    throw Error(fmt::format("coefficient '{}' is not a non-negative number", value.key), file);
  return number;
}

void check_unit(const Parameter& value, std::string_view unit, const std::string& file) {
  if (value.unit == unit) return;
  throw Error(
      fmt::format("coefficient '{}' is in '{}', not in {}", value.key, value.unit, unit), file,
      fmt::format("write: {} = {}   # {}; source", value.key, to_string(value.value), unit));
}

void put(energy::CoefficientSet& set, std::string_view name, const Parameter& value,
         const std::string& file) {
  const auto& events = energy::event_descriptions();
  const auto event = std::ranges::find(events, name, &energy::Description::name);
  if (event != events.end()) {
    check_unit(value, "pJ", file);
    set.events[static_cast<std::size_t>(event - events.begin())] =
        Picojoule(number_of(value, file));
    return;
  }
  const auto& powers = energy::static_descriptions();
  const auto power = std::ranges::find(powers, name, &energy::Description::name);
  if (power != powers.end()) {
    check_unit(value, "W", file);
    set.watts[static_cast<std::size_t>(power - powers.begin())] = number_of(value, file);
    return;
  }
  std::vector<std::string> known;
  for (const auto& list : {events, powers}) {
    for (const energy::Description& description : list) known.emplace_back(description.name);
  }
  throw Error(fmt::format("unknown energy event '{}'", name), file, suggestion(name, known));
}

}  // namespace

energy::CoefficientSet coefficients_from_toml(std::string_view text, const std::string& file,
                                              std::string_view variant) {
  energy::CoefficientSet set;
  const std::string wanted = fmt::format("{}{}.", kVariantPrefix, variant);
  std::vector<std::string> variants;
  bool found = variant.empty();
  // Variants come last in a file: what they hold replaces what stands before.
  constexpr std::string_view kTitles[] = {"set", "description"};
  for (const Parameter& value : read_sourced_values(text, file, kTitles)) {
    if (value.key == "description") continue;
    if (value.key == "set") {
      set.name = to_string(value.value);
      continue;
    }
    if (!value.key.starts_with(kVariantPrefix)) {
      put(set, value.key, value, file);
      continue;
    }
    const std::string rest = value.key.substr(kVariantPrefix.size());
    variants.push_back(rest.substr(0, rest.find('.')));
    if (!value.key.starts_with(wanted)) continue;
    put(set, std::string_view(value.key).substr(wanted.size()), value, file);
    found = true;
  }
  if (set.name.empty())
    throw Error("the table does not name its set", file, "write: set = \"NAME\"");
  if (!found) {
    throw Error(fmt::format("the energy set '{}' has no variant '{}'", set.name, variant), file,
                suggestion(variant, variants));
  }
  if (!variant.empty()) set.name += fmt::format(":{}", variant);
  return set;
}

energy::CoefficientSet load_coefficients(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const std::string base(name.substr(0, colon));
  const std::string_view variant =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  if (base.ends_with(".toml")) return coefficients_from_toml(read_file(base), base, variant);
  const fs::path folder = resource_paths().machines / "energy";
  const std::vector<std::string> known = set_names(folder);
  if (std::ranges::find(known, base) == known.end()) {
    const std::string near = suggestion(base, known);
    throw Error(fmt::format("unknown energy set '{}'", base), {},
                near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
  }
  const fs::path file = folder / (base + ".toml");
  return coefficients_from_toml(read_file(file), file.string(), variant);
}

void charge_energy(const energy::EventCounts& counts, const energy::CoefficientSet& set,
                   LaunchResult& result) {
  for (const energy::EnergyPart& part : energy_by_part(counts, set))
    result.energy.push_back({part.name, part.energy.count()});
  result.energy_set = set.name;
}

}  // namespace raddle::machine
