// The thread pool that kernels see: an interface, so that kernels depend on no executor.
#ifndef DFRUN_SRC_BASE_THREADS_H_
#define DFRUN_SRC_BASE_THREADS_H_

#include <cstdint>
#include <memory>
#include <type_traits>

namespace dfrun {

// A reference to a callable that outlives the call it is passed to. Never allocates.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): passed as a lambda
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Thread safety: all methods from any thread.
class ThreadPool {
 public:
  virtual ~ThreadPool() = default;

  // Threads that kernels may use, the caller's included; at least 1.
  virtual int num_threads() const = 0;

  // The number of threads, the caller's included, with which it pays to share blocks of a few microseconds: those that
  // look for work now, or else one that sleeps, since a woken thread looks for work for a while. The number changes at
  // any time, so results must not depend on it.
  virtual int ready_threads() const = 0;

  // Calls body(i) for every i in [0, blocks) exactly once, from the caller and idle workers, and returns when all have
  // run. Each thread begins with its own part of the blocks, the same part in every call, so that its caches still hold
  // what it wrote in the last kernel. Any thread may take over a block, so results must depend on the block's index
  // alone. May be nested.
  virtual void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) = 0;

  // Splits [0, total) into blocks of `block` elements (the last may be shorter). Bounds depend on the arguments alone,
  // never on the thread count, so that sums over blocks are the same on any number of threads.
  void ParallelFor(int64_t total, int64_t block, FunctionRef<void(int64_t begin, int64_t end)> body) {
    if (total <= block) {
      if (total > 0) body(0, total);
      return;
    }
    RunBlocks((total + block - 1) / block, [&](int64_t i) {
      const int64_t begin = i * block;
      body(begin, begin + block < total ? begin + block : total);
    });
  }

  // Splits [0, total) into blocks of about `block` elements such that each thread gets as much work: three blocks on
  // two threads would take as long as four. Bounds are multiples of `step` and depend on the number of threads, so this
  // is not for results that depend on the bounds.
  void ParallelForEvenly(int64_t total, int64_t block, int64_t step,
                         FunctionRef<void(int64_t begin, int64_t end)> body) {
    const int64_t threads = num_threads();
    const int64_t blocks = (total + block - 1) / block;
    if (blocks <= 1 || blocks >= kManyBlocks * threads) return ParallelFor(total, block, body);
    const int64_t even = blocks < threads ? blocks : (blocks + threads - 1) / threads * threads;
    ParallelFor(total, ((total + even - 1) / even + step - 1) / step * step, body);
  }

 private:
  static constexpr int64_t kManyBlocks = 8;  // a thread; with more, one block more matters little
};

// Runs everything on the calling thread.
class InlineThreadPool final : public ThreadPool {
 public:
  int num_threads() const override { return 1; }
  int ready_threads() const override { return 1; }
  void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) override {
    for (int64_t i = 0; i < blocks; ++i) body(i);
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_THREADS_H_
