#include "src/hdf5/hdf5_location.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "src/base/text.h"
#include "src/hdf5/virtual_parts.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using h5::Handle;

// One call of CheckLocation().
class LocationCheck {
 public:
  LocationCheck(const std::string& path, const std::string& dataset, const Hdf5Rules& rules)
      : what_(StrCat("dataset '", dataset, "' of ", path)), roots_(rules.roots) {
    for (std::string& root : roots_) root = ResolvePath(root);
    roots_.push_back(ResolvePath(fs::path(path).parent_path().string()));
    roots_.push_back(fs::path(ResolvePath(path)).parent_path().string());
  }

  Status CheckData(const Handle& file, const std::string& path, const std::string& dataset) {
    if (!seen_.insert({path, dataset}).second) return Status();
    if (seen_.size() > kMaxParts) return Error(Code::kDataLoss, what_, " is made of too many parts");
    if (++depth_ > kMaxPartDepth)
      return Error(Code::kDataLoss, what_, " is made of parts that are made of parts, too deep");
    DF_TRY(CheckOpened(file, path, dataset));
    --depth_;
    return Status();
  }

  Status CheckShard(const Handle& file, const std::string& dataset) {
    DF_TRY(CheckNoLinks(file, dataset));
    const Handle opened(H5Dopen2(file.id(), dataset.c_str(), H5P_DEFAULT));
    if (!opened.valid()) return Cleared();
    const Handle layout(H5Dget_create_plist(opened.id()));
    if (H5Pget_external_count(layout.id()) != 0) return Odd("keeps its values in another file");
    const H5D_layout_t kind = H5Pget_layout(layout.id());
    if (kind == H5D_VIRTUAL) return Odd("is made of other datasets");
    if (kind != H5D_CONTIGUOUS || H5Pget_nfilters(layout.id()) != 0) return Odd("is not stored contiguously");
    return Status();
  }

 private:
  static Status Cleared() {
    H5Eclear2(H5E_DEFAULT);
    return Status();
  }

  Status Odd(const char* why) const {
    return Error(Code::kDataLoss, what_, " ", why, ", as none that dfrun wrote does: the checkpoint is not read");
  }

  // Every name on the way to the dataset is the object's own.
  Status CheckNoLinks(const Handle& file, const std::string& dataset) const {
    for (size_t end = dataset.find('/', 1);; end = dataset.find('/', end + 1)) {
      const std::string name = dataset.substr(0, end);
      H5L_info_t link;
      if (H5Lget_info(file.id(), name.c_str(), &link, H5P_DEFAULT) < 0) return Cleared();
      if (link.type != H5L_TYPE_HARD) return Odd("is a link");
      if (end == std::string::npos) return Status();
    }
  }

  Status CheckTarget(const std::string& target) const {
    const std::string resolved = ResolvePath(target);
    if (std::any_of(roots_.begin(), roots_.end(), [&](const std::string& r) { return IsBelow(resolved, r); })) {
      return Status();
    }
    return Error(Code::kBadSpec, what_, " lies in another file, ", resolved,
                 ", which is not below the directory of the first: write 'external: true' in the input, or for a "
                 "feed --allow-paths ",
                 fs::path(resolved).parent_path().string());
  }

  // Called by HDF5 before it follows an external link. To `data`, a LocationCheck.
  static herr_t OnExternalLink(const char* from, const char*, const char* to, const char*, unsigned*, hid_t,
                               void* data) {
    auto& check = *static_cast<LocationCheck*>(data);
    const std::optional<std::string> target = FindHdf5Target(from, to);
    if (!target || !check.refused_.ok()) return -1;
    check.refused_ = check.CheckTarget(*target);
    return check.refused_.ok() ? 0 : -1;
  }

  Status CheckOpened(const Handle& file, const std::string& path, const std::string& dataset) {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_elink_cb(access.id(), &OnExternalLink, this);
    const Handle opened(H5Dopen2(file.id(), dataset.c_str(), access.id()));
    DF_TRY(Status(refused_));
    if (!opened.valid()) return Cleared();
    const std::string owner = h5::FileNameOf(opened);
    const bool is_elsewhere = owner != h5::FileNameOf(file);  // behind an external link
    if (is_elsewhere) DF_TRY(CheckTarget(owner));
    const std::string& from = is_elsewhere ? owner : path;
    const Handle layout(H5Dget_create_plist(opened.id()));
    DF_TRY(VisitExternalFiles(layout, what_, [&](const ExternalFile& part) { return CheckTarget(part.name); }));
    if (H5Pget_layout(layout.id()) != H5D_VIRTUAL) return Status();
    return VisitParts(layout, from, [&](const VirtualPart& part) -> Status {
      if (part.is_own) return CheckData(Handle(H5Iget_file_id(opened.id())), from, part.dataset);
      if (part.path.empty()) return Status();
      DF_TRY(CheckTarget(part.path));
      return CheckFile(part.path, part.dataset);
    });
  }

  Status CheckFile(const std::string& path, const std::string& dataset) {
    const Result<Handle> file = h5::OpenFile(path);
    if (!file.ok()) return Status();  // HDF5 will find nothing there either
    return CheckData(*file, path, dataset);
  }

  const std::string what_;
  std::vector<std::string> roots_;  // resolved
  std::set<std::pair<std::string, std::string>> seen_;
  int depth_ = 0;
  Status refused_;
};

}  // namespace

Status CheckLocation(const Handle& file, const std::string& path, const std::string& dataset, const Hdf5Rules& rules) {
  if (rules.follows_all) return Status();
  LocationCheck check(path, dataset, rules);
  return rules.is_shard ? check.CheckShard(file, dataset) : check.CheckData(file, path, dataset);
}

}  // namespace dfrun
