#include "kernels/device/cuda/runtime/device_error_flags.h"

#include <utility>

namespace dfrun::cuda {

int32_t* DeviceErrorFlags::Add(std::string text) {
  constexpr size_t kWords = 1024;
  MutexLock lock(mu_);
  if (free_.empty()) {
    auto* const words = static_cast<int32_t*>(host_.Allocate(kWords * sizeof(int32_t)));
    if (words == nullptr) return nullptr;
    for (size_t i = kWords; i-- > 0;) free_.push_back(words + i);
  }
  int32_t* const word = free_.back();
  free_.pop_back();
  *word = 0;
  entries_.push_back({word, std::move(text)});
  return word;
}

void DeviceErrorFlags::Remove(int32_t* word) {
  MutexLock lock(mu_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.word == word; });
  free_.push_back(word);
}

Status DeviceErrorFlags::Take() {
  Status first;
  MutexLock lock(mu_);
  for (const Entry& entry : entries_) {
    if (*entry.word == 0) continue;
    *entry.word = 0;
    if (first.ok()) first = InvalidArgument(entry.text);
  }
  return first;
}

}  // namespace dfrun::cuda
