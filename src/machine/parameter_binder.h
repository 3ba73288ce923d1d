// Where a machine declares its parameters: each key is bound, in one line, to the field that holds
// its value, with unit, meaning, and range or choices; the field's initial value is the default.
// Bound to a table, the fields are read from it; bound to a list, they are declared there. A struct
// of parameters has one constructor, from a binder, which does both.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.h"
#include "machine/parameters.h"

namespace raddle::machine {

struct ParameterDeclaration {
  std::string key;
  ParameterValue value;  // the default; its type is that of the parameter
  std::string unit;
  std::string sentence;    // what it means
  std::string needs = {};  // not empty: only tables that have this key have the parameter
};

// Values beyond these are slips of the pen.
inline constexpr std::int64_t kMaxLatency = 900;  // of one latency; results are booked so far ahead
inline constexpr std::int64_t kMaxEntries = 1 << 16;
inline constexpr std::int64_t kMaxBytes = 1 << 28;

struct IntegerRange {
  std::int64_t least = 1;
  std::int64_t most = kMaxEntries;
};
struct NumberRange {
  double least = 0;
  double most = 0;
};

class ParameterBinder {
 public:
  // Implicit: a struct of parameters is built from a table.
  ParameterBinder(const ParameterTable& table) : table_(&table) {}  // NOLINT
  explicit ParameterBinder(std::vector<ParameterDeclaration>& list) : list_(&list) {}

  // The same with keys that lie in [name].
  ParameterBinder section(std::string_view name) const;
  // For parameters of those tables alone that have this key; nothing: this table does not.
  std::optional<ParameterBinder> part_with(std::string_view key) const;

  template <class Field>
  void integer(std::string_view key, Field& field, std::string_view unit, std::string_view sentence,
               IntegerRange range = {}) const {
    assign(field, bind_integer(key, count_of(field), unit, sentence, range));
  }
  template <class Field>
  void power_of_two(std::string_view key, Field& field, std::string_view unit,
                    std::string_view sentence, IntegerRange range = {1, kMaxBytes}) const {
    assign(field, bind_power_of_two(key, count_of(field), unit, sentence, range));
  }
  template <class Field>
  void cycles(std::string_view key, Field& field, std::string_view sentence,
              std::int64_t least = 1) const {
    integer(key, field, "cycles", sentence, {least, kMaxLatency});
  }
  template <class Field>
  void bytes(std::string_view key, Field& field, std::string_view sentence,
             std::int64_t least = 1) const {
    integer(key, field, "bytes", sentence, {least, kMaxBytes});
  }
  void number(std::string_view key, double& field, std::string_view unit, std::string_view sentence,
              NumberRange range) const;
  void hertz(std::string_view key, double& field, std::string_view sentence) const;
  void hertz(std::string_view key, Hertz& field, std::string_view sentence) const;
  void boolean(std::string_view key, bool& field, std::string_view sentence) const;
  void text(std::string_view key, std::string& field, std::string_view unit,
            std::string_view sentence) const;
  // One of several names, each of which stands for a value.
  template <class Field>
  void choice(std::string_view key, Field& field,
              std::initializer_list<std::pair<std::string_view, std::type_identity_t<Field>>> known,
              std::string_view sentence) const {
    std::vector<std::string> names;
    std::size_t place = 0;
    for (const auto& [name, value] : known) {
      if (value == field) place = names.size();
      names.emplace_back(name);
    }
    field = (known.begin() + bind_choice(key, place, names, sentence))->second;
  }
  // … or for itself.
  void choice(std::string_view key, std::string& field, const std::vector<std::string>& names,
              std::string_view sentence) const;

  // Of the table.
  std::string name() const { return table_ == nullptr ? std::string() : table_->name(); }
  std::string file() const { return table_ == nullptr ? std::string() : table_->file(); }
  // The names in an open section, whose entry `any` says what others look like; and their texts.
  std::vector<std::pair<std::string, std::string>> entries(std::string_view section) const;
  // Where a value was written: file and line; nothing: it was set.
  std::string place_of(std::string_view key) const;
  std::string path(std::string_view key) const { return prefix_ + std::string(key); }

 private:
  static std::int64_t count_of(std::integral auto field) {
    return static_cast<std::int64_t>(field);
  }
  template <class Unit, class Number>
  static std::int64_t count_of(Quantity<Unit, Number> field) {
    return static_cast<std::int64_t>(field.count());
  }
  template <std::integral Field>
  static void assign(Field& field, std::int64_t value) {
    field = static_cast<Field>(value);
  }
  template <class Unit, class Number>
  static void assign(Quantity<Unit, Number>& field, std::int64_t value) {
    field = Quantity<Unit, Number>(static_cast<Number>(value));
  }

  // Adds to the list if there is one, and says whether.
  bool declare(std::string_view key, ParameterValue value, std::string_view unit,
               std::string_view sentence) const;
  std::int64_t bind_integer(std::string_view key, std::int64_t initial, std::string_view unit,
                            std::string_view sentence, IntegerRange range) const;
  std::int64_t bind_power_of_two(std::string_view key, std::int64_t initial, std::string_view unit,
                                 std::string_view sentence, IntegerRange range) const;
  std::size_t bind_choice(std::string_view key, std::size_t initial,
                          const std::vector<std::string>& names, std::string_view sentence) const;

  const ParameterTable* table_ = nullptr;
  std::vector<ParameterDeclaration>* list_ = nullptr;
  std::string prefix_;
  std::string needs_;
};

// What the tables of an implementation hold, in order; nothing: no machine of that name is here.
std::optional<std::vector<ParameterDeclaration>> declared_parameters(
    std::string_view implementation);
// The declaration of a key, or of the entry `any` beside it; null: there is none.
const ParameterDeclaration* find_declaration(const std::vector<ParameterDeclaration>& declared,
                                             std::string_view key);

}  // namespace raddle::machine
