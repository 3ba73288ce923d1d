// What stands after `--` when an overlay program is run: NAME=VALUE, for buffers, constants and
// the compute domain.
//
//   s0=photo.png  s1=data.raw:640x480  s2=random:64x64  s3=random:64x64:7  image=iota:16x16
//   s4=zero:8x8   s5=fill:0.5:8x8      o0=out.png       c0=1,2,3,4         weights=1,0,0,0,2,0,0,0
//   i0=10,0,1     b3=true              domain=640x480   domain=64x64+32+16 address=linear
//   filter=linear IN.video_size=320,240
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/overlay/shader_host.h"

namespace raddle::driver::overlay {

// An output that goes to a file once the program has run.
struct OutputFile {
  std::string name;
  std::string path;
};

struct OverlayArguments {
  std::vector<OutputFile> outputs;
  std::string notes;  // of the quad, a line each
};

// Binds what is given, and for what is not the program's defaults; outputs without either get
// buffers as large as the domain. Throws Error that names the argument.
OverlayArguments bind_arguments(const std::vector<std::string>& given, ShaderHost& host);

// --check: adds a fault where the outputs differ from those of the untimed evaluation.
void check_outputs(const machine::overlay::HostDriver& driver, machine::LaunchResult& result);

// Writes the outputs' files.
void write_outputs(const OverlayArguments& arguments, const machine::overlay::HostDriver& driver);

}  // namespace raddle::driver::overlay
