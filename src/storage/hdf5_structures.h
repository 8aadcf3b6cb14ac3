// HDF5 files that this process has open at once.
#ifndef DFRUN_SRC_STORAGE_HDF5_STRUCTURES_H_
#define DFRUN_SRC_STORAGE_HDF5_STRUCTURES_H_

#include <list>
#include <memory>
#include <string>

#include "src/storage/hdf5_library.h"

namespace dfrun {

// A cache of open files: the files used last stay open, with the answers about them.
// Thread safety: one thread at a time.
class Hdf5Structures {
 public:
  // The file; valid until the next call. Errors of Hdf5Library::Open().
  Result<Hdf5Structure*> Open(const std::string& path, const Hdf5Rules& rules);

 private:
  struct OpenFile {
    std::string path;
    Hdf5Rules rules;
    std::unique_ptr<Hdf5Structure> structure;
  };
  std::list<OpenFile> files_;  // the last used first
};

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_STRUCTURES_H_
