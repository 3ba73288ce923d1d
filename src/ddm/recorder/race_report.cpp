// Races in words: both threads with their index and invocation, what they do at which source lines,
// and what lies at the address.
#include <ostream>

#include "ddm/graph_walk.h"
#include "ddm/recorder/graph_recorder.h"

namespace raddle::ddm {
namespace {

std::string line_of(const probe::Site* site) {
  if (site == nullptr || site->file == nullptr) return "an unknown line";
  return std::string(site->file) + ":" + std::to_string(site->line);
}

std::string hexadecimal(std::uint64_t number) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[number % 16]);
    number /= 16;
  } while (number != 0);
  return "0x" + text;
}

}  // namespace

void GraphRecorder::check_for_races() {
  checker_ = std::make_unique<RaceChecker>();
  stream_.set_checker(checker_.get());
}

std::string GraphRecorder::name_of(Number number) const {
  const Origin& origin = origins_.at(number);
  std::string name;
  switch (origin.activity) {
    case Activity::kInlet: name = "the inlet of block '" + origin.graph->name + "'"; break;
    case Activity::kOutlet: name = "the outlet of block '" + origin.graph->name + "'"; break;
    case Activity::kThread: name = thread_name(*origin.graph, origin.thread, origin.at); break;
  }
  if (origin.invocation != 0) name += " (context " + std::to_string(origin.invocation) + ")";
  return name;
}

std::string GraphRecorder::place_of(const Race& race) const {
  for (const probe::Site* site : {race.later_site, race.earlier_site}) {
    if (site != nullptr && site->variable != nullptr)
      return "variable '" + std::string(site->variable) + "'";
  }
  std::string place =
      "address " + hexadecimal(race.page * kPageBytes + race.host_address % kPageBytes);
  for (const auto& [key, context] : contexts_) {
    const auto frame = stream_.steady_address(context.frame);
    if (race.host_address < frame || race.host_address >= frame + context.graph->frame.size)
      continue;
    return place + " (byte " + std::to_string(race.host_address - frame) +
           " of the frame of block '" + context.graph->name + "')";
  }
  return place;
}

void GraphRecorder::describe_races() {
  for (std::size_t i = race_reports_.size(); i < checker_->races().size(); ++i) {
    const Race& race = checker_->races()[i];
    const bool reads = race.kind == Race::Kind::kReadAfterWrite;
    const bool was_read = race.kind == Race::Kind::kWriteAfterRead;
    race_reports_.push_back(line_of(race.later_site) + ": " + name_of(race.later) +
                            (reads ? " reads" : " writes") + " what " + name_of(race.earlier) +
                            (was_read ? " reads" : " writes") + " at " +
                            line_of(race.earlier_site) +
                            ", and no arcs put them in order\n  both access " + place_of(race));
  }
}

void GraphRecorder::write_races(std::ostream& out) const {
  constexpr std::size_t kMaxReports = 20;
  for (std::size_t i = 0; i < race_reports_.size(); ++i) {
    if (i == kMaxReports) {
      out << race_reports_.size() - i << " more kinds of such accesses\n";
      return;
    }
    const std::uint64_t others = checker_->races()[i].pairs - 1;
    out << race_reports_[i];
    if (others > 0)
      out << "; " << others << " more " << (others > 1 ? "pairs" : "pair") << " of threads";
    out << '\n';
  }
}

}  // namespace raddle::ddm
