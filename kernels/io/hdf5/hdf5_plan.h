// Hdf5Plan: the rules by which the files of an HDF5 data set are kept open and in memory.
#ifndef DFRUN_KERNELS_IO_HDF5_HDF5_PLAN_H_
#define DFRUN_KERNELS_IO_HDF5_HDF5_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/io/hdf5/hdf5_block_memory.h"
#include "src/storage/hdf5_layout.h"

namespace dfrun {

// The sums over the datasets of all files.
struct Hdf5Sizes {
  size_t files = 0;
  uint64_t stored = 0;    // bytes of datasets that are read as the file has them
  uint64_t unpacked = 0;  // and of those that HDF5 must unpack

  void Add(const Hdf5Layout& file);
};

// The plan for every file of the data set.
// Thread safety: const.
struct Hdf5Plan {
  static Hdf5Plan For(const Hdf5Sizes& sizes);

  bool maps = false;            // contiguous datasets
  bool touches = false;         // and brings them into memory before the first sample is needed
  bool copies = false;          // contiguous datasets, instead: a batch then looks at none of many small files
  bool keeps_open = false;      // files that are mapped
  bool keeps_unpacked = false;  // datasets that must be unpacked, whole; else in blocks
  bool loads_all = false;       // before the first sample is needed; else each file when it is
  size_t most_open = 0;         // files that may be open at once
  size_t most_kept = 0;         // bytes of data unpacked whole, but for the file used last
  std::shared_ptr<Hdf5BlockMemory> blocks = {};
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_HDF5_PLAN_H_
