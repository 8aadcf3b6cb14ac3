#include "kernels/io/sample_set.h"

#include <sched.h>

#include <utility>

#include "kernels/io/watched_source.h"

namespace dfrun {

std::string SampleSetConfig::Key() const {
  std::string key = format;
  const auto add = [&key](std::string_view part) { key += StrCat('\n', part.size(), ' ', part); };
  for (const std::string& file : config.files) add(file);
  for (const auto& [name, value] : config.options) add(StrCat(name, '=', value));
  for (const SampleField& field : fields) {
    add(field.from);
    add(StrCat(field.dtype, field.shape, field.fallback ? "=" + *field.fallback : "", field.is_exact ? "!" : ""));
  }
  for (const RecordIndex::Piece& piece : record_index.pieces)
    add(StrCat(piece.file, ':', piece.begin, ':', piece.records));
  for (const int64_t number : record_index.left_out) add(std::to_string(number));
  add(std::to_string(threads));
  return key;
}

SampleSet::SampleSet(SampleSetConfig config) : config_(std::move(config)) {
  tasks_.emplace_back([this] { static_cast<void>(Load()); });  // every caller of Load() gets the error
  for (int i = 0; i < config_.threads; ++i) threads_.emplace_back([this] { Loop(); });
}

SampleSet::~SampleSet() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  work_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void SampleSet::Schedule(std::function<void()> task) {
  {
    MutexLock lock(mu_);
    tasks_.push_back(std::move(task));
  }
  work_.NotifyOne();
}

void SampleSet::Loop() {
  // Batch scheduling lets the thread that orders batches go on with its step: this thread runs when a core is free or
  // the step waits.
  constexpr sched_param kNone{};
  sched_setscheduler(0, SCHED_BATCH, &kNone);  // a wish
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mu_);
      while (tasks_.empty() && !stopping_) work_.Wait(mu_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

Result<SampleSet::Loaded> SampleSet::Load() {
  MutexLock lock(load_mu_);
  if (!std::exchange(is_open_, true)) status_ = Open();
  DF_TRY(Status(status_));
  return Loaded{source_.get(), samples_};
}

std::shared_ptr<SampleOrder> SampleSet::Order(bool shuffle, uint64_t seed, int64_t buffer) {
  MutexLock lock(load_mu_);
  std::shared_ptr<SampleOrder>& order = orders_[{shuffle, seed, buffer}];
  if (order == nullptr) order = std::make_shared<SampleOrder>(samples_, shuffle, seed, buffer);
  return order;
}

Status SampleSet::Open() {
  const SampleFormat* format = SampleFormats::Find(config_.format);
  if (format == nullptr) return NotFound("there is no format of samples '", config_.format, "'");
  if (config_.config.files.empty()) return InvalidArgument("a data set needs files");
  DF_ASSIGN(std::unique_ptr<SampleSource> source, format->open(config_.config));
  source_ = Watched(std::move(source));
  for (SampleField field : config_.fields) DF_TRY(source_->AddField(field));
  DF_ASSIGN(samples_, source_->Load(config_.record_index));
  return samples_ > 0 ? Status() : InvalidArgument("there are no samples in ", config_.config.files[0]);
}

}  // namespace dfrun
