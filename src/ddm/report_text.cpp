// The profile of a run as a table.
#include <algorithm>
#include <cstdio>

#include "raddle/ddm/executor.h"

namespace raddle::ddm {
namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e3);
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string text(const Report& report) {
  if (report.threads.empty()) return "";
  char head[256];
  std::snprintf(head, sizeof head,
                "%.3f ms; work %.3f ms, critical path %.3f ms, parallelism %.2f; workers idle "
                "%.3f ms, of that all of them %.3f ms\n",
                report.seconds * 1e3, report.work * 1e3, report.critical_path * 1e3,
                report.parallelism(), report.idle * 1e3, report.idle_of_all * 1e3);
  std::vector<const ThreadReport*> threads;
  std::size_t width = 6;
  for (const auto& thread : report.threads) {
    threads.push_back(&thread);
    width = std::max(width, thread.block.size() + thread.thread.size() + 1);
  }
  std::ranges::stable_sort(threads, std::ranges::greater{}, &ThreadReport::seconds);
  std::string result = head + padded("thread", width) + padded("instances", 12) + padded("ms", 12) +
                       padded("longest", 12) + padded("critical", 12) + padded("idle beside", 13) +
                       "\n";
  for (const auto* thread : threads) {
    result += padded(thread->block + "/" + thread->thread, width) +
              padded(std::to_string(thread->instances), 12) +
              padded(milliseconds(thread->seconds), 12) +
              padded(milliseconds(thread->longest), 12) +
              padded(milliseconds(thread->on_critical_path), 12) +
              padded(milliseconds(thread->idle), 13) + "\n";
  }
  return result;
}

}  // namespace raddle::ddm
