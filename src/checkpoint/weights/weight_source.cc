#include "src/checkpoint/weights/weight_source.h"

#include <sys/stat.h>

#include <algorithm>

#include "src/base/file.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

Result<FileHead> ReadHead(const std::string& path) {
  FileHead head{.path = path, .bytes = {}};
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return head;
  head.exists = true;
  head.is_directory = S_ISDIR(info.st_mode);
  if (head.is_directory) return head;
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const uint64_t size, file.Size());
  head.bytes.resize(std::min<uint64_t>(size, kMaxHeadBytes));
  DF_TRY(file.ReadAt(0, head.bytes.data(), head.bytes.size()));
  return head;
}

std::string ListFormats() {
  std::vector<std::string> names;
  for (const auto& [name, format] : WeightFormats().all()) names.push_back(format.what);
  return Join(names);
}

}  // namespace

Registry<WeightFormat>& WeightFormats() {
  static Registry<WeightFormat>& formats = *new Registry<WeightFormat>;
  return formats;
}

bool WeightSource::IsSizeOf(DType dtype, const Shape& shape, uint64_t bytes) {
  const uint64_t size = DTypeSize(dtype);
  return bytes % size == 0 && bytes / size == static_cast<uint64_t>(shape.num_elements());
}

Result<std::unique_ptr<WeightSource>> OpenWeights(const std::string& path) {
  DF_ASSIGN(const FileHead head, ReadHead(path));
  for (const auto& [name, format] : WeightFormats().all()) {
    if (format.recognizes(head)) return format.open(path);
  }
  if (!head.exists) return NoInput("there is no ", path, ", nor a checkpoint of TensorFlow with this prefix");
  return Error(Code::kBadSpec, path, " holds no values of variables that can be read; what can is ", ListFormats());
}

}  // namespace dfrun
