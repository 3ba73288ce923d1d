#include "lang/cuda/dependency_manifest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Made by a process that is no more. Another machine, which shares the cache, may have one of that
// number; what it works on is young.
bool is_left_behind(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (!name.starts_with("new-")) return false;
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
  if (error || age < std::chrono::hours(1)) return false;
  const int process = std::atoi(name.c_str() + name.rfind('-') + 1);
  return process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

fs::path manifest_path(const std::string& folder, const std::string& request) {
  return fs::path(folder) / "manifests" / request;
}

}  // namespace

std::vector<std::string> dependency_files(std::string_view rules) {
  std::set<std::string> files;
  std::string name;
  const auto finish = [&] {
    if (!name.empty() && name != "program:") files.insert(name);
    name.clear();
  };
  // "program: a.cu \⏎ b.h"; blanks within names are written `\ `.
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const char c = rules[i];
    const char next = i + 1 < rules.size() ? rules[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#')) {
      name += next;
      ++i;
    } else if (c == '$' && next == '$') {
      name += c;
      ++i;
    } else if (c == '\\' && next == '\n') {
      finish();
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t') {
      finish();
    } else {
      name += c;
    }
  }
  finish();
  return {files.begin(), files.end()};
}

std::optional<std::string> content_key(const std::string& request,
                                       const std::vector<std::string>& files) {
  ContentHash hash;
  hash.add(request);
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    hash.add(file).add(read_file(file));
  }
  return hash.hex();
}

std::optional<std::string> find_entry(const std::string& folder, const std::string& request) {
  std::error_code ignored;
  const fs::path manifest = manifest_path(folder, request);
  if (!fs::is_regular_file(manifest, ignored)) return std::nullopt;
  return content_key(request, split_lines(read_file(manifest)));
}

std::string store_manifest(const std::string& folder, const std::string& request,
                           std::string_view rules) {
  const std::vector<std::string> files = dependency_files(rules);
  const std::optional<std::string> key = content_key(request, files);
  if (!key) throw Error("a source file disappeared during compilation");
  std::string text;
  for (const std::string& file : files) text += file + "\n";
  make_cache_folder(manifest_path(folder, request).parent_path().string());
  write_file_atomically(manifest_path(folder, request), text);
  return *key;
}

void make_cache_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("cannot create folder '{}': {}", folder, error.message()), {},
                "choose another folder with -o, or set RADDLE_CACHE_DIR");
  }
}

std::string make_fresh_folder(const std::string& parent, const std::string& key) {
  make_cache_folder(parent);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (is_left_behind(entry)) fs::remove_all(entry.path(), ignored);
  }
  std::string fresh = (fs::path(parent) / fmt::format("new-{}-{}", key, getpid())).string();
  make_cache_folder(fresh);
  return fresh;
}

}  // namespace raddle::cuda
