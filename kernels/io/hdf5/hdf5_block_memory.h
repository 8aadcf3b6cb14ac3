// Unpacked blocks of rows, of all HDF5 files of a data set together; those used last are kept.
#ifndef DFRUN_KERNELS_IO_HDF5_HDF5_BLOCK_MEMORY_H_
#define DFRUN_KERNELS_IO_HDF5_HDF5_BLOCK_MEMORY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "src/base/mutex.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Thread safety: all methods from any thread.
class Hdf5BlockMemory {
 public:
  // Keeps at most `bytes` bytes, or one block.
  explicit Hdf5BlockMemory(size_t bytes) : most_bytes_(bytes) {}

  size_t most_bytes() const { return most_bytes_; }
  // A number for a dataset, which distinguishes its blocks from those of others.
  uint64_t NewDataset() EXCLUDES(mu_);

  // Null where it is not kept.
  std::shared_ptr<const Tensor> Find(uint64_t dataset, int64_t block) EXCLUDES(mu_);
  void Keep(uint64_t dataset, int64_t block, std::shared_ptr<const Tensor> rows) EXCLUDES(mu_);
  // All blocks of a dataset.
  void Drop(uint64_t dataset) EXCLUDES(mu_);

 private:
  struct Name {
    uint64_t dataset;
    int64_t block;
    auto operator<=>(const Name&) const = default;
  };
  struct Block {
    Name name;
    std::shared_ptr<const Tensor> rows;
  };
  using Blocks = std::list<Block>;

  void Remove(std::map<Name, Blocks::iterator>::iterator it) REQUIRES(mu_);

  const size_t most_bytes_;
  Mutex mu_;
  uint64_t datasets_ GUARDED_BY(mu_) = 0;
  size_t bytes_ GUARDED_BY(mu_) = 0;
  Blocks blocks_ GUARDED_BY(mu_);  // the last used first
  std::map<Name, Blocks::iterator> by_name_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_HDF5_BLOCK_MEMORY_H_
