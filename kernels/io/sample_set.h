// A data set on a device, and the threads that read from it ahead of need.
#ifndef DFRUN_KERNELS_IO_SAMPLE_SET_H_
#define DFRUN_KERNELS_IO_SAMPLE_SET_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "kernels/io/sample_order.h"
#include "src/base/mutex.h"
#include "src/framework/values/resource.h"
#include "src/storage/sample_source.h"

namespace dfrun {

// The configuration of a data set; equal ones on a device share a set.
struct SampleSetConfig {
  std::string format;
  SampleConfig config;
  std::vector<SampleField> fields;
  RecordIndex record_index = {};  // without pieces: not counted yet
  int threads = 1;

  std::string Key() const;
};

// Thread safety: all methods from any thread.
class SampleSet final : public Resource {
 public:
  explicit SampleSet(SampleSetConfig config);
  ~SampleSet() override;

  // Runs a task on one of the set's threads; tasks begin in the order in which they were scheduled.
  void Schedule(std::function<void()> task);

  // Opens and loads the files at the first call; blocks while another does, as the set's threads do from the beginning
  // on. The source and the number of samples.
  struct Loaded {
    SampleSource* source = nullptr;
    int64_t samples = 0;
  };
  Result<Loaded> Load();
  // The order of its samples, which readers with equal arguments share. After Load().
  std::shared_ptr<SampleOrder> Order(bool shuffle, uint64_t seed, int64_t buffer) EXCLUDES(load_mu_);

  std::string DebugString() const override { return "data set " + config_.config.files[0]; }

 private:
  Status Open() REQUIRES(load_mu_);
  void Loop();

  const SampleSetConfig config_;
  Mutex load_mu_;
  std::unique_ptr<SampleSource> source_ GUARDED_BY(load_mu_);
  int64_t samples_ GUARDED_BY(load_mu_) = 0;
  bool is_open_ GUARDED_BY(load_mu_) = false;
  Status status_ GUARDED_BY(load_mu_);  // result of Open()
  std::map<std::tuple<bool, uint64_t, int64_t>, std::shared_ptr<SampleOrder>> orders_ GUARDED_BY(load_mu_);

  Mutex mu_;
  CondVar work_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_SAMPLE_SET_H_
