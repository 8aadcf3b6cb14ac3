#include "src/storage/hdf5_library.h"

#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/base/program_part.h"

namespace dfrun {
namespace {

using Entry = const Hdf5Library* (*)();

Result<const Hdf5Library*> Load() {
  Result<void*> entry = OpenProgramPart("hdf5", "dfrun_hdf5_part");
  if (!entry.ok()) return entry.status().Annotate("opening HDF5");
  return reinterpret_cast<Entry>(*entry)();
}

}  // namespace

uint64_t BytesOf(const DatasetInfo& info) {
  uint64_t bytes = 0;
  const auto elements = static_cast<uint64_t>(info.shape.num_elements());
  return __builtin_mul_overflow(elements, DTypeSize(info.dtype), &bytes) ? UINT64_MAX : bytes;
}

Result<const Hdf5Library*> LoadHdf5() {
  static const Result<const Hdf5Library*>& library = *new Result<const Hdf5Library*>(Load());
  return library;
}

Status CheckMayBeHdf5(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return ErrnoError("cannot open", path);
  if (!S_ISREG(info.st_mode)) return Error(Code::kDataLoss, path, " is not a regular file, so no HDF5 file");
  return ::access(path.c_str(), R_OK) == 0 ? Status() : IoError("no permission to read ", path);
}

}  // namespace dfrun
