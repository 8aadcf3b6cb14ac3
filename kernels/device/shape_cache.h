// A cache by shape of the objects that a kernel prepares (primitives, plans), for kernels whose shapes are not static.
// Thread safety: all methods from any thread.
#ifndef DFRUN_KERNELS_DEVICE_SHAPE_CACHE_H_
#define DFRUN_KERNELS_DEVICE_SHAPE_CACHE_H_

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun {

// Key has ==. Holds the newest few.
template <class Key, class Plan>
class ShapeCache {
 public:
  // The plan for `key`, made by `make()` (a Result<std::shared_ptr<const Plan>>) where there is none.
  template <class Make>
  Result<std::shared_ptr<const Plan>> Get(const Key& key, Make&& make) {
    if (auto found = Find(key)) return found;
    DF_ASSIGN(std::shared_ptr<const Plan> made, make());  // outside the lock: it may take a millisecond
    MutexLock lock(mu_);
    if (entries_.size() == kCapacity) entries_.pop_back();
    entries_.insert(entries_.begin(), {key, made});
    return made;
  }

 private:
  static constexpr size_t kCapacity = 16;

  std::shared_ptr<const Plan> Find(const Key& key) {
    MutexLock lock(mu_);
    auto it = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
    return it == entries_.end() ? nullptr : it->second;
  }

  Mutex mu_;
  std::vector<std::pair<Key, std::shared_ptr<const Plan>>> entries_ GUARDED_BY(mu_);  // newest first
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_SHAPE_CACHE_H_
