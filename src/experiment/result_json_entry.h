// A value of a JSON document together with the way to it, so that what is missing or wrong can be
// told by its place. For the readers of results alone.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "experiment/run_result.h"

namespace raddle::experiment {

using Json = nlohmann::ordered_json;

class Entry {
 public:
  Entry(const Json& value, std::string path, const std::string& file)
      : value_(&value), path_(std::move(path)), file_(&file) {}

  Entry at(const char* key) const {
    if (!value_->is_object() || !value_->contains(key))
      fail(fmt::format("no entry \"{}\"", path_of(key)));
    return {(*value_)[key], path_of(key), *file_};
  }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  bool is_null() const { return value_->is_null(); }

  std::vector<Entry> items() const {
    if (!value_->is_array()) fail(fmt::format("\"{}\" is not a list", path_));
    std::vector<Entry> list;
    for (std::size_t i = 0; i < value_->size(); ++i)
      list.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i), *file_);
    return list;
  }

  void read(std::string& out) const {
    if (!value_->is_string()) fail(fmt::format("\"{}\" is not a string", path_));
    out = value_->get<std::string>();
  }
  void read(bool& out) const {
    if (!value_->is_boolean()) fail(fmt::format("\"{}\" is neither true nor false", path_));
    out = value_->get<bool>();
  }
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  void read(Number& out) const {
    const bool fits = std::is_floating_point_v<Number> ? value_->is_number()
                      : std::is_unsigned_v<Number>     ? value_->is_number_unsigned()
                                                       : value_->is_number_integer();
    if (!fits)
      fail(fmt::format("\"{}\" is not a {}number", path_,
                       std::is_floating_point_v<Number> ? "" : "whole "));
    out = value_->get<Number>();
  }
  void read(std::vector<std::string>& out) const {
    for (const Entry& item : items()) item.read(out.emplace_back());
  }
  void read(std::vector<double>& out) const {
    for (const Entry& item : items()) item.read(out.emplace_back());
  }
  void read(machine::Dim3& out) const {
    const std::vector<Entry> parts = items();
    if (parts.size() != 3) fail(fmt::format("\"{}\" does not have three parts", path_));
    parts[0].read(out.x);
    parts[1].read(out.y);
    parts[2].read(out.z);
  }
  void read(machine::ParameterValue& out) const {
    if (value_->is_boolean()) {
      out = value_->get<bool>();
    } else if (value_->is_number_integer()) {
      out = value_->get<std::int64_t>();
    } else if (value_->is_number()) {
      out = value_->get<double>();
    } else {
      out = std::string();
      read(std::get<std::string>(out));
    }
  }
  void read(std::array<std::uint64_t, kernel::kInstructionClasses>& out) const {
    if (!value_->is_object()) fail(fmt::format("\"{}\" is not an object", path_));
    for (std::size_t i = 0; i < kernel::kInstructionClasses; ++i) {
      const std::string name(name_of(static_cast<kernel::InstructionClass>(i)));
      if (has(name.c_str())) at(name.c_str()).read(out[i]);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("not a Raddle result: " + what, *file_,
                "results are the files that `raddle run --json FILE` writes");
  }

 private:
  std::string path_of(const char* key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  const Json* value_;
  std::string path_;
  const std::string* file_;
};

inline void read_shares(const Entry& entry, const char* value_name,
                        std::vector<machine::Share>& shares) {
  if (entry.is_null()) return;
  for (const Entry& item : entry.items()) {
    machine::Share& share = shares.emplace_back();
    item.at("name").read(share.name);
    item.at(value_name).read(share.value);
  }
}

}  // namespace raddle::experiment
