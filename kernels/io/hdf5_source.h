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

// Shared by all readers of one file on a device. Thread safety: Schedule() from any thread; Find() on the source's own
// thread, which runs tasks in the order in which they were scheduled; Gather() as its Dataset says.
class Hdf5Source final : public Resource {
 public:
  // A dataset whose first dimension counts samples. Lives as long as its source.
  struct Dataset;

  static Result<Hdf5Source*> Open(const std::string& path);
  ~Hdf5Source() override;

  void Schedule(std::function<void()> task);

  // InvalidArgument where the dataset is not of `dtype` or has no samples.
  Result<const Dataset*> Find(const std::string& name, DType dtype);
  static int64_t NumSamples(const Dataset& dataset);
  static size_t SampleBytes(const Dataset& dataset);
  // True where the samples are in memory: Gather() may then be called from any thread, and takes no longer than a copy.
  static bool IsInMemory(const Dataset& dataset);

  // Rows `rows` of the dataset as one tensor [rows.size(), ...].
  Result<Tensor> Gather(const Dataset& dataset, const std::vector<int64_t>& rows, Allocator& allocator);

  std::string DebugString() const override { return "HDF5 file " + path_; }

 private:
  struct File;

  explicit Hdf5Source(std::string path);
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
