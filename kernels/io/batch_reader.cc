#include "kernels/io/batch_reader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace dfrun {
namespace {

// The number of batches for which a thread is woken if reading one takes no longer than waking it: half are read when
// the other half has been taken.
constexpr int64_t kShortBatchesAhead = 8;

}  // namespace

void BatchReader::Request(int64_t position, const Done& done) {
  if (short_copies_.load(std::memory_order_acquire)) {
    done(TakeOrRead(position));
    return;
  }
  std::optional<Result<Batch>> ready;
  bool is_new = false;
  {
    MutexLock lock(mu_);
    auto it = orders_.find(position);
    is_new = it == orders_.end();
    if (!is_new && it->second.batch) {
      ready = std::move(it->second.batch);
      orders_.erase(it);
    } else {
      if (is_new) DropUnasked();
      orders_[position].waiting.push_back(done);
    }
  }
  if (is_new) set_->Schedule([self = shared_from_this(), position] { self->ReadAndDeliver(position); });
  OrderAhead(position);
  if (ready) done(*std::move(ready));
}

void BatchReader::ReadAndDeliver(int64_t position) {
  {
    MutexLock lock(mu_);
    auto it = orders_.find(position);
    if (it == orders_.end()) return;  // the reader has moved to another position
  }
  Result<Batch> batch = Read(position);
  std::vector<Done> waiting;
  {
    MutexLock lock(mu_);
    auto it = orders_.find(position);
    if (it == orders_.end()) return;
    waiting = std::move(it->second.waiting);
    if (waiting.empty()) {
      it->second.batch = std::move(batch);
      return;
    }
    orders_.erase(it);
  }
  for (Done& done : waiting) done(batch);
}

Result<BatchReader::Batch> BatchReader::TakeOrRead(int64_t position) {
  std::optional<Result<Batch>> ready;
  std::vector<int64_t> ordered;
  {
    MutexLock lock(mu_);
    auto it = orders_.find(position);
    if (it == orders_.end()) {
      DropUnasked();
    } else if (it->second.waiting.empty()) {
      ready = std::move(it->second.batch);
      orders_.erase(it);
    }
    const int64_t ahead = config_.prefetch == 0 ? 0 : std::max(config_.prefetch, kShortBatchesAhead);
    if (static_cast<int64_t>(orders_.size()) <= ahead / 2) ordered = Order(position, ahead);
  }
  if (!ordered.empty()) {
    set_->Schedule([self = shared_from_this(), ordered = std::move(ordered)] {
      for (const int64_t next : ordered) self->ReadAndDeliver(next);
    });
  }
  return ready ? *std::move(ready) : Read(position);
}

void BatchReader::OrderAhead(int64_t position) {
  std::vector<int64_t> ordered;
  {
    MutexLock lock(mu_);
    ordered = Order(position, config_.prefetch);
  }
  for (int64_t next : ordered) {
    set_->Schedule([self = shared_from_this(), next] { self->ReadAndDeliver(next); });
  }
}

std::vector<int64_t> BatchReader::Order(int64_t position, int64_t ahead) {
  std::vector<int64_t> ordered;
  if (config_.batch < 0 || position < 0 || position > std::numeric_limits<int64_t>::max() / 2) return ordered;
  for (int64_t k = 1; k <= ahead; ++k) {
    const int64_t next = position + k * config_.batch;
    if (orders_.try_emplace(next).second) ordered.push_back(next);
  }
  return ordered;
}

void BatchReader::DropUnasked() {
  std::erase_if(orders_, [](const auto& order) { return order.second.waiting.empty(); });
}

Result<BatchReader::Batch> BatchReader::Read(int64_t position) {
  DF_ASSIGN(const Prepared* const prepared, Prepare());
  DF_ASSIGN(const std::vector<int64_t> samples, SamplesAt(position, *prepared));
  return prepared->source->Gather(samples, allocator_);
}

Result<const BatchReader::Prepared*> BatchReader::Prepare() {
  if (const Prepared* prepared = is_prepared_.load(std::memory_order_acquire)) return prepared;
  DF_ASSIGN(const SampleSet::Loaded loaded, set_->Load());
  MutexLock lock(prepared_mu_);
  if (const Prepared* prepared = is_prepared_.load(std::memory_order_acquire)) return prepared;
  prepared_ = {loaded.source, loaded.samples, set_->Order(config_.shuffle, config_.seed, config_.shuffle_buffer)};
  const int64_t batch = config_.batch < 0 ? loaded.samples : config_.batch;
  short_copies_.store(loaded.source->IsShortCopy(batch / config_.slices), std::memory_order_release);
  is_prepared_.store(&prepared_, std::memory_order_release);
  return static_cast<const Prepared*>(&prepared_);
}

Result<std::vector<int64_t>> BatchReader::SamplesAt(int64_t position, const Prepared& prepared) {
  const int64_t batch = config_.batch < 0 ? prepared.samples : config_.batch;
  const int64_t begin = config_.slice * batch / config_.slices;
  const int64_t end = (config_.slice + 1) * batch / config_.slices;
  if (position < 0 || position > std::numeric_limits<int64_t>::max() - end) {
    return InvalidArgument("there is no position ", position, " of the samples");
  }
  std::vector<int64_t> samples(static_cast<size_t>(end - begin));
  if (config_.batch < 0) {
    std::iota(samples.begin(), samples.end(), begin);
    return samples;
  }
  prepared.order->RowsFrom(position + begin, samples);
  if (const std::optional<int64_t> epoch = prepared.order->EpochToDraw(position + begin)) {
    set_->Schedule([order = prepared.order, epoch = *epoch] { order->Draw(epoch); });
  }
  return samples;
}

}  // namespace dfrun
