// What a program has registered before main: the PTX images it carries, and the host addresses that
// stand for kernels, variables, textures and surfaces in them. Nothing is read here; the device
// loads the images when it first needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace raddle::host {

struct Image {
  const char* text = nullptr;  // PTX, ended by a NUL
};

// A name in one of the images.
struct DeviceName {
  std::uint32_t image = 0;
  std::string name;
};

struct RegisteredVariable {
  DeviceName device;
  void* host = nullptr;  // the program's own copy, which means something only if managed
  std::size_t bytes = 0;
  bool constant = false;
  bool managed = false;
};

struct RegisteredTexture {
  DeviceName device;
  int dimensions = 1;  // 1 to 3, or one of CUDA's layered and cube types
  bool normalized_read = false;
};

class Registry {
 public:
  // The one of this process; it exists before and after everything else.
  static Registry& get();

  std::uint32_t add_image(const char* text);
  void add_function(const void* host, DeviceName device) {
    functions_.insert_or_assign(host, std::move(device));
  }
  void add_variable(RegisteredVariable variable);
  void add_texture(const void* host, RegisteredTexture texture) {
    textures_.insert_or_assign(host, std::move(texture));
  }
  void add_surface(const void* host, DeviceName device) {
    surfaces_.insert_or_assign(host, std::move(device));
  }

  // Null where nothing was registered for the host address.
  const DeviceName* function(const void* host) const { return find(functions_, host); }
  const RegisteredVariable* variable(const void* host) const { return find(variables_, host); }
  const RegisteredTexture* texture(const void* host) const { return find(textures_, host); }
  const DeviceName* surface(const void* host) const { return find(surfaces_, host); }

  const std::unordered_map<const void*, DeviceName>& functions() const { return functions_; }
  const std::vector<Image>& images() const { return images_; }
  const std::vector<const void*>& managed_variables() const { return managed_; }

 private:
  template <class Map>
  static const typename Map::mapped_type* find(const Map& map, const void* host) {
    const auto found = map.find(host);
    return found == map.end() ? nullptr : &found->second;
  }

  std::vector<Image> images_;
  std::unordered_map<const void*, DeviceName> functions_;
  std::unordered_map<const void*, RegisteredVariable> variables_;
  std::unordered_map<const void*, RegisteredTexture> textures_;
  std::unordered_map<const void*, DeviceName> surfaces_;
  std::vector<const void*> managed_;
};

}  // namespace raddle::host
