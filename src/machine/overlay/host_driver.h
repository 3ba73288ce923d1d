// The host's side (Section 3.3): buffers in host memory, base and width registers, constants, the
// compute domain, start. A program of the host would use it like this:
//
//   HostDriver driver(machine, ctm::assemble(text, "blur.ctm"));
//   driver.input("s0", image.width, image.height, image.texels);
//   driver.output("o0", image.width, image.height);
//   driver.constant("c0", {0.2F, 0.2F, 0.2F, 0.2F});
//   LaunchResult result = driver.start();
//   std::span<const Float4> picture = driver.result("o0");
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/overlay/overlay_machine.h"

namespace raddle::machine::overlay {

// What a name means to a program: a register of the given letter, by number or by the program's
// name.
struct RegisterPlace {
  char letter = 0;  // s, o, c, i or b
  std::uint8_t number = 0;
  std::uint16_t count = 1;
};

class HostDriver {
 public:
  // The machine must outlive it.
  HostDriver(const OverlayMachine& machine, Shader shader);

  const Shader& shader() const { return configuration_.shader; }
  // Throws Error for a name that the program does not know.
  RegisterPlace find(std::string_view name) const;

  void input(std::string_view name, std::uint32_t width, std::uint32_t height,
             std::span<const Float4> texels, Addressing addressing = Addressing::kClamp,
             Filter filter = Filter::kNearest, bool mipmaps = false);
  // A buffer of zeros. The first one sets the domain, unless it is set.
  void output(std::string_view name, std::uint32_t width, std::uint32_t height);
  // One register, or as many as the name has.
  void constant(std::string_view name, const Float4& value);
  void constants(std::string_view name, std::span<const Float4> values);
  void loop(std::string_view name, const LoopConstant& value);
  void boolean(std::string_view name, bool value);
  void domain(const Domain& domain) { configuration_.domain = domain; }

  LaunchResult start(const LaunchOptions& options = {});
  std::span<const Float4> result(std::string_view name) const;
  // What the program computes without time: outputs that differ from the machine's, of how many.
  // To be asked after start().
  struct Difference {
    std::uint64_t texels = 0;
    std::string first;  // where
  };
  Difference compare_with_evaluator() const;

  const Configuration& configuration() const { return configuration_; }

 private:
  std::uint32_t add_levels(const SamplerRegister& base, std::string_view name);
  std::uint64_t allocate(std::uint32_t width, std::uint32_t height, std::string_view name);
  RegisterPlace expect(std::string_view name, char letter, std::string_view what) const;

  const OverlayMachine& machine_;
  Configuration configuration_;
  std::vector<Float4> memory_;
};

}  // namespace raddle::machine::overlay
