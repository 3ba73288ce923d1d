// The host's side from C++: compiles a Cg program, gives it a picture, a constant and a domain,
// runs it on the overlay and writes the picture that comes out.
//   cmake --build build --target sharpen
//   build/examples/sharpen photo.png sharper.png 1.5
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "image/image.h"
#include "lang/cg/compiler.h"
#include "machine/overlay/host_driver.h"

using namespace raddle;
using machine::overlay::HostDriver;
using machine::overlay::OverlayMachine;

constexpr const char* kProgram = R"(
  float4 main(float2 at : TEXCOORD0, uniform sampler2D image, uniform float amount = 1) : COLOR {
    float4 here = tex2D(image, at);
    float4 around = tex2D(image, at + float2(1, 0)) + tex2D(image, at - float2(1, 0)) +
                    tex2D(image, at + float2(0, 1)) + tex2D(image, at - float2(0, 1));
    return saturate(here + amount * (here - around * 0.25));
  })";

int main(int count, char** arguments) try {
  if (count < 3) {
    std::fprintf(stderr, "usage: sharpen FROM.png TO.png [AMOUNT]\n");
    return 2;
  }
  // The machine, with parameters of machines/overlay.toml; set() changes one.
  machine::ParameterTable parameters = machine::load_parameters("overlay");
  parameters.set("link.width_bits=16");
  const OverlayMachine overlay(parameters);

  // The program, and what its names stand for.
  HostDriver driver(overlay, cg::compile(kProgram, "sharpen.cg").shader);
  const image::Image photo = image::read_image(arguments[1]);
  driver.input("image", photo.width, photo.height, photo.texels);
  driver.output("color", photo.width, photo.height);  // also the domain
  if (count > 3) {
    const float amount = std::strtof(arguments[3], nullptr);
    driver.constant("amount", {amount, amount, amount, amount});
  }

  const machine::LaunchResult result = driver.start();
  if (!result.complete) {
    std::fprintf(stderr, "%s\n", result.faults.at(0).message.c_str());
    return 1;
  }
  const auto texels = driver.result("color");
  image::write_image(arguments[2], {photo.width, photo.height, {texels.begin(), texels.end()}});
  std::printf("%llu cycles, ALU datapath used %.1f%%\n",
              static_cast<unsigned long long>(result.cycles),
              100 * result.utilisation.at(0).share());
  return 0;
} catch (const Error& error) {  // a file that is not there, a program that does not compile
  std::fprintf(stderr, "sharpen: %s\n", error.full_text().c_str());
  return 1;
}
