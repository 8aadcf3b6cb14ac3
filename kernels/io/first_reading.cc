#include "kernels/io/first_reading.h"

#include <algorithm>

#include "src/base/crc32c.h"

namespace dfrun {

FirstReading::FirstReading(int64_t samples)
    : samples_(std::clamp<int64_t>(samples, 0, kMax)), pages_(static_cast<size_t>((samples_ + kPage - 1) / kPage)) {}

FirstReading::~FirstReading() {
  for (std::atomic<Page*>& page : pages_) delete[] reinterpret_cast<std::atomic<uint32_t>*>(page.load());
}

// The checksum of a sample. If two threads make the same page, one page is dropped.
std::atomic<uint32_t>& FirstReading::At(int64_t sample) {
  std::atomic<Page*>& slot = pages_[static_cast<size_t>(sample / kPage)];
  Page* page = slot.load(std::memory_order_acquire);
  if (page == nullptr) {
    auto* const made = reinterpret_cast<Page*>(new std::atomic<uint32_t>[kPage]());
    if (slot.compare_exchange_strong(page, made, std::memory_order_acq_rel)) {
      page = made;
    } else {
      delete[] reinterpret_cast<std::atomic<uint32_t>*>(made);
    }
  }
  return (*page)[sample % kPage];
}

bool FirstReading::IsSame(int64_t sample, const void* data, size_t bytes) {
  if (sample >= samples_) return true;
  const uint32_t now = std::max<uint32_t>(Crc32c(data, bytes), 1);  // 0: not read yet
  uint32_t first = 0;
  return At(sample).compare_exchange_strong(first, now, std::memory_order_relaxed) || first == now;
}

}  // namespace dfrun
