// Asks about HDF5 files that may be anyone's, of child processes that open them.
//
// A child has limits on its memory, and at each request on its time: a file that makes HDF5 crash or never end costs
// the child, and an error that names the file. The next request, of that file or of another, has a new child.
#ifndef DFRUN_SRC_STORAGE_HDF5_HELPERS_H_
#define DFRUN_SRC_STORAGE_HDF5_HELPERS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/helper_process.h"
#include "src/base/mutex.h"
#include "src/storage/hdf5_library.h"
#include "src/storage/hdf5_structures.h"

namespace dfrun {

namespace hdf5 {  // src/storage/hdf5_helper.proto
class Reply;
class Request;
}  // namespace hdf5

// A file as it is asked about; a relative path begins at this process's working directory.
struct Hdf5Path {
  std::string path;
  Hdf5Rules rules = {};
};

// The child processes that open HDF5 files. A child is started when all others are at work, and stays for later
// requests. In a program that has no helper this process opens the files.
// Thread safety: all methods from any thread; as many requests run at once as there are children.
class Hdf5Helpers {
 public:
  Hdf5Helpers();
  ~Hdf5Helpers();
  Hdf5Helpers(const Hdf5Helpers&) = delete;
  Hdf5Helpers& operator=(const Hdf5Helpers&) = delete;

  // Opens the file. NotFound where there is no file, DataLoss where it is no HDF5 file or is damaged, or takes more
  // time than it may. The other methods have these errors too.
  // Blocks: for the child's answer, as all methods do.
  Status Open(const Hdf5Path& file);
  // Lists datasets like Hdf5Structure::List(); the answer may be false.
  Result<std::vector<std::string>> List(const Hdf5Path& file);
  // Inspects a dataset like Hdf5Structure::Inspect(), but the answer may be false.
  Result<DatasetInfo> Inspect(const Hdf5Path& file, const std::string& dataset);
  // `bytes`: that are read and unpacked, at most; they decide how long it may take.
  Status Read(const Hdf5Path& file, const std::string& dataset, uint64_t bytes, Tensor& to);
  Status ReadRows(const Hdf5Path& file, const std::string& dataset, int64_t begin, Tensor& to);

  // Ends the children that are not at work.
  void EndIdle() EXCLUDES(mu_);

 private:
  class Conversation;
  using Child = std::unique_ptr<HelperProcess>;
  // Calls use(conversation) with a child, in a program that has a helper. A child that has answered is kept.
  Status AskChild(const std::string& what, const std::function<Status(Conversation& child)>& use);
  // Calls use(structure) in this process, in a program that has no helper.
  Status AskHere(const Hdf5Path& file, const std::function<Status(Hdf5Structure& structure)>& use) EXCLUDES(mu_);
  Result<Child> Take() EXCLUDES(mu_);
  void Keep(Child child) EXCLUDES(mu_);

  Mutex mu_;
  std::vector<Child> idle_ GUARDED_BY(mu_);
  Hdf5Structures here_ GUARDED_BY(mu_);  // in a program without a helper
};

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_HDF5_HELPERS_H_
