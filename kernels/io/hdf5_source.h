// An open HDF5 file of samples, and the thread that reads from it ahead of need.
#ifndef DFRUN_KERNELS_IO_HDF5_SOURCE_H_
#define DFRUN_KERNELS_IO_HDF5_SOURCE_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/resource.h"
#include "src/framework/tensor.h"

namespace dfrun {

// Shared by all readers of one file on a device. Thread safety: Schedule() from any thread; the rest on the source's
// own thread, which runs tasks in the order in which they were scheduled.
class Hdf5Source final : public Resource {
 public:
  static Result<Hdf5Source*> Open(const std::string& path);
  ~Hdf5Source() override;

  void Schedule(std::function<void()> task);

  // Sizes of a dataset, of a dtype. InvalidArgument where the dataset has another dtype or no first dimension.
  Result<Shape> ShapeOf(const std::string& dataset, DType dtype);
  // Rows `rows` of the dataset as one tensor [rows.size(), ...].
  Result<Tensor> Gather(const std::string& dataset, const std::vector<int64_t>& rows, Allocator& allocator);

  std::string DebugString() const override { return "HDF5 file " + path_; }

 private:
  struct Dataset;
  struct File;

  explicit Hdf5Source(std::string path);
  Result<Dataset*> Find(const std::string& name);
  void Loop();

  const std::string path_;
  std::unique_ptr<File> file_;
  std::map<std::string, std::unique_ptr<Dataset>> datasets_;
  Mutex mu_;
  CondVar work_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_SOURCE_H_
