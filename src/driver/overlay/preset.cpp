#include "driver/overlay/preset.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.h"

namespace raddle::driver::overlay {
namespace {

using machine::overlay::Addressing;
using machine::overlay::Filter;

constexpr unsigned kMaxPasses = 64;

struct Entry {
  std::string value;
  unsigned line = 0;
};

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& file_name) : file_name_(file_name) {}

  Preset read(std::string_view text) {
    split(text);
    const Entry* count = find("shaders");
    if (count == nullptr)
      throw Error("the preset does not say how many shaders it has", file_name_,
                  "add a line such as: shaders = 1");
    const auto passes = number(*count);
    if (passes < 1 || passes > kMaxPasses || passes != static_cast<unsigned>(passes))
      fail(*count, fmt::format("a preset has 1 to {} shaders, not {}", kMaxPasses, count->value));
    for (unsigned i = 0; i < static_cast<unsigned>(passes); ++i)
      pass(i, i + 1 == static_cast<unsigned>(passes));
    textures();
    parameters();
    return std::move(preset_);
  }

 private:
  [[noreturn]] void fail(const Entry& entry, const std::string& what) const {
    throw Error(what, fmt::format("{}:{}", file_name_, entry.line));
  }

  void split(std::string_view text) {
    unsigned line = 0;
    bool in_comment = false;  // of the kind that /* begins
    while (!text.empty()) {
      ++line;
      const std::size_t end = text.find('\n');
      std::string_view rest = trimmed(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (in_comment || rest.starts_with("/*")) {
        in_comment = rest.find("*/") == std::string_view::npos;
        continue;
      }
      if (rest.empty() || rest.starts_with('#') || rest.starts_with("//")) continue;
      const std::size_t equals = rest.find('=');
      if (equals == std::string_view::npos || equals == 0)
        throw Error(fmt::format("'{}' is not KEY = VALUE", rest),
                    fmt::format("{}:{}", file_name_, line));
      const std::string_view key = trimmed(rest.substr(0, equals));
      std::string_view value = trimmed(rest.substr(equals + 1));
      if (value.starts_with('"')) {
        value = value.substr(1, value.find('"', 1) - 1);
      } else {
        value = value.substr(0, value.find('#'));
        value = trimmed(value.substr(0, value.find(" //")));
      }
      entries_[std::string(key)] = {std::string(value), line};
    }
  }

  const Entry* find(const std::string& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  double number(const Entry& entry) const {
    double value = 0;
    const char* end = entry.value.data() + entry.value.size();
    const auto [stop, status] = std::from_chars(entry.value.data(), end, value);
    if (status != std::errc{} || stop != end)
      fail(entry, fmt::format("'{}' is not a number", entry.value));
    return value;
  }

  bool flag(const std::string& key) const {
    const Entry* entry = find(key);
    if (entry == nullptr) return false;
    if (entry->value == "true" || entry->value == "1") return true;
    if (entry->value == "false" || entry->value == "0") return false;
    fail(*entry, fmt::format("'{}' is not true or false", entry->value));
  }

  Sampling sampling(const std::string& linear, const std::string& wrap,
                    const std::string& mipmap) const {
    Sampling result;
    result.mipmaps = flag(mipmap);
    if (flag(linear)) result.filter = Filter::kBilinear;
    const Entry* entry = find(wrap);
    if (entry == nullptr) return result;
    if (entry->value == "repeat") {
      result.addressing = Addressing::kRepeat;
    } else if (entry->value == "mirrored_repeat") {
      result.addressing = Addressing::kMirror;
    } else if (entry->value == "clamp_to_edge") {
      result.addressing = Addressing::kClamp;
    } else if (entry->value != "clamp_to_border") {
      fail(*entry,
           fmt::format("unknown wrap mode '{}'; known: clamp_to_edge, clamp_to_border, repeat "
                       "or mirrored_repeat",
                       entry->value));
    }
    return result;
  }

  PassScale scale(unsigned pass, char axis, bool is_last) const {
    PassScale result;
    const Entry* kind = find(fmt::format("scale_type_{}{}", axis, pass));
    if (kind == nullptr) kind = find(fmt::format("scale_type{}", pass));
    const Entry* factor = find(fmt::format("scale_{}{}", axis, pass));
    if (factor == nullptr) factor = find(fmt::format("scale{}", pass));
    if (factor != nullptr) result.factor = number(*factor);
    if (factor != nullptr && !(result.factor > 0))
      fail(*factor, fmt::format("scale {} gives an empty image", factor->value));
    if (kind == nullptr) {
      // The last pass goes to the screen unless it says otherwise.
      if (is_last && factor == nullptr) result.kind = PassScale::Kind::kViewport;
      return result;
    }
    if (kind->value == "viewport") {
      result.kind = PassScale::Kind::kViewport;
    } else if (kind->value == "absolute") {
      result.kind = PassScale::Kind::kAbsolute;
    } else if (kind->value != "source") {
      fail(*kind,
           fmt::format("'{}' is not a scale type: source, viewport or absolute", kind->value));
    }
    return result;
  }

  std::string path_of(const Entry& entry) const {
    return (std::filesystem::path(file_name_).parent_path() / entry.value)
        .lexically_normal()
        .string();
  }

  void pass(unsigned number_of_pass, bool is_last) {
    const auto key = [&](const char* stem) { return fmt::format("{}{}", stem, number_of_pass); };
    const Entry* shader = find(key("shader"));
    if (shader == nullptr)
      throw Error(fmt::format("the preset has no shader{}", number_of_pass), file_name_);
    PresetPass made;
    made.shader = path_of(*shader);
    if (const Entry* alias = find(key("alias"))) made.alias = alias->value;
    made.input = sampling(key("filter_linear"), key("wrap_mode"), key("mipmap_input"));
    made.x = scale(number_of_pass, 'x', is_last);
    made.y = scale(number_of_pass, 'y', is_last);
    if (flag(key("srgb_framebuffer"))) made.frame_buffer = FrameBuffer::kSrgb;
    if (flag(key("float_framebuffer"))) made.frame_buffer = FrameBuffer::kFloat;
    if (const Entry* frames = find(key("frame_count_mod"))) {
      const double count = number(*frames);
      if (!(count >= 0 && count < 1e9))
        fail(*frames, fmt::format("'{}' is not a number of frames", frames->value));
      made.frames = static_cast<unsigned>(count);
    }
    preset_.passes.push_back(std::move(made));
  }

  static std::vector<std::string> list(const Entry& entry) {
    std::vector<std::string> names;
    std::string_view rest = entry.value;
    for (;;) {
      const std::size_t at = rest.find(';');
      const std::string_view name = trimmed(rest.substr(0, at));
      if (!name.empty()) names.emplace_back(name);
      if (at == std::string_view::npos) return names;
      rest.remove_prefix(at + 1);
    }
  }

  void textures() {
    const Entry* names = find("textures");
    if (names == nullptr) return;
    for (const std::string& name : list(*names)) {
      const Entry* path = find(name);
      if (path == nullptr) fail(*names, fmt::format("the texture '{}' has no file", name));
      preset_.textures.push_back(
          {name, path_of(*path),
           sampling(name + "_linear", name + "_wrap_mode", name + "_mipmap")});
    }
  }

  void parameters() {
    const Entry* names = find("parameters");
    if (names == nullptr) return;
    for (const std::string& name : list(*names)) {
      if (const Entry* value = find(name))
        preset_.parameters[name] = static_cast<float>(number(*value));
    }
  }

  const std::string& file_name_;
  std::map<std::string, Entry> entries_;
  Preset preset_;
};

}  // namespace

Preset read_preset(std::string_view text, const std::string& file_name) {
  return Reader(file_name).read(text);
}

}  // namespace raddle::driver::overlay
