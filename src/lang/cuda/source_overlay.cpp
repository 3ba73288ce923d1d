#include "lang/cuda/source_overlay.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lang/cuda/alignment_syntax.h"
#include "lang/cuda/asm_syntax.h"
#include "lang/cuda/launch_syntax.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

// The text between the quotes or brackets of an #include line, with its opening character in front.
std::optional<std::string> included_name(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const std::size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(0, end));
}

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<std::string> name = included_name(text.substr(0, end)))
      names.push_back(std::move(*name));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::string json_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// A word that begins with "cuda" or "cu" and a capital letter: cudaMalloc, cuInit …
bool mentions_interface(std::string_view text) {
  const auto is = [&](std::size_t place, int (*kind)(int)) {
    return place < text.size() && kind(static_cast<unsigned char>(text[place])) != 0;
  };
  for (std::size_t place = text.find("cu"); place != std::string_view::npos;
       place = text.find("cu", place + 2)) {
    const bool begins_word = place == 0 || (!is(place - 1, std::isalnum) && text[place - 1] != '_');
    const std::size_t end = place + (text.substr(place).starts_with("cuda") ? 4 : 2);
    if (begins_word && is(end, std::isupper)) return true;
  }
  return false;
}

// What nvcc takes and clang does not, in clang's way; nothing if it needs no change.
std::optional<std::string> rewritten_source(const std::string& text) {
  std::optional<std::string> result;
  for (const auto rewrite :
       {&join_launch_brackets, &double_register_percents, &exchange_alignments}) {
    if (std::optional<std::string> changed = rewrite(result ? *result : text))
      result = std::move(changed);
  }
  return result;
}

class Preparation {
 public:
  Preparation(const CompileRequest& request, const TemporaryFolder& folder) : folder_(folder) {
    for (std::size_t i = 0; i + 1 < request.common_flags.size(); i += 2) {
      if (request.common_flags[i] == "-I")
        include_folders_.emplace_back(request.common_flags[i + 1]);
    }
    include_folders_.emplace_back("/usr/include");
  }

  void add(const fs::path& path, const std::string& text) {
    if (!seen_.insert(fs::absolute(path).lexically_normal()).second) return;
    result.files.push_back(path.string());
    result.mentions_cuda = result.mentions_cuda || text.find("__global__") != std::string::npos ||
                           mentions_interface(text);
    if (const std::optional<std::string> rewritten = rewritten_source(text))
      replace(path, *rewritten);
    for (const std::string& name : included_names(text)) {
      const std::string bare = name.substr(1);
      // Thrust and CUB bring the kernels of those who have none.
      result.mentions_cuda =
          result.mentions_cuda || bare.starts_with("thrust/") || bare.starts_with("cub/");
      result.includes_dmt = result.includes_dmt || bare == "dmt.h" || bare == "raddle/dmt.h";
      // libcu++ has register names in inline PTX that clang does not take, too.
      if (name[0] == '"' || bare.starts_with("cuda/")) add_included(path.parent_path(), bare);
    }
  }

  SourceOverlay finish() {
    if (replaced_.empty()) return result;
    std::string overlay = "{\"version\": 0, \"use-external-names\": false, \"roots\": [";
    for (std::size_t i = 0; i < replaced_.size(); ++i) {
      overlay +=
          fmt::format("{}\n  {{\"type\": \"file\", \"name\": {}, \"external-contents\": {}}}",
                      i == 0 ? "" : ",", json_quoted(replaced_[i].original),
                      json_quoted(replaced_[i].rewritten));
    }
    result.overlay_file = folder_.file("overlay.json");
    write_scratch_file(result.overlay_file, overlay + "\n]}\n");
    return result;
  }

  SourceOverlay result;

 private:
  struct Replacement {
    std::string original, rewritten;
  };

  void add_included(const fs::path& from, const std::string& name) {
    std::vector<fs::path> folders{from};
    folders.insert(folders.end(), include_folders_.begin(), include_folders_.end());
    for (const fs::path& folder : folders) {
      const fs::path candidate = folder / name;
      std::error_code ignored;
      if (!fs::is_regular_file(candidate, ignored)) continue;
      add(candidate, read_file(candidate));
      return;
    }
  }

  void replace(const fs::path& path, const std::string& text) {
    const std::string rewritten = folder_.file(fmt::format("rewritten-{}", replaced_.size()));
    write_scratch_file(rewritten, text);
    replaced_.push_back({fs::absolute(path).lexically_normal().string(), rewritten});
  }

  const TemporaryFolder& folder_;
  std::vector<fs::path> include_folders_;
  std::set<fs::path> seen_;
  std::vector<Replacement> replaced_;
};

std::string read_source(const std::string& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::exists(status)) throw Error(fmt::format("no such file: '{}'", source));
  if (fs::is_directory(status)) throw Error("this is a folder, not a program", source);
  std::string text = read_file(source);
  if (text.find('\0') != std::string::npos)
    throw Error("not CUDA source: the file holds binary data", source);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error("not CUDA source: the file is empty", source);
  return text;
}

}  // namespace

SourceOverlay prepare_source(const std::string& source, const CompileRequest& request,
                             const TemporaryFolder& folder) {
  Preparation preparation(request, folder);
  preparation.add(source, read_source(source));
  return preparation.finish();
}

}  // namespace raddle::cuda
