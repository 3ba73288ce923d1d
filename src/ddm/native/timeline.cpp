#include "ddm/native/timeline.h"

#include <cstdio>
#include <fstream>

#include "ddm/graph_walk.h"

namespace raddle::ddm::native {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string microseconds(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(time.count()) / 1000);
  return text;
}

}  // namespace

void Timeline::write(int node) const {
  std::ofstream out(file_);
  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  out << R"({"ph":"M","name":"process_name","pid":)" << node << R"(,"args":{"name":"node )" << node
      << "\"}}";
  for (std::size_t worker = 0; worker < events_.size(); ++worker) {
    out << ",\n"
        << R"({"ph":"M","name":"thread_name","pid":)" << node << ",\"tid\":" << worker
        << R"(,"args":{"name":"worker )" << worker << "\"}}";
    for (const auto& event : events_[worker]) {
      out << ",\n{\"ph\":\"X\",\"name\":\"" << escaped(event.thread->thread->name)
          << "\",\"cat\":\"" << escaped(event.block->block->name) << "\",\"pid\":" << node
          << ",\"tid\":" << worker << ",\"ts\":" << microseconds(event.begin - start_)
          << ",\"dur\":" << microseconds(event.end - event.begin) << ",\"args\":{\"first\":\""
          << index_text(*event.thread->thread, event.first) << "\",\"instances\":" << event.count
          << "}}";
    }
    for (const auto& [begin, end] : waits_[worker]) {
      out << ",\n{\"ph\":\"X\",\"name\":\"no thread is ready\",\"cat\":\"idle\",\"pid\":" << node
          << ",\"tid\":" << worker << ",\"ts\":" << microseconds(begin - start_)
          << ",\"dur\":" << microseconds(end - begin) << "}";
    }
  }
  out << "\n]}\n";
  if (!out.flush())
    throw Error("the timeline cannot be written", file_, "choose another file for Options::trace");
}

}  // namespace raddle::ddm::native
