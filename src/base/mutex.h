// A mutex that clang's -Wthread-safety can reason about. Members that it guards carry GUARDED_BY.
#ifndef DFRUN_SRC_BASE_MUTEX_H_
#define DFRUN_SRC_BASE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "src/base/cpu_pause.h"

#if defined(__clang__)
#define DF_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define DF_THREAD_ANNOTATION(x)
#endif
#define CAPABILITY(x) DF_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY DF_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) DF_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) DF_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) DF_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) DF_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define EXCLUDES(...) DF_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS DF_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace dfrun {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  // Tries for about 1 us before it sleeps: mostly the holder unlocks sooner than a sleeper could be woken.
  void Lock() ACQUIRE() NO_THREAD_SAFETY_ANALYSIS {
    for (int i = 0; i < kTries; ++i) {
      if (mu_.try_lock()) return;
      CpuPause();
    }
    mu_.lock();
  }
  void Unlock() RELEASE() { mu_.unlock(); }

 private:
  static constexpr int kTries = 32;

  friend class CondVar;
  std::mutex mu_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ACQUIRE(mu) : mu_(mu) { mu_.Lock(); }
  ~MutexLock() RELEASE() { mu_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

// Waits may wake spuriously: callers loop on their condition.
class CondVar {
 public:
  void Wait(Mutex& mu) REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // Returns false when `timeout` passed without a notification.
  template <class Rep, class Period>
  bool WaitFor(Mutex& mu, std::chrono::duration<Rep, Period> timeout) REQUIRES(mu) NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    bool notified = cv_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_MUTEX_H_
