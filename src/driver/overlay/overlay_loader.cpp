#include "driver/overlay/overlay_loader.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "lang/cg/compiler.h"
#include "lang/ctm/assembler.h"

namespace raddle::driver::overlay {
namespace {

cg::PredefinedMacro macro_of(const std::string& definition) {
  const std::size_t equals = definition.find('=');
  if (equals == std::string::npos) return {definition, "1"};
  return {definition.substr(0, equals), definition.substr(equals + 1)};
}

cg::Options options_of(const std::string& flags) {
  cg::Options options;
  const std::vector<std::string> words = shell_words(flags);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-O0" || word == "-O1") {
      options.level = word == "-O1" ? 1 : 0;
    } else if (word.starts_with("-D") && word.size() > 2) {
      options.macros.push_back(macro_of(word.substr(2)));
    } else if (word == "-D" && i + 1 < words.size()) {
      options.macros.push_back(macro_of(words[++i]));
    } else if (word == "-I" && i + 1 < words.size()) {
      options.include_folders.push_back(words[++i]);
    } else if (word.starts_with("-I") && word.size() > 2) {
      options.include_folders.push_back(word.substr(2));
    } else if (word == "-entry" && i + 1 < words.size()) {
      options.entry = words[++i];
    } else if (word == "-profile" && i + 1 < words.size()) {
      ++i;  // there is one processor, whatever the program was written for
    } else if (word == "-mipmaps") {
      options.mipmaps = true;
    } else if (word == "-strict") {
      options.strict = true;
    } else {
      throw Error(
          fmt::format("unknown flag '{}' for Cg", word), {},
          "flags are -O0, -O1, -DNAME[=VALUE], -I FOLDER, -entry NAME, -profile NAME, -mipmaps and "
          "-strict");
    }
  }
  return options;
}

}  // namespace

SplitArguments split_flags(const std::vector<std::string>& arguments) {
  SplitArguments split;
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with('-')) {
      split.rest.push_back(word);
      continue;
    }
    flags.push_back(word);
    const bool takes_next = word == "-entry" || word == "-profile" || word == "-D" || word == "-I";
    if (takes_next && i + 1 < arguments.size()) flags.push_back(arguments[++i]);
  }
  if (!flags.empty()) split.flags = " " + shell_quoted(flags);
  return split;
}

LoadedShader load_shader(const std::string& path, const std::string& compile_flags,
                         bool fused_mad) {
  if (path.ends_with(".ctm")) {
    return {ctm::assemble(read_file(path), path), {}, {}};
  }
  cg::Options options = options_of(compile_flags);
  options.fused_mad = fused_mad;
  cg::CompiledShader compiled = cg::compile(read_file(path), path, options);
  LoadedShader loaded{std::move(compiled.shader), {}, std::move(compiled.vertex)};
  for (const std::string& warning : compiled.warnings) loaded.notes += warning + "\n";
  return loaded;
}

std::string draw_shader(const std::string& path, const std::string& compile_flags,
                        const std::string& format) {
  return cg::explain(read_file(path), path, options_of(compile_flags),
                     format == "dot" ? "dot" : "ir");
}

}  // namespace raddle::driver::overlay
