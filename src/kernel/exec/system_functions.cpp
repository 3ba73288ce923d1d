// What the device library provides and no instruction does: printf, malloc, free.
#include <fmt/format.h>
#include <fmt/printf.h>

#include <bit>
#include <cstring>

#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

constexpr std::size_t kLongestString = 4095;

// One conversion of a printf format, from % to its letter; length modifiers are dropped, since the
// type is known here.
struct Conversion {
  std::string spec;  // without length modifiers
  char letter = 0;
  int bytes = 4;  // of an integer argument
  int stars = 0;
  std::size_t end = 0;
};

Conversion parse_conversion(const std::string& format, std::size_t start) {
  Conversion conversion;
  conversion.spec = "%";
  std::size_t i = start + 1;
  for (; i < format.size() && std::strchr("-+ #0123456789.*", format[i]) != nullptr; ++i) {
    if (format[i] == '*') ++conversion.stars;
    conversion.spec += format[i];
  }
  for (; i < format.size() && std::strchr("hlLqjzt", format[i]) != nullptr; ++i) {
    if (format[i] != 'h') conversion.bytes = 8;
  }
  conversion.letter = i < format.size() ? format[i] : '%';
  conversion.end = i + 1;
  return conversion;
}

class ArgumentReader {
 public:
  ArgumentReader(Warp& warp, int lane, std::uint64_t address)
      : warp_(warp), lane_(lane), address_(address) {}
  template <class T>
  T next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    const std::byte* place = warp_.resolve(Space::kGeneric, address_, sizeof(T), lane_);
    if (place != nullptr) std::memcpy(&value, place, sizeof(T));
    address_ += sizeof(T);
    return value;
  }

 private:
  Warp& warp_;
  int lane_;
  std::uint64_t address_;
};

std::string expand_stars(std::string spec, ArgumentReader& arguments) {
  for (std::size_t star = spec.find('*'); star != std::string::npos; star = spec.find('*')) {
    spec.replace(star, 1, std::to_string(arguments.next<std::int32_t>()));
  }
  return spec;
}

std::string convert(const Conversion& conversion, ArgumentReader& arguments, Warp& warp, int lane) {
  const std::string spec = expand_stars(conversion.spec, arguments);
  switch (conversion.letter) {
    case 'd':
    case 'i':
      if (conversion.bytes == 8) return fmt::sprintf(spec + "d", arguments.next<std::int64_t>());
      return fmt::sprintf(spec + "d", arguments.next<std::int32_t>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (conversion.bytes == 8)
        return fmt::sprintf(spec + conversion.letter, arguments.next<std::uint64_t>());
      return fmt::sprintf(spec + conversion.letter, arguments.next<std::uint32_t>());
    case 'c': return fmt::sprintf(spec + "c", static_cast<char>(arguments.next<std::int32_t>()));
    case 'p': return fmt::sprintf("%#x", arguments.next<std::uint64_t>());
    case 's':
      return fmt::sprintf(spec + "s",
                          read_device_string(warp, lane, arguments.next<std::uint64_t>()));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return fmt::sprintf(spec + conversion.letter, arguments.next<double>());
    default: return {};
  }
}

std::uint64_t argument(Warp& warp, const Function& caller, const DecodedInstruction& call,
                       std::size_t index, int lane) {
  if (index >= call.ir->call.arguments.size()) return 0;
  const Slot& slot = caller.call_slots[call.ir->call.arguments[index]];
  std::uint64_t value = 0;
  const std::byte* place = warp.resolve(Space::kParam, slot.offset, slot.size, lane);
  if (place != nullptr) std::memcpy(&value, place, std::min<std::size_t>(slot.size, 8));
  return value;
}

void give_back(Warp& warp, const Function& caller, const DecodedInstruction& call, int lane,
               std::uint64_t value) {
  if (call.ir->call.returns.empty()) return;
  const Slot& slot = caller.call_slots[call.ir->call.returns[0]];
  std::byte* place = warp.resolve(Space::kParam, slot.offset, slot.size, lane);
  if (place != nullptr) std::memcpy(place, &value, std::min<std::size_t>(slot.size, 8));
}

std::uint64_t device_malloc(Device& device, std::uint64_t bytes) {
  if (bytes == 0 || bytes > device.heap_limit - device.heap_used) return 0;
  const auto address = device.memory->allocate(bytes, AllocationKind::kHeap, 16);
  if (!address) return 0;
  device.heap_used += bytes;
  return *address;
}

// What malloc never gave, or free took already, stays as it is; checked mode says so.
void device_free(Warp& warp, int lane, std::uint64_t address) {
  if (address == 0) return;
  Device& device = *warp.device;
  const Allocation* allocation = device.memory->find(address);
  if (allocation != nullptr && allocation->kind == AllocationKind::kHeap &&
      allocation->address == address) {
    device.heap_used -= std::min(device.heap_used, allocation->bytes);
    device.memory->release(address);
    return;
  }
  if (!device.check) return;
  const bool freed = allocation == nullptr && device.memory->find_released(address) != nullptr;
  AccessFault fault;
  fault.kind = freed ? AccessFault::Kind::kFreedBefore : AccessFault::Kind::kNotMalloced;
  fault.lane = static_cast<std::uint8_t>(lane);
  fault.address = address;
  warp.faults.push_back(fault);
}

}  // namespace

std::string read_device_string(Warp& warp, int lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestString) {
    const std::byte* place = warp.resolve(Space::kGeneric, address + text.size(), 1, lane);
    if (place == nullptr || *place == std::byte{0}) break;
    text += static_cast<char>(*place);
  }
  return text;
}

PrintedText format_device_printf(Warp& warp, int lane, std::uint64_t format_address,
                                 std::uint64_t arguments_address) {
  const std::string format = read_device_string(warp, lane, format_address);
  ArgumentReader arguments(warp, lane, arguments_address);
  PrintedText printed;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      printed.text += format[i++];
      continue;
    }
    const Conversion conversion = parse_conversion(format, i);
    i = conversion.end;
    if (conversion.letter == '%') {
      printed.text += '%';
      continue;
    }
    printed.text += convert(conversion, arguments, warp, lane);
    printed.arguments += static_cast<std::uint32_t>(conversion.stars + 1);
  }
  return printed;
}

void run_system_function(SystemFunction function, const DecodedInstruction& call, Warp& warp,
                         const Function& caller, LaneMask mask) {
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    switch (function) {
      case SystemFunction::kVprintf: {
        const PrintedText printed =
            format_device_printf(warp, lane, argument(warp, caller, call, 0, lane),
                                 argument(warp, caller, call, 1, lane));
        if (warp.device->print) warp.device->print(printed.text);
        // CUDA C guide: printf returns the number of arguments, not of characters.
        give_back(warp, caller, call, lane, printed.arguments);
        break;
      }
      case SystemFunction::kMalloc:
        give_back(warp, caller, call, lane,
                  device_malloc(*warp.device, argument(warp, caller, call, 0, lane)));
        break;
      case SystemFunction::kFree:
        device_free(warp, lane, argument(warp, caller, call, 0, lane));
        break;
      default: break;
    }
  }
}

}  // namespace raddle::kernel::exec
