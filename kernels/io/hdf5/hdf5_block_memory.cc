#include "kernels/io/hdf5/hdf5_block_memory.h"

#include <utility>

namespace dfrun {

uint64_t Hdf5BlockMemory::NewDataset() {
  MutexLock lock(mu_);
  return datasets_++;
}

std::shared_ptr<const Tensor> Hdf5BlockMemory::Find(uint64_t dataset, int64_t block) {
  MutexLock lock(mu_);
  const auto it = by_name_.find({dataset, block});
  if (it == by_name_.end()) return nullptr;
  blocks_.splice(blocks_.begin(), blocks_, it->second);
  return it->second->rows;
}

void Hdf5BlockMemory::Keep(uint64_t dataset, int64_t block, std::shared_ptr<const Tensor> rows) {
  MutexLock lock(mu_);
  if (by_name_.contains({dataset, block})) return;  // another thread has read it too
  bytes_ += rows->num_bytes();
  blocks_.push_front({{dataset, block}, std::move(rows)});
  by_name_[blocks_.front().name] = blocks_.begin();
  while (bytes_ > most_bytes_ && blocks_.size() > 1) Remove(by_name_.find(blocks_.back().name));
}

void Hdf5BlockMemory::Drop(uint64_t dataset) {
  MutexLock lock(mu_);
  auto it = by_name_.lower_bound({dataset, 0});
  while (it != by_name_.end() && it->first.dataset == dataset) Remove(it++);
}

void Hdf5BlockMemory::Remove(std::map<Name, Blocks::iterator>::iterator it) {
  bytes_ -= it->second->rows->num_bytes();
  blocks_.erase(it->second);
  by_name_.erase(it);
}

}  // namespace dfrun
