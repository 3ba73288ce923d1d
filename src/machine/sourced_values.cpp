#include "machine/sourced_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "machine/parameter_text.h"
#include "machine/toml.h"

namespace raddle::machine {
namespace {

// Turns one TOML document into the flat list; keeps the document's lines to read the comments from.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file,
         std::initializer_list<std::string_view> titles)
      : file_(file), titles_(titles) {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  std::vector<Parameter> read(const toml::table& root) {
    add_table(root, "");
    // toml++ sorts keys by name; people want them as they were written.
    std::ranges::stable_sort(found_, {}, [](const auto& entry) { return entry.first; });
    std::vector<Parameter> parameters;
    for (auto& [line, parameter] : found_) parameters.push_back(std::move(parameter));
    return parameters;
  }

 private:
  void add_table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (!is_bare_key(key.str()))
        fail(node, fmt::format("'{}' is not a plain parameter name", name));
      if (const toml::table* inner = node.as_table()) {
        add_table(*inner, name + ".");
      } else {
        found_.emplace_back(node.source().begin.line, parameter_of(name, node));
      }
    }
  }

  Parameter parameter_of(const std::string& name, const toml::node& node) const {
    const bool is_title = std::ranges::find(titles_, name) != titles_.end();
    Parameter parameter{name, value_of(name, node), {}, {}};
    const std::string_view comment = comment_of(lines_.at(node.source().begin.line - 1));
    const std::size_t semicolon = comment.find(';');
    if (semicolon != std::string_view::npos) parameter.unit = trimmed(comment.substr(0, semicolon));
    parameter.source =
        trimmed(semicolon == std::string_view::npos ? comment : comment.substr(semicolon + 1));
    parameter.line = node.source().begin.line;
    if (!is_title && parameter.source.empty()) {
      fail(node, fmt::format("parameter '{}' lacks its source", name),
           fmt::format("write: {} = {}   # source", name, to_string(parameter.value)));
    }
    return parameter;
  }

  ParameterValue value_of(const std::string& name, const toml::node& node) const {
    if (const auto* boolean = node.as_boolean()) return boolean->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_floating_point()) {
      if (std::isfinite(number->get())) return number->get();
      fail(node, fmt::format("parameter '{}' is not finite", name));
    }
    fail(node, fmt::format("parameter '{}' is not a string, a number or a boolean", name));
  }

  [[noreturn]] void fail(const toml::node& node, std::string what, std::string hint = {}) const {
    throw Error(std::move(what), fmt::format("{}:{}", file_, node.source().begin.line),
                std::move(hint));
  }

  const std::string& file_;
  std::vector<std::string_view> titles_;
  std::vector<std::string_view> lines_;
  std::vector<std::pair<toml::source_index, Parameter>> found_;
};

}  // namespace

std::vector<Parameter> read_sourced_values(std::string_view text, const std::string& file,
                                           std::initializer_list<std::string_view> titles) {
  return Reader(text, file, titles).read(parse_toml(text, file));
}

}  // namespace raddle::machine
