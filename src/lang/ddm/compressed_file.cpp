#include "lang/ddm/compressed_file.h"

#include <zlib.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "base/error.h"
#include "base/stop_token.h"

namespace raddle::ddm_lang {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, Close>;

}  // namespace

void write_compressed(const std::filesystem::path& path, std::string_view content) {
  File file(gzopen(path.c_str(), "wb1"));
  bool written = file != nullptr;
  while (written && !content.empty()) {
    throw_if_stopped("compressing a recording");
    const auto piece = content.substr(0, kPiece);
    written = gzwrite(file.get(), piece.data(), static_cast<unsigned>(piece.size())) > 0;
    content.remove_prefix(piece.size());
  }
  if (!written || gzclose(file.release()) != Z_OK)
    throw Error("cannot write '" + path.string() + "'", "", "is the disk full?");
}

std::string read_compressed(const std::filesystem::path& path) {
  const File file(gzopen(path.c_str(), "rb"));
  if (!file) throw std::runtime_error("the file is missing");
  std::string content;
  for (int got = 1; got > 0;) {
    const auto size = content.size();
    content.resize(size + kPiece);
    got = gzread(file.get(), content.data() + size, kPiece);
    content.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
  }
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (error != Z_OK) throw std::runtime_error("the file is damaged");
  return content;
}

}  // namespace raddle::ddm_lang
