#include "experiment/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/shell_words.h"
#include "machine/toml.h"

namespace raddle::experiment {

namespace {

const std::vector<std::string> kTopKeys = {"name", "description", "figures", "axes",
                                           "cell", "include",     "exclude"};
// What `raddle run` takes, by the names of its options.
const std::vector<std::string> kCellFields = {"program", "machine", "arguments", "inputs",
                                              "cc",      "check",   "timeout",   "max_cycles",
                                              "kernel",  "grid",    "block",     "shared"};
const std::vector<std::string> kListFields = {"arguments", "inputs"};
constexpr const char* kSet = "set";
constexpr const char* kLabel = "label";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct Entry {
  std::string key;
  const toml::node* node;
  unsigned line;
};

// toml++ sorts keys by name; axes are to come in the order in which they were written.
std::vector<Entry> entries_of(const toml::table& table) {
  std::vector<std::pair<toml::source_position, Entry>> found;
  for (const auto& [key, node] : table) {
    const toml::source_position place = key.source().begin;
    found.push_back({place, {std::string(key.str()), &node, place.line}});
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Entry> entries;
  for (auto& [place, entry] : found) entries.push_back(std::move(entry));
  return entries;
}

// Tables within tables as dotted keys: parameters are named like that.
void flatten(const toml::table& table, const std::string& prefix, std::vector<Entry>& leaves) {
  for (Entry& entry : entries_of(table)) {
    entry.key = prefix + entry.key;
    if (const toml::table* inner = entry.node->as_table()) {
      flatten(*inner, entry.key + ".", leaves);
    } else {
      leaves.push_back(std::move(entry));
    }
  }
}

std::vector<Entry> leaves_of(const toml::table& table) {
  std::vector<Entry> leaves;
  flatten(table, "", leaves);
  return leaves;
}

unsigned line_of(const toml::node& node) { return node.source().begin.line; }

class Reader {
 public:
  explicit Reader(const std::string& file) { spec_.file = file; }

  SweepSpec read(const toml::table& root) {
    spec_.name = std::filesystem::path(spec_.file).stem().string();
    for (const Entry& entry : entries_of(root)) read_top(entry);
    // Parts name axes, so they come last, wherever they stand.
    if (const toml::node* node = root.get("include")) read_parts("include", *node, spec_.include);
    if (const toml::node* node = root.get("exclude")) read_parts("exclude", *node, spec_.exclude);
    check_placeholders();
    for (const SweepAxis& axis : spec_.axes) check_use(axis);
    return std::move(spec_);
  }

 private:
  [[noreturn]] void fail(unsigned line, std::string what, std::string hint = {}) const {
    throw Error(std::move(what), spec_place(spec_.file, line), std::move(hint));
  }

  void read_top(const Entry& entry) {
    if (!contains(kTopKeys, entry.key)) {
      const std::string near = suggestion(entry.key, kTopKeys);
      fail(entry.line, fmt::format("unknown key '{}'", entry.key),
           near.empty() ? fmt::format("known: {}", fmt::join(kTopKeys, ", ")) : near);
    }
    if (entry.key == "name") {
      read_name(entry);
    } else if (entry.key == "description") {
      spec_.description = text_of(entry);
    } else if (entry.key == "figures") {
      for (const SpecText& figure : texts_of(entry)) spec_.figures.push_back(figure.text);
    } else if (entry.key == "axes") {
      for (const Entry& axis : entries_of(table_of(entry))) read_axis(axis);
    } else if (entry.key == "cell") {
      for (const Entry& field : entries_of(table_of(entry)))
        read_field(field, spec_.cell, "[cell]");
    }
  }

  // It becomes a file's name.
  void read_name(const Entry& entry) {
    spec_.name = text_of(entry);
    if (spec_.name.empty() || spec_.name.front() == '.' ||
        spec_.name.find('/') != std::string::npos)
      fail(entry.line, fmt::format("'{}' cannot be the name of a file", spec_.name),
           "the name becomes NAME.csv in the output folder");
  }

  // --- values ---------------------------------------------------------------------------------

  const toml::table& table_of(const Entry& entry) const {
    if (const toml::table* table = entry.node->as_table()) return *table;
    fail(entry.line, fmt::format("'{}' is not a table", entry.key),
         fmt::format("write [{}] on a line of its own", entry.key));
  }

  std::string text_of(const Entry& entry) const {
    if (const auto* text = entry.node->as_string()) return text->get();
    fail(entry.line, fmt::format("'{}' must be a string", entry.key));
  }

  std::string scalar_of(const std::string& key, const toml::node& node) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    fail(line_of(node), fmt::format("a value of '{}' is not a string, a number or a boolean", key));
  }

  // One value, or a list of them.
  std::vector<SpecText> texts_of(const Entry& entry) const {
    std::vector<SpecText> texts;
    const auto add = [&](const toml::node& node) {
      texts.push_back({scalar_of(entry.key, node), line_of(node)});
    };
    if (const toml::array* list = entry.node->as_array()) {
      for (const toml::node& item : *list) add(item);
    } else {
      add(*entry.node);
    }
    return texts;
  }

  // --- cells ----------------------------------------------------------------------------------

  void read_field(const Entry& entry, CellTemplate& cell, const std::string& place) const {
    if (entry.key == kSet) {
      for (const Entry& leaf : leaves_of(table_of(entry)))
        cell.set[leaf.key] = {scalar_of(leaf.key, *leaf.node), leaf.line};
      return;
    }
    if (!contains(kCellFields, entry.key)) {
      std::vector<std::string> known = kCellFields;
      known.emplace_back(kSet);
      const std::string near = suggestion(entry.key, known);
      fail(entry.line, fmt::format("unknown key '{}' of {}", entry.key, place),
           near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
    }
    if (entry.node->is_array() && !contains(kListFields, entry.key)) {
      fail(entry.line, fmt::format("'{}' of {} takes one value", entry.key, place),
           fmt::format("several values make an axis: write the list into [axes] as {} = […]",
                       entry.key));
    }
    cell.fields[entry.key] = texts_of(entry);
  }

  // --- axes -----------------------------------------------------------------------------------

  void read_axis(const Entry& entry) {
    if (entry.key != kSet) return add_axis(entry, false);
    for (const Entry& leaf : leaves_of(table_of(entry))) add_axis(leaf, true);
  }

  void add_axis(const Entry& entry, bool is_parameter) {
    const auto same = [&](const SweepAxis& axis) { return axis.name == entry.key; };
    if (std::ranges::any_of(spec_.axes, same))
      fail(entry.line, fmt::format("axis '{}' is defined twice", entry.key));
    const toml::array* list = entry.node->as_array();
    if (list == nullptr)
      fail(entry.line, fmt::format("axis '{}' is not a list of values", entry.key),
           fmt::format("write {} = [{}]", entry.key, example_of(*entry.node)));
    if (list->empty()) fail(entry.line, fmt::format("axis '{}' has no values", entry.key));
    if (is_parameter) parameters_.insert(entry.key);
    SweepAxis axis{entry.key, {}, entry.line};
    for (const toml::node& item : *list) {
      AxisValue value = axis_value(entry.key, item);
      const auto equal = [&](const AxisValue& other) { return other.label == value.label; };
      if (std::ranges::any_of(axis.values, equal))
        fail(value.line, fmt::format("axis '{}' lists '{}' twice", entry.key, value.label));
      axis.values.push_back(std::move(value));
    }
    spec_.axes.push_back(std::move(axis));
  }

  static std::string example_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return fmt::format("\"{}\"", text->get());
    if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
    return "…";
  }

  AxisValue axis_value(const std::string& axis, const toml::node& node) const {
    AxisValue value;
    value.line = line_of(node);
    if (const toml::table* table = node.as_table()) {
      read_labelled(axis, *table, value);
      return value;
    }
    const bool is_list = contains(kListFields, axis);
    if (node.is_array() && !is_list)
      fail(value.line, fmt::format("a value of axis '{}' is a list", axis),
           "only arguments and inputs have lists for values; others take a string, a number or a "
           "table with a label");
    std::vector<SpecText> texts = texts_of({axis, &node, value.line});
    std::vector<std::string> words;
    for (const SpecText& text : texts) words.push_back(text.text);
    value.label = node.is_array() ? shell_quoted(words) : words.front();
    if (parameters_.contains(axis)) {
      value.changes.set[axis] = texts.front();
    } else if (contains(kCellFields, axis)) {
      value.changes.fields[axis] = std::move(texts);
    }
    return value;
  }

  // { label = "small", program = "matmul", arguments = [64] }
  void read_labelled(const std::string& axis, const toml::table& table, AxisValue& value) const {
    for (const Entry& entry : entries_of(table)) {
      if (entry.key == kLabel) {
        value.label = scalar_of(kLabel, *entry.node);
      } else {
        read_field(entry, value.changes, fmt::format("a value of axis '{}'", axis));
      }
    }
    if (value.label.empty())
      fail(value.line, fmt::format("a value of axis '{}' has no label", axis),
           "write { label = \"small\", … }");
  }

  // --- include and exclude ---------------------------------------------------------------------

  void read_parts(const std::string& key, const toml::node& node,
                  std::vector<SweepPart>& parts) const {
    const toml::array* list = node.as_array();
    const auto is_table = [](const toml::node& item) { return item.is_table(); };
    if (list == nullptr || !std::all_of(list->begin(), list->end(), is_table))
      fail(line_of(node), fmt::format("'{}' is not a list of tables", key),
           fmt::format("write [[{}]] on a line of its own", key));
    for (const toml::node& item : *list)
      parts.push_back(part_of(*item.as_table(), key == "include"));
  }

  SweepPart part_of(const toml::table& table, bool may_add) const {
    SweepPart part{std::vector<std::vector<AxisValue>>(spec_.axes.size()), line_of(table)};
    std::vector<Entry> leaves;
    for (const Entry& entry : entries_of(table)) {
      const toml::table* inner = entry.node->as_table();
      if (inner == nullptr) {
        leaves.push_back(entry);
      } else {
        flatten(*inner, entry.key == kSet ? "" : entry.key + ".", leaves);
      }
    }
    for (const Entry& leaf : leaves) {
      const std::size_t axis = axis_named(leaf);
      if (const toml::array* list = leaf.node->as_array()) {
        for (const toml::node& item : *list)
          part.values[axis].push_back(chosen_value(spec_.axes[axis], item, may_add));
      } else {
        part.values[axis].push_back(chosen_value(spec_.axes[axis], *leaf.node, may_add));
      }
    }
    return part;
  }

  std::size_t axis_named(const Entry& entry) const {
    std::vector<std::string> names;
    for (const SweepAxis& axis : spec_.axes) names.push_back(axis.name);
    const auto found = std::ranges::find(names, entry.key);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const std::string near = suggestion(entry.key, names);
    fail(entry.line, fmt::format("'{}' is not an axis", entry.key),
         near.empty() ? fmt::format("the axes are {}", fmt::join(names, ", ")) : near);
  }

  // A value that the axis has, or, where it may be added, one like them.
  AxisValue chosen_value(const SweepAxis& axis, const toml::node& node, bool may_add) const {
    AxisValue value = axis_value(axis.name, node);
    std::vector<std::string> labels;
    for (const AxisValue& known : axis.values) {
      if (known.label == value.label) return known;
      labels.push_back(known.label);
    }
    const bool labelled = !node.is_table() && value.changes.empty() &&
                          std::ranges::any_of(axis.values, [](const AxisValue& known) {
                            return !known.changes.empty();
                          });
    if (may_add && !labelled) return value;
    const std::string near = suggestion(value.label, labels);
    fail(value.line, fmt::format("axis '{}' has no value '{}'", axis.name, value.label),
         near.empty() ? fmt::format("its values are {}", fmt::join(labels, ", ")) : near);
  }

  // --- placeholders ----------------------------------------------------------------------------

  template <class Visit>
  static void each_text(const CellTemplate& cell, Visit visit) {
    for (const auto& [key, texts] : cell.fields) {
      for (const SpecText& text : texts) visit(text);
    }
    for (const auto& [key, text] : cell.set) visit(text);
  }

  void check_placeholders() {
    std::vector<std::string> names;
    for (const SweepAxis& axis : spec_.axes) names.push_back(axis.name);
    const auto check = [&](const SpecText& text) {
      for (const std::string& name : placeholders_in(text, spec_.file)) {
        used_.insert(name);
        if (contains(names, name)) continue;
        const std::string near = suggestion(name, names);
        fail(text.line, fmt::format("{{{}}} does not name an axis", name),
             !near.empty()   ? near
             : names.empty() ? "the sweep has no [axes]"
                             : fmt::format("the axes are {}", fmt::join(names, ", ")));
      }
    };
    each_text(spec_.cell, check);
    for (const SweepAxis& axis : spec_.axes) {
      for (const AxisValue& value : axis.values) each_text(value.changes, check);
    }
    for (const SweepPart& part : spec_.include) {
      for (const std::vector<AxisValue>& values : part.values) {
        for (const AxisValue& value : values) each_text(value.changes, check);
      }
    }
  }

  void check_use(const SweepAxis& axis) const {
    const auto changes = [](const AxisValue& value) { return !value.changes.empty(); };
    if (used_.contains(axis.name) || std::ranges::any_of(axis.values, changes)) return;
    const std::string near = suggestion(axis.name, kCellFields);
    fail(axis.line, fmt::format("axis '{}' changes nothing", axis.name),
         near.empty()
             ? fmt::format("use it in [cell], for example arguments = [\"{{{}}}\"]", axis.name)
             : near);
  }

  SweepSpec spec_;
  std::set<std::string, std::less<>> parameters_;  // axes that are written as set.KEY
  std::set<std::string, std::less<>> used_;        // names between braces
};

}  // namespace

SweepSpec parse_sweep_spec(std::string_view text, const std::string& file) {
  return Reader(file).read(machine::parse_toml(text, file));
}

SweepSpec read_sweep_spec(const std::string& file) {
  return parse_sweep_spec(read_file(file), file);
}

}  // namespace raddle::experiment
