#include "machine/parameter_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/nearest_name.h"

namespace raddle::machine {

namespace {

// "a", "b" or "c"
std::string list_of(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 == names.size() ? " or " : ", ";
    result += fmt::format("\"{}\"", names[i]);
  }
  return result;
}

}  // namespace

ParameterBinder ParameterBinder::section(std::string_view name) const {
  ParameterBinder inner = *this;
  inner.prefix_ += fmt::format("{}.", name);
  return inner;
}

std::optional<ParameterBinder> ParameterBinder::part_with(std::string_view key) const {
  if (table_ != nullptr && !table_->has(path(key))) return std::nullopt;
  ParameterBinder part = *this;
  part.needs_ = path(key);
  return part;
}

void ParameterBinder::number(std::string_view key, double& field, std::string_view unit,
                             std::string_view sentence, NumberRange range) const {
  if (declare(key, field, unit, sentence)) return;
  field = table_->number_in(path(key), range.least, range.most);
}

void ParameterBinder::hertz(std::string_view key, double& field, std::string_view sentence) const {
  number(key, field, "Hz", sentence, {1e6, 1e11});
}

void ParameterBinder::hertz(std::string_view key, Hertz& field, std::string_view sentence) const {
  double count = field.count();
  hertz(key, count, sentence);
  field = Hertz(count);
}

void ParameterBinder::boolean(std::string_view key, bool& field, std::string_view sentence) const {
  if (declare(key, field, "true or false", sentence)) return;
  field = table_->boolean(path(key));
}

void ParameterBinder::text(std::string_view key, std::string& field, std::string_view unit,
                           std::string_view sentence) const {
  if (declare(key, field, unit, sentence)) return;
  field = table_->text(path(key));
}

void ParameterBinder::choice(std::string_view key, std::string& field,
                             const std::vector<std::string>& names,
                             std::string_view sentence) const {
  const auto initial = std::ranges::find(names, field);
  RADDLE_ASSERT(initial != names.end());
  field =
      names[bind_choice(key, static_cast<std::size_t>(initial - names.begin()), names, sentence)];
}

std::vector<std::pair<std::string, std::string>> ParameterBinder::entries(
    std::string_view section) const {
  std::vector<std::pair<std::string, std::string>> result;
  if (table_ == nullptr) return result;
  const std::string prefix = path(section) + ".";
  for (const Parameter& parameter : table_->all()) {
    if (!parameter.key.starts_with(prefix) || parameter.key == prefix + "any") continue;
    result.emplace_back(parameter.key.substr(prefix.size()), table_->text(parameter.key));
  }
  return result;
}

std::string ParameterBinder::place_of(std::string_view key) const {
  return table_ == nullptr ? std::string() : table_->place_of(path(key));
}

bool ParameterBinder::declare(std::string_view key, ParameterValue value, std::string_view unit,
                              std::string_view sentence) const {
  if (list_ == nullptr) return false;
  list_->push_back({path(key), std::move(value), std::string(unit), std::string(sentence), needs_});
  return true;
}

std::int64_t ParameterBinder::bind_integer(std::string_view key, std::int64_t initial,
                                           std::string_view unit, std::string_view sentence,
                                           IntegerRange range) const {
  if (declare(key, initial, unit, sentence)) return initial;
  return table_->integer_in(path(key), range.least, range.most);
}

std::int64_t ParameterBinder::bind_power_of_two(std::string_view key, std::int64_t initial,
                                                std::string_view unit, std::string_view sentence,
                                                IntegerRange range) const {
  const std::int64_t value = bind_integer(key, initial, unit, sentence, range);
  const auto bits = static_cast<std::uint64_t>(value);
  if (!std::has_single_bit(bits))
    throw Error(
        fmt::format("{} = {} is not a power of two", path(key), value), place_of(key),
        fmt::format("the nearest are {} and {}", std::bit_floor(bits), std::bit_ceil(bits)));
  return value;
}

std::size_t ParameterBinder::bind_choice(std::string_view key, std::size_t initial,
                                         const std::vector<std::string>& names,
                                         std::string_view sentence) const {
  if (declare(key, names[initial], list_of(names), sentence)) return initial;
  const std::string& word = table_->text(path(key));
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string near = suggestion(word, names);
  throw Error(fmt::format("{} = \"{}\" is not a known value", path(key), word), place_of(key),
              fmt::format("{}{}known: {}", near, near.empty() ? "" : " ", fmt::join(names, ", ")));
}

const ParameterDeclaration* find_declaration(const std::vector<ParameterDeclaration>& declared,
                                             std::string_view key) {
  auto found = std::ranges::find(declared, key, &ParameterDeclaration::key);
  const std::size_t dot = key.rfind('.');
  if (found == declared.end() && dot != std::string_view::npos)
    found = std::ranges::find(declared, std::string(key.substr(0, dot)) + ".any",
                              &ParameterDeclaration::key);
  return found == declared.end() ? nullptr : &*found;
}

}  // namespace raddle::machine
