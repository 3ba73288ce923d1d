#include "host/host_pointers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/source_line.h"
#include "host/call_sites.h"
#include "kernel/allocation_text.h"

namespace raddle::host {
namespace {

using kernel::Allocation;
using kernel::AllocationKind;

// So many places on the host are remembered.
constexpr std::size_t kMaxCopies = 4096;
constexpr std::size_t kPointerBytes = 8;

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The stretch of this process's memory that holds the address.
std::optional<Mapping> mapping_of(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
    if (address >= begin && address < end) return Mapping{begin, end};
  }
  return std::nullopt;
}

// The kernel's pointers among its arguments.
std::vector<std::uint64_t> pointers_of(const machine::Launch& launch,
                                       const kernel::Function& kernel) {
  std::vector<std::uint64_t> values;
  for (const kernel::Slot& slot : kernel.parameters) {
    std::uint64_t value = 0;
    if (slot.size == kPointerBytes && slot.offset + slot.size <= launch.parameters.size())
      std::memcpy(&value, launch.parameters.data() + slot.offset, kPointerBytes);
    values.push_back(value);
  }
  return values;
}

// The argument that the address was probably reached from: the nearest one below it. From 1.
std::size_t argument_of(const std::vector<std::uint64_t>& pointers, const Mapping& mapping,
                        std::uint64_t address) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const bool possible = pointers[i] >= mapping.begin && pointers[i] <= address;
    if (possible && (best == 0 || pointers[i] > pointers[best - 1])) best = i + 1;
  }
  return best;
}

// What was copied to or from there; else the only allocation that the kernel was not given.
const Allocation* meant_allocation(std::uint64_t address,
                                   const std::vector<std::uint64_t>& pointers,
                                   const kernel::DeviceMemory& memory, const HostCopies& copies) {
  if (const auto device = copies.device_of(address)) return memory.find(*device);
  const Allocation* only = nullptr;
  for (const Allocation* allocation : memory.live()) {
    if (allocation->kind != AllocationKind::kDevice) continue;
    bool given = false;
    for (const std::uint64_t pointer : pointers)
      given = given || (pointer != 0 && memory.find(pointer) == allocation);
    if (given) continue;
    if (only != nullptr) return nullptr;
    only = allocation;
  }
  return only;
}

}  // namespace

void HostCopies::note(std::uint64_t host, std::uint64_t bytes, std::uint64_t device) {
  if (by_host_.size() >= kMaxCopies && !by_host_.contains(host)) return;
  by_host_[host] = {bytes, device};
}

std::optional<std::uint64_t> HostCopies::device_of(std::uint64_t host) const {
  const auto after = by_host_.upper_bound(host);
  if (after == by_host_.begin()) return std::nullopt;
  const auto& [begin, copy] = *std::prev(after);
  if (host - begin >= copy.bytes) return std::nullopt;
  return copy.device + (host - begin);
}

std::string allocated_name(std::string_view line) {
  const std::size_t call = line.find("Malloc");
  if (call == std::string_view::npos || line.find("Malloc", call + 1) != std::string_view::npos)
    return {};
  std::size_t begin = line.find('&', call);
  if (begin == std::string_view::npos) return {};
  begin = std::min(line.find_first_not_of(' ', begin + 1), line.size());
  std::size_t end = begin;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
    ++end;
  return std::string(line.substr(begin, end - begin));
}

void explain_host_pointer(machine::Fault& fault, const machine::Launch& launch,
                          const kernel::Function& kernel, const kernel::DeviceMemory& memory,
                          const HostCopies& copies) {
  if (fault.address == 0 || memory.in_arena(fault.address, 1)) return;
  const std::optional<Mapping> mapping = mapping_of(fault.address);
  if (!mapping) return;
  const std::vector<std::uint64_t> pointers = pointers_of(launch, kernel);
  const std::size_t argument = argument_of(pointers, *mapping, fault.address);
  fault.message += ": this is host memory, which cudaMalloc never gave";
  if (argument != 0)
    fault.details.push_back(
        fmt::format("argument {} of the kernel is a pointer to host memory", argument));
  const Allocation* meant = meant_allocation(fault.address, pointers, memory, copies);
  if (meant == nullptr) {
    fault.details.emplace_back(
        "hint: allocate device memory with cudaMalloc and copy there with cudaMemcpy");
    return;
  }
  const std::string name =
      allocated_name(source_line(CallSites::get().place(meant->made_at)).value_or(std::string()));
  fault.details.push_back(fmt::format("hint: did you mean {}{}{}?", name, name.empty() ? "" : ", ",
                                      kernel::allocation_text(memory, *meant)));
}

}  // namespace raddle::host
