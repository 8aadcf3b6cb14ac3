// Batches of a data set by position, read ahead of need on the set's threads.
#ifndef DFRUN_KERNELS_IO_BATCH_READER_H_
#define DFRUN_KERNELS_IO_BATCH_READER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/io/sample_set.h"

namespace dfrun {

// The state that a reader kernel shares with the tasks on the set's threads; outlives it while a task runs. A batch is
// a function of its position alone: which thread reads it, and when, makes no difference.
// Thread safety: all methods from any thread.
class BatchReader : public std::enable_shared_from_this<BatchReader> {
 public:
  struct Config {
    int64_t batch = 0;  // size for the whole step; -1: all samples
    bool shuffle = false;
    int64_t shuffle_buffer = 0;
    uint64_t seed = 0;
    int64_t slice = 0;  // this reader's, of
    int64_t slices = 1;
    int64_t prefetch = 2;  // batches
  };
  using Batch = std::vector<Tensor>;  // one tensor a field
  using Done = std::function<void(Result<Batch>)>;

  // The set's threads run this object's tasks to the end before the set is destroyed.
  BatchReader(const Config& config, SampleSet* set, Allocator& allocator)
      : config_(config), set_(set), allocator_(allocator) {}

  // Runs done(batch) with this slice of the batch whose first sample is at `position`: at once where it has been read
  // ahead, else on a thread of the set. Orders the next ones.
  void Request(int64_t position, const Done& done);

 private:
  // A batch that was ordered: read, or awaited by `waiting`, or neither as yet.
  struct Ordered {
    std::optional<Result<Batch>> batch;
    std::vector<Done> waiting;
  };

  Result<Batch> Read(int64_t position);
  // Gives a batch that is a short copy. A batch that is not there yet is read by the caller, who would wait longer for
  // a thread.
  Result<Batch> TakeOrRead(int64_t position) EXCLUDES(mu_);
  void ReadAndDeliver(int64_t position) EXCLUDES(mu_);
  void OrderAhead(int64_t position) EXCLUDES(mu_);
  // Adds those of the `ahead` batches after a position that were not ordered yet: their positions.
  std::vector<int64_t> Order(int64_t position, int64_t ahead) REQUIRES(mu_);
  // Drops the orders: the reader has moved to another position.
  void DropUnasked() REQUIRES(mu_);
  // The loaded data set.
  struct Prepared {
    SampleSource* source = nullptr;
    int64_t samples = 0;
    std::shared_ptr<SampleOrder> order;
  };
  Result<const Prepared*> Prepare() EXCLUDES(prepared_mu_);
  // The numbers of the samples of a batch.
  Result<std::vector<int64_t>> SamplesAt(int64_t position, const Prepared& prepared);

  const Config config_;
  SampleSet* const set_;
  Allocator& allocator_;
  std::atomic<bool> short_copies_{false};              // Read() may run on any thread
  std::atomic<const Prepared*> is_prepared_{nullptr};  // points to prepared_, which does not change then
  Mutex prepared_mu_;
  Prepared prepared_;  // written with prepared_mu_ held
  Mutex mu_;
  std::map<int64_t, Ordered> orders_ GUARDED_BY(mu_);  // by position
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_BATCH_READER_H_
