// What is wrong with a Cg program: each fault has its line, column and length, so that it can be
// shown below the source line with a caret, and a hint where there is something to say. Faults are
// collected, so that one run reports several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lang/cg/syntax/source_files.h"

namespace raddle::cg {

struct Diagnostic {
  bool is_error = true;
  Place place;
  std::string message;
  std::string hint;
};

// A fault that is found where the text is no longer at hand; whoever has it shows the line.
class PlacedError : public Error {
 public:
  PlacedError(const std::string& file_name, Place place, const std::string& what,
              const std::string& hint = {});
  Place place() const { return place_; }

 private:
  Place place_;
};

class Diagnostics {
 public:
  Diagnostics(std::string_view text, std::string file_name)
      : sources_(std::make_shared<SourceFiles>(text, std::move(file_name))) {}
  explicit Diagnostics(std::shared_ptr<SourceFiles> sources) : sources_(std::move(sources)) {}

  SourceFiles& sources() { return *sources_; }
  const std::shared_ptr<SourceFiles>& shared_sources() const { return sources_; }

  void error(Place place, std::string message, std::string hint = {});
  void warning(Place place, std::string message, std::string hint = {});

  // What was said since all() had `first` entries, which is taken away and can be put back.
  std::vector<Diagnostic> take(std::size_t first);
  void put(const std::vector<Diagnostic>& diagnostics);

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  // So many that going on would not help.
  bool is_full() const { return error_count_ >= kMaxErrors; }
  const std::vector<Diagnostic>& all() const { return all_; }

  // "file:line:column: error: …", the source line, a caret below it, and the hint.
  std::string render(const Diagnostic& diagnostic) const;
  // Throws one raddle::Error that shows every error, if there is any.
  void throw_if_errors() const;
  // Throws the error with its line.
  [[noreturn]] void throw_shown(const PlacedError& error);

  static constexpr std::size_t kMaxErrors = 20;

 private:
  std::string body(const Diagnostic& diagnostic) const;

  std::shared_ptr<SourceFiles> sources_;
  std::vector<Diagnostic> all_;
  std::size_t error_count_ = 0;
};

}  // namespace raddle::cg
