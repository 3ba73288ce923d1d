// PTX has one range for an inlined subroutine, from its first instruction to its last, even where
// instructions of the caller were scheduled in between. Which of the scopes around an instruction
// it belongs to is told by its line: for every function of the source some lines are certain (those
// at the ends of its ranges, and those of the calls made in it), and a function is a stretch of
// lines, so the scope whose stretch is nearest to the line has it.
#include "lang/ptx/inlining.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace raddle::ptx {
namespace {

using kernel::kNoId;
using kernel::SourceLocation;

constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 26;

struct Lines {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = 0;

  void add(std::uint32_t line) {
    first = std::min(first, line);
    last = std::max(last, line);
  }
  std::uint32_t distance(std::uint32_t line) const {
    if (line < first) return first - line;
    return line > last ? line - last : 0;
  }
};

struct CodePlace {
  std::uint32_t function = 0;
  std::uint32_t position = 0;
};

// A scope with its labels resolved.
struct Range {
  std::uint32_t function = kNoId;  // none: the labels are not in the code
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t call = kNoId;  // Module::locations: the call it was inlined from, as a chain
};

class Inliner {
 public:
  Inliner(Context& context, std::span<const InlineScope> scopes)
      : context_(context), scopes_(scopes) {}

  void run(const std::vector<std::vector<Label>>& labels) {
    resolve(labels);
    by_function_.resize(context_.module.functions.size());
    for (std::uint32_t i = 0; i < scopes_.size(); ++i) {
      if (ranges_[i].function != kNoId) by_function_[ranges_[i].function].push_back(i);
    }
    owners_.resize(by_function_.size());
    for (std::uint32_t i = 0; i < by_function_.size(); ++i) find_innermost(i);
    for (std::uint32_t i = 0; i < by_function_.size(); ++i) learn_lines(i);
    for (std::uint32_t i = 0; i < by_function_.size(); ++i) relocate(i);
  }

 private:
  void resolve(const std::vector<std::vector<Label>>& labels) {
    std::unordered_map<std::string_view, CodePlace> places;
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
      for (const Label& label : labels[i])
        places.insert_or_assign(label.name, CodePlace{i, label.position});
    }
    ranges_.resize(scopes_.size());
    for (std::uint32_t i = 0; i < scopes_.size(); ++i) {
      const auto low = places.find(scopes_[i].low);
      const auto high = places.find(scopes_[i].high);
      if (low == places.end() || high == places.end() ||
          low->second.function != high->second.function)
        continue;
      ranges_[i] = {low->second.function, low->second.position, high->second.position, kNoId};
      const std::uint32_t parent = scopes_[i].parent;
      if (parent == kNoId) continue;
      if (ranges_[parent].function != ranges_[i].function) {
        ranges_[i].function = kNoId;
        continue;
      }
      SourceLocation call;
      call.file = context_.locations.file_index(scopes_[i].call_file);
      call.line = scopes_[i].call_line;
      call.column = scopes_[i].call_column;
      call.inlined_at = ranges_[parent].call;
      ranges_[i].call = context_.locations.intern(call);
    }
  }

  // Every instruction's innermost scope by position: inner ones come later and overwrite.
  void find_innermost(std::uint32_t function) {
    if (by_function_[function].empty()) return;
    std::size_t count = 0;
    for (const kernel::Block& block : context_.module.functions[function].blocks)
      count += block.instructions.size();
    owners_[function].assign(count, kNoId);
    for (const std::uint32_t scope : by_function_[function]) {
      const Range& range = ranges_[scope];
      const std::size_t high = std::min<std::size_t>(range.high, count);
      if (range.low < high) work_ += high - range.low;
      if (work_ > kMaxWork) return;
      for (std::size_t i = range.low; i < high; ++i) owners_[function][i] = scope;
    }
  }

  void add_line(std::uint64_t origin, std::uint32_t file, std::uint32_t line) {
    if (line != 0) lines_[{origin, file}].add(line);
  }

  void learn_lines(std::uint32_t function) {
    const std::vector<std::uint32_t>& owners = owners_[function];
    if (owners.empty()) return;
    const kernel::Module& module = context_.module;
    const SourceLocation& own = module.locations[module.functions[function].location];
    for (const std::uint32_t scope : by_function_[function]) {
      if (scopes_[scope].parent == kNoId) {
        add_line(scopes_[scope].origin, own.file, own.line);
        continue;
      }
      const SourceLocation& call = module.locations[ranges_[scope].call];
      add_line(scopes_[scopes_[scope].parent].origin, call.file, call.line);
    }
    std::uint32_t position = 0;
    for (const kernel::Block& block : module.functions[function].blocks) {
      for (const kernel::Instruction& instruction : block.instructions) {
        const std::uint32_t scope = position < owners.size() ? owners[position] : kNoId;
        if (scope != kNoId &&
            (ranges_[scope].low == position || ranges_[scope].high == position + 1)) {
          const SourceLocation& location = module.locations[instruction.location];
          add_line(scopes_[scope].origin, location.file, location.line);
        }
        ++position;
      }
    }
  }

  std::uint32_t distance(std::uint32_t scope, const SourceLocation& location) const {
    const auto found = lines_.find({scopes_[scope].origin, location.file});
    return found == lines_.end() ? std::numeric_limits<std::uint32_t>::max()
                                 : found->second.distance(location.line);
  }

  std::uint32_t nearest_scope(std::uint32_t innermost, const SourceLocation& location) {
    std::uint32_t best = innermost;
    std::uint32_t least = distance(innermost, location);
    for (std::uint32_t scope = scopes_[innermost].parent; scope != kNoId && least > 0;
         scope = scopes_[scope].parent) {
      if (++work_ > kMaxWork) return best;
      const std::uint32_t candidate = distance(scope, location);
      if (candidate >= least) continue;
      least = candidate;
      best = scope;
    }
    return best;
  }

  void relocate(std::uint32_t function) {
    const std::vector<std::uint32_t>& owners = owners_[function];
    if (owners.empty()) return;
    std::uint32_t position = 0;
    for (kernel::Block& block : context_.module.functions[function].blocks) {
      for (kernel::Instruction& instruction : block.instructions) {
        const std::uint32_t innermost = position < owners.size() ? owners[position] : kNoId;
        ++position;
        SourceLocation location = context_.module.locations[instruction.location];
        if (innermost == kNoId || location.line == 0 || location.inlined_at != kNoId) continue;
        location.inlined_at = ranges_[nearest_scope(innermost, location)].call;
        if (location.inlined_at != kNoId)
          instruction.location = context_.locations.intern(location);
      }
    }
  }

  Context& context_;
  std::span<const InlineScope> scopes_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::uint32_t>> by_function_;
  std::vector<std::vector<std::uint32_t>> owners_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Lines>
      lines_;  // by function of the source and file
  std::uint64_t work_ = 0;
};

}  // namespace

void apply_inlining(Context& context, std::span<const InlineScope> scopes,
                    const std::vector<std::vector<Label>>& labels) {
  if (!scopes.empty()) Inliner(context, scopes).run(labels);
}

}  // namespace raddle::ptx
