#include "src/hdf5/virtual_parts.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "src/storage/file_access.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxName = 4096;

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// "part-%b.h5" with the number for %b, as HDF5 names the parts of an unlimited virtual dataset.
std::string WithNumber(const std::string& pattern, size_t number) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool is_special = pattern[i] == '%' && i + 1 < pattern.size();
    if (is_special && pattern[i + 1] == 'b') out += std::to_string(number);
    if (is_special && pattern[i + 1] == '%') out += '%';
    if (is_special) ++i;
    if (!is_special) out += pattern[i];
  }
  return out;
}

// Returns the part's names, as the layout has them.
Result<VirtualPart> NamesOf(const h5::Handle& layout, size_t mapping, const std::string& from) {
  char file[kMaxName] = {};
  char name[kMaxName] = {};
  const ssize_t file_bytes = H5Pget_virtual_filename(layout.id(), mapping, file, sizeof file);
  const ssize_t name_bytes = H5Pget_virtual_dsetname(layout.id(), mapping, name, sizeof name);
  if (file_bytes < 0 || name_bytes < 0 || std::max<size_t>(file_bytes, name_bytes) >= kMaxName) {
    return Error(Code::kDataLoss, "a virtual dataset of ", from, " is made of parts whose names cannot be read");
  }
  return VirtualPart{
      .file = file, .dataset = name, .path = {}, .mapping = mapping, .is_own = std::string_view(file) == "."};
}

}  // namespace

std::optional<std::string> FindHdf5Target(const std::string& from, const std::string& name) {
  const fs::path beside = fs::path(from).parent_path();
  std::vector<fs::path> candidates = {name};
  if (fs::path(name).is_absolute()) {
    candidates.push_back(beside / fs::path(name).filename());
    candidates.push_back(fs::path(ResolvePath(from)).parent_path() / fs::path(name).filename());
  } else {
    candidates = {beside / name, name, fs::path(ResolvePath(from)).parent_path() / name};
  }
  for (const fs::path& candidate : candidates) {
    if (Exists(candidate.string())) return candidate.string();
  }
  return {};
}

Status VisitParts(const h5::Handle& layout, const std::string& from,
                  const std::function<Status(const VirtualPart&)>& visit) {
  size_t parts = 0;
  H5Pget_virtual_count(layout.id(), &parts);
  for (size_t mapping = 0; mapping < parts; ++mapping) {
    DF_ASSIGN(const VirtualPart names, NamesOf(layout, mapping, from));
    const bool is_pattern = !names.is_own && names.file.find('%') != std::string::npos;
    for (size_t i = 0; i < kMaxParts; ++i) {
      VirtualPart part = names;
      if (!part.is_own) {
        part.file = WithNumber(names.file, i);
        part.dataset = WithNumber(names.dataset, i);
        part.path = FindHdf5Target(from, part.file).value_or("");
      }
      if (is_pattern && part.path.empty()) break;
      DF_TRY(visit(part));
      if (!is_pattern) break;
    }
  }
  return Status();
}

Status VisitExternalFiles(const h5::Handle& layout, const std::string& what,
                          const std::function<Status(const ExternalFile&)>& visit) {
  const int files = H5Pget_external_count(layout.id());
  for (int i = 0; i < files; ++i) {
    char name[kMaxName] = {};
    off_t offset = 0;
    hsize_t bytes = 0;
    if (H5Pget_external(layout.id(), static_cast<unsigned>(i), sizeof name - 1, name, &offset, &bytes) < 0) {
      return h5::LastError(Code::kDataLoss, what);
    }
    DF_TRY(visit({name, static_cast<uint64_t>(offset), bytes}));
  }
  return Status();
}

}  // namespace dfrun
