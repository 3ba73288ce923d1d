#include "machine/native/kernel_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "base/atomic_file.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/stop_token.h"
#include "base/version.h"
#include "lang/cuda/cache_entry.h"
#include "lang/cuda/clang_commands.h"
#include "lang/cuda/tool_run.h"
#include "machine/native/function_translator.h"

namespace raddle::machine::native {

namespace {

namespace fs = std::filesystem;

// Scopes: the frame of registers and everything else never overlap.
constexpr const char* kDeclarations = R"(
declare i32 @llvm.cttz.i32(i32, i1)
attributes #0 = { uwtable "min-legal-vector-width"="512" "prefer-vector-width"="512" }
!1 = !{!2}
!2 = distinct !{!2, !3, !"frame"}
!3 = distinct !{!3}
!4 = !{!"branch_weights", i32 1000, i32 1}
)";

// What -march=native means here.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string description;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("model") || line.starts_with("flags")) description += line + '\n';
  }
  return description;
}

cuda::Command command(const std::string& clang, const std::string& text,
                      const std::string& library) {
  return {.arguments = {clang, "-x", "ir", "-O2", "-march=native", "-ffp-contract=off", "-shared",
                        "-fPIC", "-nostdlib", "-Wno-override-module", "-o", library, text},
          .environment = cuda::compiler_environment()};
}

void run_compiler(const std::string& clang, const std::string& text, const std::string& library) {
  cuda::ToolRun run(command(clang, text, library));
  if (run.wait() != 0)
    throw Error(fmt::format("the compiler did not accept it: {}",
                            run.errors().substr(0, run.errors().find('\n'))));
}

void* load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(fmt::format("cannot load a compiled kernel: {}", dlerror()));
  return handle;
}

// The library of this text, compiled or found.
void* library_of(const std::string& text) {
  const std::string clang = cuda::find_tool("clang++-19");
  if (clang.empty()) throw Error("there is no clang++-19 to compile kernels with");
  cuda::Toolchain toolchain;
  toolchain.clang = clang;
  const std::string cache = cuda::user_cache_folder();
  if (cache.empty()) {
    const cuda::TemporaryFolder folder;
    write_scratch_file(folder.file("kernel.ll"), text);
    run_compiler(clang, folder.file("kernel.ll"), folder.file("kernel.so"));
    return load(folder.file("kernel.so"));
  }
  const std::string key = ContentHash()
                              .add("raddle native kernel 1")
                              .add(kVersion)
                              .add(cuda::compiler_identity(toolchain))
                              .add(processor())
                              .add(text)
                              .hex();
  const fs::path parent = fs::path(cache) / "native";
  std::optional<fs::path> entry = cuda::find_intact_entry(parent, key);
  if (!entry) {
    cuda::FreshEntry fresh(parent, key);
    write_scratch_file(fresh.file("kernel.ll"), text);
    run_compiler(clang, fresh.file("kernel.ll").string(), fresh.file("kernel.so").string());
    entry = fresh.publish(key);
  }
  return load((*entry / "kernel.so").string());
}

}  // namespace

TranslatedKernel translate(const kernel::exec::DecodedKernel& kernel) {
  TranslatedKernel result;
  bool polls = false;
  std::set<std::string> declarations;
  for (std::size_t f = 0; f < kernel.functions.size(); ++f) {
    for (const kernel::exec::DecodedInstruction& d : kernel.functions[f]->code) polls |= d.polls;
    FunctionTranslator translator(*kernel.functions[f], fmt::format("function{}", f));
    result.text += translator.translate();
    declarations.insert(translator.declarations().begin(), translator.declarations().end());
    result.functions.push_back({.entries = translator.entries()});
    result.translated += translator.translated();
    result.carried_out += translator.carried_out();
  }
  for (kernel::exec::CompiledCode& code : result.functions) code.only_together = polls;
  for (const std::string& declaration : declarations) result.text += declaration;
  result.text += kDeclarations;
  return result;
}

CompiledKernel::~CompiledKernel() {
  unwanted_ = true;
  wait();
  if (library_ != nullptr) dlclose(library_);
}

void CompiledKernel::start() {
  if (started_) return;
  started_ = true;
  worker_ = std::thread([this] { compile(); });
}

void CompiledKernel::wait() {
  if (worker_.joinable()) worker_.join();
}

const std::vector<kernel::exec::CompiledCode>& CompiledKernel::functions() const {
  static const std::vector<kernel::exec::CompiledCode> none;
  return done_.load(std::memory_order_acquire) ? functions_ : none;
}

std::string CompiledKernel::failure() const {
  return done_.load(std::memory_order_acquire) ? failure_ : std::string();
}

void CompiledKernel::compile() {
  const StopScope scope{StopToken(&unwanted_)};
  try {
    TranslatedKernel translated = translate(kernel_);
    library_ = library_of(translated.text);
    for (std::size_t f = 0; f < translated.functions.size(); ++f) {
      void* const symbol = dlsym(library_, fmt::format("function{}", f).c_str());
      if (symbol == nullptr) throw Error("a compiled kernel lacks a function");
      translated.functions[f].run =
          reinterpret_cast<void (*)(kernel::exec::CompiledState*)>(symbol);
    }
    functions_ = std::move(translated.functions);
  } catch (const Stopped&) {
    return;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  done_.store(true, std::memory_order_release);
}

}  // namespace raddle::machine::native
