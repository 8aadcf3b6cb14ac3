// Rows of a dataset too large for memory, read in blocks as the file stores them.
#ifndef DFRUN_KERNELS_IO_HDF5_BLOCKS_H_
#define DFRUN_KERNELS_IO_HDF5_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "src/framework/hdf5_library.h"

namespace dfrun {

// A block is a row of chunks, which HDF5 unpacks whole for any row of it. The blocks used last are kept.
// Thread safety: one thread at a time.
class Hdf5Blocks {
 public:
  // Of a dataset of a plain dtype and at least one row, of whose blocks at most `keep_bytes` bytes are kept, or one.
  Hdf5Blocks(const DatasetInfo& info, size_t keep_bytes);

  // Reads rows [begin, begin + rows' rows) of the dataset.
  using ReadRowsFunction = std::function<Status(int64_t begin, Tensor& rows)>;
  // Copies rows[i] to row at[i] of those that begin at `to`. `read` reads the same dataset at every call.
  Status Gather(const ReadRowsFunction& read, std::span<const int64_t> rows, std::span<const int64_t> at, char* to);

 private:
  struct Block {
    Tensor rows;
    uint64_t last_used = 0;
  };

  Result<const Tensor*> BlockOf(const ReadRowsFunction& read, int64_t number);
  void DropOldest();

  const DatasetInfo info_;
  const size_t row_bytes_;
  const int64_t block_rows_;
  const size_t max_blocks_;
  std::map<int64_t, Block> blocks_;  // by number
  uint64_t uses_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_BLOCKS_H_
