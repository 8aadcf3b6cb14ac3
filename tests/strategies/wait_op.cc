// TestWait, an op that passes its input on after some time and holds no thread meanwhile: the work of a replica whose
// length a test chooses, however many replicas share a core. The library registers it where it is loaded, which is
// before the programs that know nothing of it.
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "src/base/mutex.h"
#include "src/framework/op/gradient.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

using Clock = std::chrono::steady_clock;

// Calls back at given times, on a thread that ends with the process.
// Thread safety: At() from any thread.
class Timer {
 public:
  static Timer& OfProcess() {
    static Timer& timer = *new Timer();
    return timer;
  }
  void At(Clock::time_point when, Callback done) EXCLUDES(mu_) {
    MutexLock lock(mu_);
    calls_.emplace(when, done);
    changed_.NotifyOne();
  }

 private:
  Timer() {
    std::thread([this] { Main(); }).detach();
  }
  [[noreturn]] void Main() EXCLUDES(mu_) {
    for (;;) Next()(Status());
  }
  Callback Next() EXCLUDES(mu_) {
    MutexLock lock(mu_);
    for (;;) {
      if (calls_.empty()) {
        changed_.Wait(mu_);
        continue;
      }
      const auto left = calls_.begin()->first - Clock::now();
      if (left <= Clock::duration::zero()) return calls_.extract(calls_.begin()).mapped();
      changed_.WaitFor(mu_, left);
    }
  }

  Mutex mu_;
  CondVar changed_;
  std::multimap<Clock::time_point, Callback> calls_ GUARDED_BY(mu_);
};

// The number of the replica that has a node, which begins its name: "replica_3/", of a further loop "replica_3_1/".
size_t ReplicaOf(std::string_view node) {
  constexpr std::string_view kPrefix = "replica_";
  if (!node.starts_with(kPrefix)) return 0;
  return static_cast<size_t>(std::atoll(node.data() + kPrefix.size()));
}

class WaitKernel final : public AsyncKernel {
 public:
  explicit WaitKernel(KernelSetup& setup) {
    const auto times = setup.attr<std::vector<float>>("milliseconds");
    if (times.empty()) {
      setup.Fail(InvalidArgument("'milliseconds' of TestWait has no number"));
      return;
    }
    time_ = std::chrono::duration<double, std::milli>(times[ReplicaOf(setup.node().name) % times.size()]);
  }
  void ComputeAsync(OpContext& ctx, Callback done) override {
    ctx.SetOutput(0, ctx.input(0));
    Timer::OfProcess().At(Clock::now() + std::chrono::duration_cast<Clock::duration>(time_), done);
  }

 private:
  std::chrono::duration<double, std::milli> time_{};
};

OP("TestWait")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Attr("milliseconds: list(float)")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.dy(0); })
    .Own()
    .Doc("The input, after the time of the replica: milliseconds[r], and from the first one on again.");

CPU_KERNEL_ANY("TestWait", WaitKernel);

}  // namespace
}  // namespace dfrun
