#include "kernels/checkpoint/saved_tensors.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "kernels/files/matching_paths.h"
#include "src/base/file.h"
#include "src/checkpoint/directory_commit.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/savable.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// "W[4 5 0,2:-]" for a part of W.
std::string NameOfPart(const std::string& name, const TensorSlice& slice) {
  return StrCat(name, "[", slice.ToString(), "]");
}

Result<NamedTensor> Named(const TensorToSave& tensor) {
  DF_TRY(CheckTensorName(tensor.name));
  if (IsHandle(tensor.value.dtype())) {
    return InvalidArgument("the tensor '", tensor.name, "' is a ", tensor.value.dtype(), ", which cannot be saved");
  }
  if (tensor.shape_and_slice.empty()) return NamedTensor{tensor.name, tensor.value};
  DF_ASSIGN(const TensorSlice slice, TensorSlice::Parse(tensor.shape_and_slice));
  if (!(slice.extent == tensor.value.shape())) {
    return InvalidArgument("the part '", tensor.shape_and_slice, "' of the tensor '", tensor.name, "' has shape ",
                           slice.extent, ", but its value has ", tensor.value.shape());
  }
  return NamedTensor{NameOfPart(tensor.name, slice), tensor.value};
}

Status NoCheckpoint(const std::string& pattern) {
  std::error_code error;
  if (!fs::exists(pattern + ".index", error)) return NotFound("there is no checkpoint ", pattern);
  return NotFound(pattern, ".index is of a checkpoint of TensorFlow's own format, which cannot be read here: feed the ",
                  "variables' values, or have TensorFlow make constants of them in the graph");
}

// Another name for the same bytes, so that the file outlives the checkpoint that it came from; a copy where the file
// system gives none.
Status LinkOrCopy(const std::string& from, const std::string& to) {
  DF_TRY(FileDescriptor::OpenRegular(from).status());
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (!error) return Status();
  fs::copy_file(from, to, error);
  if (error) return IoError("cannot copy ", from, " to ", to, ": ", error.message());
  DF_ASSIGN(const FileDescriptor copy, FileDescriptor::OpenForWriting(to));
  return copy.Sync();
}

// The checkpoint that the parts of a merge form together.
class Merge {
 public:
  explicit Merge(std::string directory) : directory_(std::move(directory)) {}

  // The shards of the checkpoint at `found`, which is known as `part`.
  Status Add(const std::string& part, const std::string& found) {
    DF_ASSIGN(const FileId id, IdOf(found));
    DF_ASSIGN(Manifest manifest, ReadManifest(found));
    for (ShardEntry& shard : manifest.shards) {
      for (const SavedVariable& v : shard.variables) {
        if (names_.insert(v.name).second) continue;
        return InvalidArgument("the tensor '", v.name, "' of ", part, " is in another part too");
      }
      const std::string file = StrCat("shard-", manifest_.shards.size(), ".h5");
      DF_TRY(LinkOrCopy(StrCat(found, "/", shard.file), StrCat(directory_, "/", file)));
      shard.file = file;
      manifest_.shards.push_back(std::move(shard));
    }
    parts_.push_back({found, id});
    return Status();
  }

  const Manifest& manifest() const { return manifest_; }
  std::vector<MergedPart>& parts() { return parts_; }

 private:
  const std::string directory_;
  Manifest manifest_;
  std::set<std::string> names_;
  std::vector<MergedPart> parts_;
};

}  // namespace

Status SaveTensors(const std::string& path, const std::vector<TensorToSave>& tensors) {
  if (path.empty()) return InvalidArgument("a checkpoint needs a name");
  std::vector<NamedTensor> named;
  std::vector<SavedVariable> variables;
  std::set<std::string> names;
  for (const TensorToSave& tensor : tensors) {
    DF_ASSIGN(NamedTensor next, Named(tensor));
    if (!names.insert(next.name).second) return InvalidArgument("the tensor '", next.name, "' is saved twice");
    variables.push_back({next.name, next.value.dtype(), next.value.shape()});
    named.push_back(std::move(next));
  }
  if (const std::optional<Unsavable> unsavable = FindUnsavable(variables)) return InvalidArgument(unsavable->why);
  DF_ASSIGN(NewDirectory directory, NewDirectory::Begin(path, RemovalRule::kWhole));
  Manifest manifest;
  DF_ASSIGN(ShardEntry entry, WriteShard(directory.path(), "shard-0.h5", named));
  manifest.shards.push_back(std::move(entry));
  return directory.Commit(manifest);
}

Result<std::vector<MergedPart>> MergeCheckpoints(const std::vector<std::string>& parts, const std::string& destination,
                                                 bool allow_missing) {
  DF_ASSIGN(NewDirectory directory, NewDirectory::Begin(destination, RemovalRule::kWhole));
  Merge merge(directory.path());
  for (const std::string& part : parts) {
    const Result<std::string> found = FindDirectory(part);
    if (!found.ok() && allow_missing && found.status().code() == Code::kNotFound) continue;
    DF_TRY(found.status());
    DF_TRY(merge.Add(part, *found).Annotate("cannot merge into " + destination));
  }
  if (merge.parts().empty()) return InvalidArgument("cannot merge into ", destination, ": none of the parts is there");
  DF_TRY(directory.Commit(merge.manifest()));
  return std::move(merge.parts());
}

Result<SavedTensors> SavedTensors::Open(const std::string& pattern, const FileAccess& access) {
  DF_TRY(access.CheckPattern(pattern));
  SavedTensors saved;
  saved.pattern_ = pattern;
  std::vector<std::string> paths;
  const Result<std::string> exact = FindDirectory(pattern);
  if (exact.ok()) {
    paths.push_back(*exact);
  } else if (exact.status().code() != Code::kNotFound) {
    return exact.status();
  } else {
    for (const std::string& path : MatchingPaths(pattern)) {
      if (FindDirectory(path).ok()) paths.push_back(path);
    }
  }
  if (paths.empty()) return NoCheckpoint(pattern);
  for (const std::string& path : paths) {
    DF_TRY(access.ForReading(path).status());
    DF_ASSIGN(CheckpointStore::Checkpoint checkpoint, CheckpointStore::Open(path));
    saved.checkpoints_.push_back(std::move(checkpoint));
  }
  return saved;
}

Result<std::vector<SavedTensors::Part>> SavedTensors::Find(const std::string& name) const {
  std::vector<Part> parts;
  const std::string prefix = name + "[";
  for (const CheckpointStore::Checkpoint& checkpoint : checkpoints_) {
    for (const ShardEntry& shard : checkpoint.manifest.shards) {
      for (const SavedVariable& v : shard.variables) {
        const bool is_part = v.name.compare(0, prefix.size(), prefix) == 0 && v.name.back() == ']';
        if (v.name != name && !is_part) continue;
        Part part{checkpoint.directory + "/" + shard.file, v, TensorSlice::Whole(v.shape)};
        if (is_part) {
          DF_ASSIGN(part.slice, TensorSlice::Parse(v.name.substr(prefix.size(), v.name.size() - prefix.size() - 1)));
        }
        parts.push_back(std::move(part));
      }
    }
  }
  if (parts.empty()) return NotFound("the checkpoint ", pattern_, " has no tensor '", name, "'");
  return parts;
}

Result<Tensor> SavedTensors::Read(const std::string& name, const std::string& shape_and_slice, DType dtype,
                                  ThreadPool& pool, Allocator& allocator) const {
  DF_ASSIGN(const std::vector<Part> parts, Find(name));
  TensorSlice wanted = TensorSlice::Whole(parts[0].slice.full);
  if (!shape_and_slice.empty()) {
    DF_ASSIGN(wanted, TensorSlice::Parse(shape_and_slice));
  }
  for (const Part& part : parts) {
    if (part.variable.dtype == dtype && part.slice.full == wanted.full) continue;
    return InvalidArgument("the tensor '", name, "' is ", part.variable.dtype, part.slice.full, " in the checkpoint ",
                           pattern_, ", but ", dtype, wanted.full, " is wanted");
  }
  DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, dtype, wanted.extent));
  int64_t missing = value.num_elements();
  for (const Part& part : parts) {
    const std::optional<TensorSlice> common = Intersect(part.slice, wanted);
    if (!common) continue;
    DF_ASSIGN(const std::vector<Tensor> read, ReadShard(part.path, {&part.variable, 1}, allocator, helpers_));
    if (part.slice.extent == wanted.extent && part.slice.start == wanted.start) return read[0];
    CopyCommon(pool, part.slice, read[0], wanted, value);
    missing -= common->extent.num_elements();
  }
  if (missing <= 0) return value;
  return NotFound("the checkpoint ", pattern_, " has only a part of the tensor '", name, "'");
}

}  // namespace dfrun
