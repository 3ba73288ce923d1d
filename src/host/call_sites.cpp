#include "host/call_sites.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/cuda/process.h"

namespace raddle::host {
namespace {

thread_local std::uint32_t launch_site = 0;

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Where this library lies in memory.
AddressRange find_own_range() {
  struct Search {
    std::uintptr_t wanted = reinterpret_cast<std::uintptr_t>(&find_own_range);
    AddressRange found;
  } search;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& here = *static_cast<Search*>(data);
        AddressRange range{~std::uintptr_t{0}, 0};
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
          range.begin = std::min(range.begin, begin);
          range.end = std::max(range.end, begin + object->dlpi_phdr[i].p_memsz);
        }
        if (!range.contains(here.wanted)) return 0;
        here.found = range;
        return 1;
      },
      &search);
  return search.found;
}

const AddressRange kOwnRange = find_own_range();

struct Unwinding {
  CallStack stack;
  std::size_t count = 0;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* data) {
  auto& unwinding = *static_cast<Unwinding*>(data);
  int before_instruction = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0) return _URC_END_OF_STACK;
  if (before_instruction == 0) --address;  // it is where the call returns to
  if (kOwnRange.contains(address)) {
    if (unwinding.count == 0) unwinding.stack.api = address;
    return _URC_NO_REASON;
  }
  unwinding.stack.frames[unwinding.count++] = address;
  return unwinding.count == CallStack::kFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// A frame's file, and where in that file.
struct FileOffset {
  std::string file;
  std::uintptr_t offset = 0;
};

std::optional<FileOffset> locate(std::uintptr_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      map == nullptr)
    return std::nullopt;
  // The program's own file has no name there; /proc has it even if it was removed meanwhile.
  return FileOffset{*map->l_name == '\0' ? fmt::format("/proc/{}/exe", getpid()) : map->l_name,
                    address - map->l_addr};
}

std::string output_of(const cuda::Command& command) {
  try {
    const StopScope scope{StopToken()};  // what ends the program has its message to give
    const cuda::MemoryFile output;
    const cuda::MemoryFile errors;
    cuda::Streams streams;
    streams.output_handle = output.handle();
    streams.error_handle = errors.handle();
    cuda::Process process(command, streams);
    return process.wait("finding source lines") == 0 ? output.content() : std::string();
  } catch (const Error&) {
    return {};
  }
}

// "././matmul.cu:31 (discriminator 2)" as messages of kernels have it: "matmul.cu:31".
SourcePlace parse_place(std::string_view text) {
  while (text.starts_with("./")) text.remove_prefix(2);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.starts_with("??")) return {};
  SourcePlace place{std::string(text.substr(0, colon)), 0};
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), place.line);
  return place;
}

// Not of the system's headers, nor of ours, wherever they are installed.
bool is_programs_own(const SourcePlace& place) {
  return place.known() && !place.file.starts_with("/usr/") &&
         place.file.find("/include/raddle/") == std::string::npos;
}

// addr2line gives for each address its line, then those that it was inlined into.
SourcePlace first_own_place(const std::string& lines) {
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const SourcePlace place = parse_place(line);
    if (is_programs_own(place)) return place;
  }
  return {};
}

SourcePlace find_place(const CallStack& stack) {
  const std::string tool = cuda::find_tool("addr2line");
  if (tool.empty()) return {};
  std::vector<FileOffset> frames;
  for (const std::uintptr_t address : stack.frames) {
    if (address == 0) break;
    auto found = locate(address);
    if (found && !found->file.starts_with("/lib") && !found->file.starts_with("/usr/"))
      frames.push_back(std::move(*found));
  }
  // One call for all that lie in one file and follow each other.
  for (std::size_t first = 0; first < frames.size();) {
    cuda::Command command{{tool, "-i", "-e", frames[first].file}, {}};
    std::size_t last = first;
    for (; last < frames.size() && frames[last].file == frames[first].file; ++last)
      command.arguments.push_back(fmt::format("{:#x}", frames[last].offset));
    const SourcePlace place = first_own_place(output_of(command));
    if (place.known()) return place;
    first = last;
  }
  return {};
}

}  // namespace

CallStack call_stack() {
  Unwinding unwinding;
  _Unwind_Backtrace(take_frame, &unwinding);
  return unwinding.stack;
}

CallSites& CallSites::get() {
  static auto* const sites = new CallSites;  // for destructors of the program, too
  return *sites;
}

LaunchSite::LaunchSite(std::uint32_t site) { launch_site = site; }
LaunchSite::~LaunchSite() { launch_site = 0; }
bool LaunchSite::is_set() { return launch_site != 0; }

std::uint32_t CallSites::here() { return launch_site != 0 ? launch_site : add(call_stack()); }

std::uint32_t CallSites::add(const CallStack& stack) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] =
      index_.try_emplace(stack, static_cast<std::uint32_t>(sites_.size() + 1));
  if (is_new) sites_.push_back({stack, {}});
  return found->second;
}

SourcePlace CallSites::place(std::uint32_t site) {
  const std::lock_guard lock(mutex_);
  if (site == 0 || site > sites_.size()) return {};
  Site& found = sites_[site - 1];
  if (!found.place) found.place = find_place(found.stack);
  return *found.place;
}

std::string CallSites::text(std::uint32_t site) { return place(site).text(); }

std::string CallSites::function(std::uint32_t site) {
  const std::lock_guard lock(mutex_);
  Dl_info info{};
  if (site == 0 || site > sites_.size() || sites_[site - 1].stack.api == 0 ||
      dladdr(reinterpret_cast<void*>(sites_[site - 1].stack.api), &info) == 0 ||
      info.dli_sname == nullptr)
    return {};
  return info.dli_sname;
}

}  // namespace raddle::host
