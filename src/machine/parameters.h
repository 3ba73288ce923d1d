// A machine's parameters: machines/NAME.toml as a table of typed values, each with its unit, what
// it means and where it comes from. Values are written as `key = value  # source`; the machine
// declares all else (parameter_binder.h), the values of keys that the file leaves out included.
// Overrides name an existing key; anything else is an error that suggests the nearest name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace raddle::machine {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct Parameter {
  std::string key;  // dotted: "memory.bytes"
  ParameterValue value;
  std::string unit;
  std::string source;
  bool overridden = false;
  std::string sentence = {};  // what it means
  std::uint32_t line = 0;     // of the file; 0: the default
  std::string file = {};      // where it was written, if in another table than this one
};

class ParameterTable;
// The table of a machine's name, or of a file: what `base` says.
using BaseTable = std::function<ParameterTable(const std::string& name_or_file)>;

class ParameterTable {
 public:
  // Throws Error (with file and line) for bad TOML, a type it cannot hold or a key that the machine
  // does not declare. A table has either `machine`, the implementation, or `base`, the table whose
  // values it takes where it has none of its own. Units of a machine that is not linked in are what
  // the comments say before a ';'.
  static ParameterTable from_toml(std::string_view text, std::string file_name,
                                  const BaseTable& base_of = {});

  // "key=value"; the value must have the type of the one it replaces.
  void set(std::string_view assignment);

  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  // integers convert
  const std::string& text(std::string_view key) const;
  // As above, but values outside [least, most] are refused with an Error that names the range.
  std::int64_t integer_in(std::string_view key, std::int64_t least, std::int64_t most) const;
  double number_in(std::string_view key, double least, double most) const;
  bool has(std::string_view key) const;
  // Where a value was written: file and line; nothing: it was set.
  std::string place_of(std::string_view key) const;

  const std::string& machine() const {
    return text("machine");
  }  // the implementation: "ref", "simt" …
  const std::string& file() const { return file_; }
  std::string name()
      const;  // what users call the machine: the file's name without folder and ending
  const std::vector<Parameter>& all() const { return parameters_; }
  // Values of the file itself without a comment that says where they come from.
  std::vector<Parameter> without_source() const;
  // A TOML file that gives this table back.
  std::string to_toml() const;
  // Hash of keys and values (not of comments, order or `description`), 16 hex digits.
  std::string hash() const;

 private:
  void take_base(const BaseTable& base_of);
  void take_declarations();
  const Parameter& find(std::string_view key) const;
  [[noreturn]] void fail_range(std::string_view key, const ParameterValue& least,
                               const ParameterValue& most) const;

  std::string file_;
  std::vector<Parameter> parameters_;
};

std::string to_string(const ParameterValue& value);

}  // namespace raddle::machine
