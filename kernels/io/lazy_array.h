// Numbered objects that are made when they are first asked for.
#ifndef DFRUN_KERNELS_IO_LAZY_ARRAY_H_
#define DFRUN_KERNELS_IO_LAZY_ARRAY_H_

#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun {

// Objects that are made on first use and live as long as this array.
// Thread safety: all methods from any thread.
template <class T>
class LazyArray {
 public:
  explicit LazyArray(size_t count) : made_(count) {}
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;
  ~LazyArray() {
    for (std::atomic<const T*>& made : made_) delete made.load();
  }

  // Object i. If there is none, make() -> Result<std::unique_ptr<const T>> runs; an error or null is returned and not
  // kept.
  // Blocks: while another thread makes the same object.
  template <class Make>
  Result<const T*> Get(size_t i, Make&& make) {
    if (const T* made = made_[i].load(std::memory_order_acquire)) return made;
    MutexLock lock(locks_[i % locks_.size()]);
    if (const T* made = made_[i].load(std::memory_order_acquire)) return made;
    Result<std::unique_ptr<const T>> result = make();
    if (!result.ok()) return result.status();
    const T* made = result->release();
    made_[i].store(made, std::memory_order_release);
    return made;
  }

 private:
  std::vector<std::atomic<const T*>> made_;
  std::array<Mutex, 16> locks_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_LAZY_ARRAY_H_
