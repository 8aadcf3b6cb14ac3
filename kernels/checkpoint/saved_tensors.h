// Checkpoints that ops write and read under names of their own: directories in the format of src/checkpoint/FORMAT.md.
#ifndef DFRUN_KERNELS_CHECKPOINT_SAVED_TENSORS_H_
#define DFRUN_KERNELS_CHECKPOINT_SAVED_TENSORS_H_

#include <memory>
#include <string>
#include <vector>

#include "kernels/checkpoint/tensor_slice.h"
#include "src/checkpoint/store.h"
#include "src/storage/file_access.h"
#include "src/storage/hdf5_helpers.h"

namespace dfrun {

// A tensor to save. `shape_and_slice`: empty for all of a tensor, else which part `value` is.
struct TensorToSave {
  std::string name;
  std::string shape_and_slice;
  Tensor value;
};

// Writes the checkpoint `path`, which stands under that name whole or not at all. InvalidArgument for names that cannot
// be datasets or come twice, and parts that are not their tensors' shapes.
Status SaveTensors(const std::string& path, const std::vector<TensorToSave>& tensors);

// A checkpoint that was merged into another.
struct MergedPart {
  std::string path;
  FileId id;
};

// Makes the checkpoint `destination` of all tensors of the checkpoints `parts`, and returns those that there were.
// InvalidArgument for a tensor that two have, and where there is no part; NotFound for a missing one, unless
// `allow_missing`. The parts stay.
Result<std::vector<MergedPart>> MergeCheckpoints(const std::vector<std::string>& parts, const std::string& destination,
                                                 bool allow_missing);

// One or several checkpoints, read as one.
class SavedTensors {
 public:
  // The checkpoint `pattern`, or all whose paths fit it: `*`, `?` and `[...]` have the shell's meaning. NotFound where
  // there is none; DataLoss where one is damaged; BadSpec where `access` forbids it.
  static Result<SavedTensors> Open(const std::string& pattern, const FileAccess& access);

  // All of tensor `name`, or the part that `shape_and_slice` names. NotFound with the name; InvalidArgument for another
  // dtype or shape than the saved one.
  Result<Tensor> Read(const std::string& name, const std::string& shape_and_slice, DType dtype, ThreadPool& pool,
                      Allocator& allocator) const;

 private:
  struct Part {
    std::string path;  // path of the shard
    SavedVariable variable;
    TensorSlice slice;
  };

  Result<std::vector<Part>> Find(const std::string& name) const;

  std::vector<CheckpointStore::Checkpoint> checkpoints_;
  std::string pattern_;
  std::shared_ptr<Hdf5Helpers> helpers_ = std::make_shared<Hdf5Helpers>();  // shared by all its shards
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CHECKPOINT_SAVED_TENSORS_H_
