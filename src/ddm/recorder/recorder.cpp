// Makes a program record itself instead of running on this machine's cores: linked into programs
// that were compiled with the plug-in, it takes over where RADDLE_DDM_RECORD names a file.
// Where RADDLE_DDM_CHECK names a file, it looks for races instead, and writes them there.
// RADDLE_DDM_NODES lists the numbers of nodes to place threads for: "1,2,4"; default 1.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "ddm/recorder/graph_recorder.h"
#include "ddm/recorder/probe.h"

namespace raddle::ddm {
namespace {

std::vector<std::uint32_t> node_counts() {
  const char* text = std::getenv("RADDLE_DDM_NODES");
  std::vector<std::uint32_t> counts;
  for (const char* at = text == nullptr ? "1" : text; *at != '\0';) {
    char* end = nullptr;
    const unsigned long count = std::strtoul(at, &end, 10);
    if (end == at || count == 0 || count > 4096) {
      throw Error("RADDLE_DDM_NODES is '" + std::string(text) + "'", "",
                  "it lists numbers of nodes from 1 to 4096, such as 1,2,4");
    }
    counts.push_back(static_cast<std::uint32_t>(count));
    at = *end == ',' ? end + 1 : end;
  }
  return counts;
}

// Lives as long as the program; the recording is written when it ends.
class Recorder {
 public:
  Recorder() {
    file_ = std::getenv("RADDLE_DDM_RECORD");
    check_file_ = std::getenv("RADDLE_DDM_CHECK");
    if (file_ == nullptr && check_file_ == nullptr) return;
    const std::vector<std::uint32_t> counts = node_counts();
    graph_ = std::make_unique<GraphRecorder>(counts);
    if (check_file_ != nullptr) graph_->check_for_races();
    executor_ = make_observed_executor(*graph_, static_cast<int>(counts.back()));
    set_default_executor(executor_.get());
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() {
    if (!graph_) return;
    set_default_executor(nullptr);
    const char* program = std::getenv("RADDLE_DDM_PROGRAM");
    const char* file = check_file_ != nullptr ? check_file_ : file_;
    std::ofstream out(file, std::ios::binary);
    if (check_file_ != nullptr) {
      graph_->write_races(out);
    } else {
      recording::write(out, graph_->recording(program == nullptr ? "" : program));
    }
    out.close();
    if (!out) {
      std::fprintf(stderr, "raddle: the recording '%s' cannot be written: %s\n", file,
                   std::strerror(errno));
      std::_Exit(1);
    }
  }

 private:
  // Names stay out of the heap, whose layout would otherwise depend on where the file lies.
  const char* file_ = nullptr;
  const char* check_file_ = nullptr;
  std::unique_ptr<GraphRecorder> graph_;
  std::unique_ptr<Executor> executor_;
};

const Recorder kRecorder;

}  // namespace
}  // namespace raddle::ddm
