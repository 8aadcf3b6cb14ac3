// Rows of a dataset too large for memory, read in blocks as the file stores them.
#ifndef DFRUN_KERNELS_IO_HDF5_HDF5_BLOCKS_H_
#define DFRUN_KERNELS_IO_HDF5_HDF5_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "kernels/io/hdf5/hdf5_block_memory.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

// A block is a row of chunks, which HDF5 unpacks whole for any row of it.
// Thread safety: one thread at a time.
class Hdf5Blocks {
 public:
  // Reads blocks of a dataset of a plain dtype with at least one row.
  Hdf5Blocks(const DatasetInfo& info, std::shared_ptr<Hdf5BlockMemory> memory);
  ~Hdf5Blocks();
  Hdf5Blocks(const Hdf5Blocks&) = delete;
  Hdf5Blocks& operator=(const Hdf5Blocks&) = delete;

  // Reads rows [begin, begin + rows' rows) of the dataset.
  using ReadRowsFunction = std::function<Status(int64_t begin, Tensor& rows)>;
  // Copies rows[i] to row at[i] of those that begin at `to`. `read` reads the same dataset at every call.
  Status Gather(const ReadRowsFunction& read, std::span<const int64_t> rows, std::span<const int64_t> at, char* to);

 private:
  Result<std::shared_ptr<const Tensor>> BlockOf(const ReadRowsFunction& read, int64_t number);

  const DatasetInfo info_;
  const size_t row_bytes_;
  const int64_t block_rows_;
  const std::shared_ptr<Hdf5BlockMemory> memory_;
  const uint64_t dataset_;  // in memory_
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_HDF5_BLOCKS_H_
