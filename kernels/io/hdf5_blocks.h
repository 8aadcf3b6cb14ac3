// Rows of a dataset too large for memory, read in blocks as the file stores them.
#ifndef DFRUN_KERNELS_IO_HDF5_BLOCKS_H_
#define DFRUN_KERNELS_IO_HDF5_BLOCKS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "src/framework/hdf5_file.h"

namespace dfrun {

// A block is a row of chunks, which HDF5 unpacks whole for any row of it. The blocks used last are kept.
// Thread safety: one thread at a time.
class Hdf5Blocks {
 public:
  // Of a dataset of a plain dtype and at least one row.
  Hdf5Blocks(std::string name, const DatasetInfo& info);

  // Copies rows to rows 0, 1, 2, ... of `to`. The file is the same at every call.
  Status Gather(Hdf5File& file, std::span<const int64_t> rows, Tensor& to);

 private:
  struct Block {
    Tensor rows;
    uint64_t last_used = 0;
  };

  Result<const Tensor*> BlockOf(Hdf5File& file, int64_t number);
  void DropOldest();

  const std::string name_;
  const DatasetInfo info_;
  const size_t row_bytes_;
  const int64_t block_rows_;
  const size_t max_blocks_;
  std::map<int64_t, Block> blocks_;  // by number
  uint64_t uses_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_BLOCKS_H_
