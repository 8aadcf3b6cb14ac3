// HDF5Reader: batches read ahead of need on the source's thread.
#include <atomic>
#include <map>
#include <optional>
#include <set>

#include "kernels/io/hdf5_source.h"
#include "kernels/io/sample_order.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

constexpr int kBatchesAhead = 2;
// Copying this much takes about as long as a sleeping thread takes to run (20 us).
constexpr size_t kCopyBytes = size_t{128} << 10;

using Batch = std::vector<Tensor>;  // one tensor a component

// What a reader kernel shares with the tasks on the source's thread; outlives the kernel while a task runs.
class BatchReader {
 public:
  struct Config {
    std::string path;
    std::vector<std::string> datasets;
    std::vector<DType> dtypes;
    int64_t batch;  // of the whole step; -1: all samples
    bool shuffle;
    uint64_t seed;
    int64_t slice;
    int64_t slices;
  };

  // The source's thread runs this object's tasks to the end before the source goes away.
  BatchReader(Config config, Hdf5Source* source, Allocator& allocator)
      : config_(std::move(config)), source_(source), allocator_(allocator) {}

  // The slice of the batch whose first sample is at `position`. On the source's thread, or where the data set is in
  // memory.
  Result<Batch> Read(int64_t position) {
    if (position < 0) return InvalidArgument("position ", position, " of the samples is negative");
    const int64_t batch = BatchSize();
    const int64_t begin = config_.slice * batch / config_.slices;
    const int64_t end = (config_.slice + 1) * batch / config_.slices;
    std::vector<int64_t> rows;
    {
      MutexLock lock(order_mu_);
      for (int64_t i = begin; i < end; ++i) rows.push_back(config_.batch < 0 ? i : order_->RowAt(position + i));
    }
    Batch tensors;
    for (const Hdf5Source::Dataset* dataset : datasets_) {
      DF_ASSIGN(Tensor t, source_->Gather(*dataset, rows, allocator_));
      tensors.push_back(std::move(t));
    }
    return tensors;
  }

  // Runs done(batch) with the batch at `position`, at once where it has been read ahead, and orders the next ones.
  // Where a batch is a short copy from memory, the caller makes it: waking the source's thread costs more.
  void Request(const std::shared_ptr<BatchReader>& self, int64_t position, std::function<void(Result<Batch>)> done) {
    if (copies_.load(std::memory_order_acquire)) {
      done(Read(position));
      return;
    }
    std::optional<Result<Batch>> ready;
    {
      MutexLock lock(mu_);
      if (auto it = ahead_.find(position); it != ahead_.end()) {
        ready = std::move(it->second);
        ahead_.erase(it);
      }
      if (!ready && !IsOrdered(position)) {  // what was read ahead belongs to a position that was left
        ahead_.clear();
        ordered_.clear();
      }
    }
    if (ready) {
      OrderAhead(self, position);
      done(*std::move(ready));
      return;
    }
    source_->Schedule([self, position, done = std::move(done)] {
      done(self->TakeOrRead(position));
      self->OrderAhead(self, position);
    });
  }

 private:
  // On the source's thread: a batch that was under way when it was asked for is here now.
  Result<Batch> TakeOrRead(int64_t position) {
    {
      MutexLock lock(mu_);
      if (auto it = ahead_.find(position); it != ahead_.end()) {
        Result<Batch> batch = std::move(it->second);
        ahead_.erase(it);
        return batch;
      }
    }
    DF_TRY(Prepare());
    return Read(position);
  }

  void OrderAhead(const std::shared_ptr<BatchReader>& self, int64_t position) {
    if (config_.batch < 0 || copies_.load(std::memory_order_acquire)) return;
    for (int k = 1; k <= kBatchesAhead; ++k) {
      const int64_t next = position + k * config_.batch;
      MutexLock lock(mu_);
      if (IsOrdered(next)) continue;
      ordered_.insert(next);
      ordered_.erase(ordered_.begin(), ordered_.lower_bound(position));
      source_->Schedule([self, next] {
        Result<Batch> batch = self->Read(next);
        MutexLock guard(self->mu_);
        if (self->IsOrdered(next)) self->ahead_.insert_or_assign(next, std::move(batch));
      });
    }
  }

  bool IsOrdered(int64_t position) const REQUIRES(mu_) { return ordered_.count(position) > 0; }

  int64_t BatchSize() const { return config_.batch < 0 ? samples_ : config_.batch; }

  // On the source's thread.
  Status Prepare() {
    if (order_) return Status();
    datasets_.clear();
    size_t sample_bytes = 0;
    bool in_memory = true;
    for (size_t i = 0; i < config_.datasets.size(); ++i) {
      DF_ASSIGN(const Hdf5Source::Dataset* dataset, source_->Find(config_.datasets[i], config_.dtypes[i]));
      const int64_t samples = Hdf5Source::NumSamples(*dataset);
      if (i > 0 && samples != samples_) {
        return InvalidArgument("the datasets of ", config_.path, " differ in their number of samples: '",
                               config_.datasets[0], "' has ", samples_, ", '", config_.datasets[i], "' has ", samples);
      }
      samples_ = samples;
      sample_bytes += Hdf5Source::SampleBytes(*dataset);
      in_memory = in_memory && Hdf5Source::IsInMemory(*dataset);
      datasets_.push_back(dataset);
    }
    order_.emplace(samples_, config_.shuffle, config_.seed);
    const size_t batch_bytes = sample_bytes * static_cast<size_t>(BatchSize() / config_.slices);
    if (in_memory && batch_bytes <= kCopyBytes) copies_.store(true, std::memory_order_release);
    return Status();
  }

  const Config config_;
  Hdf5Source* const source_;
  Allocator& allocator_;
  // Set by Prepare(), before copies_ is.
  std::vector<const Hdf5Source::Dataset*> datasets_;
  int64_t samples_ = 0;
  std::optional<SampleOrder> order_;
  std::atomic<bool> copies_{false};  // Read() may run on any thread
  Mutex order_mu_;                   // held for calls of *order_
  Mutex mu_;
  std::map<int64_t, Result<Batch>> ahead_ GUARDED_BY(mu_);
  std::set<int64_t> ordered_ GUARDED_BY(mu_);
};

class Hdf5ReaderKernel final : public AsyncKernel {
 public:
  explicit Hdf5ReaderKernel(KernelSetup& setup) {
    BatchReader::Config config{setup.attr<std::string>("path"),
                               setup.attr<std::vector<std::string>>("datasets"),
                               setup.attr<std::vector<DType>>("component_types"),
                               setup.attr<int64_t>("batch"),
                               setup.attr<bool>("shuffle"),
                               static_cast<uint64_t>(setup.attr<int64_t>("seed")),
                               setup.attr<int64_t>("slice"),
                               setup.attr<int64_t>("slices")};
    if (config.slice >= config.slices || (config.batch >= 0 && config.batch % config.slices != 0)) {
      setup.Fail(InvalidArgument("slice ", config.slice, " of ", config.slices, " of a batch of ", config.batch,
                                 ": the batch must divide into equal slices"));
    }
    if (!setup.status().ok()) return;
    const std::string path = config.path;
    Result<RefPtr<Hdf5Source>> source =
        setup.device().containers().LookupOrCreate<Hdf5Source>("", path, [&] { return Hdf5Source::Open(path); });
    if (!source.ok()) {
      setup.Fail(source.status());
      return;
    }
    source_ = *std::move(source);
    reader_ = std::make_shared<BatchReader>(std::move(config), source_.get(), setup.device().allocator());
  }

  void ComputeAsync(OpContext& ctx, Callback done) override {
    reader_->Request(reader_, ctx.input(0).scalar<int64_t>(), [&ctx, done](Result<Batch> batch) {
      if (!batch.ok()) {
        done(batch.status());
        return;
      }
      for (size_t i = 0; i < batch->size(); ++i) ctx.SetOutput(static_cast<int>(i), std::move((*batch)[i]));
      done(Status());
    });
  }

 private:
  RefPtr<Hdf5Source> source_;
  std::shared_ptr<BatchReader> reader_;
};

CPU_KERNEL_ANY("HDF5Reader", Hdf5ReaderKernel);

}  // namespace
}  // namespace dfrun
