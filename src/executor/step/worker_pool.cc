#include "src/executor/step/worker_pool.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "src/base/cpu_pause.h"
#include "src/base/denormals.h"
#include "src/base/host/host_limits.h"
#include "src/base/status.h"

namespace dfrun {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Looking for work takes about 5 us of rounds at once or after a pause, then 0.2 ms and more of yields, then sleeps.
constexpr int kPauses = 64;
constexpr int kCpuPauses = 4;  // in a round's pause
constexpr int kPolls = 128;
constexpr int kBriefPolls = 32;
constexpr int kYields = 512;
constexpr int kRoundsPerLook = 16;  // at the clock, before the first yield, after so many quick rounds
// A longer round gave the core away for a moment: the network's poll may yield.
constexpr int64_t kQuickRoundNs = 1'000;
// A yield that takes longer gave the core to a program that kept it: a scheduler's slice is 1.5 ms and more.
constexpr int64_t kSliceNs = 1'200'000;
constexpr int64_t kFreeTurnNs = 1'200'000;  // time for kYields yields
constexpr int64_t kPatienceNs = 10'000'000;
constexpr int64_t kSleepsPerSlice = 4;
constexpr int kQuietLooks = 100;
constexpr microseconds kFirstSleep(50);
constexpr microseconds kLongestSleep(1000);
constexpr int kNetworkSleepMs = 100;  // for a sleeper that the network wakes: it looks for other work too

// The number of the thread in the pool that it works for; 0 for threads that call a pool.
thread_local int this_thread = 0;

// Rounds of looking for work, one after the other, that were quick, up to kRoundsPerLook: of the process, since its
// cores are shared or are not.
std::atomic<int> quick_rounds{0};

int64_t NowNs() {
  return nanoseconds(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

// A call of RunBlocks. It lives on its caller's stack: a thread joins under mu_ while the job is in jobs_, and the
// caller takes it out of jobs_ and returns only when all that joined have left.
//
// Blocks lie in shares, one a thread: a thread begins with its own and then helps with the next ones. So a block of a
// tensor is mostly read, or written again, by the thread that wrote it and has it in its cache.
class WorkerPool::BlockJob {
 public:
  BlockJob(FunctionRef<void(int64_t)> body, int64_t blocks, int threads)
      : body_(body),
        blocks_(blocks),
        threads_(threads),
        num_shares_(std::min<int64_t>({blocks, threads, kMaxShares})),
        open_(static_cast<int>(num_shares_)) {
    for (int64_t share = 0; share < num_shares_; ++share) shares_[share].next = Begin(share);
  }

  bool has_blocks() const { return open_.load(std::memory_order_relaxed) > 0; }
  // Runs the blocks that are left. `queued` counts this job until its last block is taken.
  void Run(std::atomic<int>& queued) {
    const int64_t own = this_thread * num_shares_ / threads_;
    for (int64_t i = 0; i < num_shares_; ++i) RunShare((own + i) % num_shares_, queued);
  }

  std::atomic<int> joined{0};  // written under mu_
  BlockJob* next_job = nullptr;

 private:
  static constexpr int64_t kMaxShares = 64;
  struct alignas(64) Share {
    int64_t next;  // accessed by atomic_ref
  };

  int64_t Begin(int64_t share) const { return share * blocks_ / num_shares_; }
  void RunShare(int64_t share, std::atomic<int>& queued) {
    const std::atomic_ref<int64_t> next(shares_[share].next);
    const int64_t end = Begin(share + 1);
    if (next.load(std::memory_order_relaxed) >= end) return;
    while (true) {
      const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= end) return;
      if (i == end - 1 && open_.fetch_sub(1, std::memory_order_relaxed) == 1) {
        queued.fetch_sub(1, std::memory_order_relaxed);
      }
      body_(i);
    }
  }

  const FunctionRef<void(int64_t)> body_;
  const int64_t blocks_;
  const int threads_;
  const int64_t num_shares_;
  std::atomic<int> open_;  // shares with blocks to take
  Share shares_[kMaxShares];
};

// Waits between two looks for work: first rounds at once or after a pause, then yields, then sleeps of an eighth of the
// time slept so far, so that the delay stays small in proportion.
//
// A thread that yields to a program which does not yield gets the core back a scheduler's slice later, some 10 ms, and
// so does each rank that a message goes through; a sleeper is woken in the midst of such a slice. So yields end with
// the first that gave the core away, and for a while after it waits are sleeps from the start: for a few times as long
// as it took, so that a core that is shared for long loses little by looking again, and one that was interrupted once
// little by sleep.
//
// Many ranks that share a core and wait give it to each other within microseconds, some in the poll itself, as Open MPI
// does where a host has more ranks than cores: sixteen such polls are longer than a slice, but no slice is among them,
// and sleeps would add up along the tree of ranks. So slices are looked for in single rounds where rounds are long.
class WorkerPool::Backoff {
 public:
  // `patient`: yields go on while nobody else wants the core: the poll may wait for a large message on its way.
  // `polls`: a look is a poll of the network by the only thread there is; it takes long enough without a pause, in
  // which a message would wait.
  Backoff(std::atomic<int64_t>& oversubscribed_until_ns, bool patient, bool polls = false)
      : oversubscribed_until_ns_(oversubscribed_until_ns), patient_(patient), polls_(polls) {
    Reset();
  }

  bool Expired() {
    if (rounds_ < kYields || expired_) return expired_;
    const int64_t now_ns = NowNs();
    expired_ = !patient_ || now_ns - turn_begin_ns_ > kFreeTurnNs || now_ns - begin_ns_ > kPatienceNs;
    turn_begin_ns_ = now_ns;
    rounds_ = 0;
    return expired_;
  }
  void Wait() {
    if (rounds_ >= 0) {
      sched_yield();
    } else if (!polls_) {
      for (int i = 0; i < kCpuPauses; ++i) CpuPause();
    }
    ++rounds_;
    if (rounds_ >= 0 || rounds_ >= next_look_) LookAtClock();
  }
  microseconds NextSleep() {
    const microseconds now = sleep_;
    sleep_ = std::min(sleep_ + sleep_ / 8, kLongestSleep);
    return now;
  }
  void Reset() {
    rounds_ = polls_ ? -kPolls : -kPauses;
    looked_ns_ = 0;
    next_look_ = rounds_ + RoundsToLook(quick_rounds.load(std::memory_order_relaxed));
    sleep_ = kFirstSleep;
    const int64_t oversubscribed_until_ns = oversubscribed_until_ns_.load(std::memory_order_relaxed);
    expired_ = patient_ && oversubscribed_until_ns != 0 && NowNs() < oversubscribed_until_ns;
    if (!expired_ && oversubscribed_until_ns != 0) oversubscribed_until_ns_.store(0, std::memory_order_relaxed);
  }

 private:
  void LookAtClock() {
    const int64_t now_ns = NowNs();
    const int64_t taken_ns = looked_ns_ == 0 ? 0 : now_ns - looked_ns_;
    const int rounds = looked_ns_ == 0 ? 0 : rounds_ - looked_round_;
    looked_ns_ = now_ns;
    looked_round_ = rounds_;
    next_look_ = rounds_ + CountQuick(rounds, taken_ns);
    if (rounds_ == 0) begin_ns_ = turn_begin_ns_ = now_ns;
    if (rounds != 1 || taken_ns < kSliceNs) return;
    expired_ = true;
    oversubscribed_until_ns_.store(now_ns + kSleepsPerSlice * taken_ns, std::memory_order_relaxed);
  }
  // The number of rounds until the next look at the clock.
  static int RoundsToLook(int quick) { return quick == kRoundsPerLook ? kRoundsPerLook : 1; }
  static int CountQuick(int rounds, int64_t taken_ns) {
    const int before = quick_rounds.load(std::memory_order_relaxed);
    const int quick = taken_ns > rounds * kQuickRoundNs ? 0 : std::min(before + rounds, kRoundsPerLook);
    if (quick != before) quick_rounds.store(quick, std::memory_order_relaxed);
    return RoundsToLook(quick);
  }

  std::atomic<int64_t>& oversubscribed_until_ns_;
  const bool patient_;
  const bool polls_;
  int rounds_;  // below 0: before the first yield
  bool expired_;
  microseconds sleep_;
  int next_look_;              // at the clock: the round
  int looked_round_ = 0;       // the round of the last look
  int64_t looked_ns_;          // 0: not yet
  int64_t begin_ns_ = 0;       // time of the first yield
  int64_t turn_begin_ns_ = 0;  // time when the current kYields yields began
};

// A turn of a thread that looks for work: a wait from the first poll that brings none.
class WorkerPool::IdleTurn {
 public:
  // `counts`: the thread is one of those that the clock knows.
  IdleTurn(IdleClock& clock, bool counts) : clock_(counts ? &clock : nullptr) {}
  ~IdleTurn() {
    if (has_begun_) clock_->EndIdle();
  }
  IdleTurn(const IdleTurn&) = delete;
  IdleTurn& operator=(const IdleTurn&) = delete;

  void Begin() {
    if (has_begun_ || clock_ == nullptr) return;
    clock_->BeginIdle();
    has_begun_ = true;
  }

 private:
  IdleClock* const clock_;
  bool has_begun_ = false;
};

WorkerPool::WorkerPool(int threads)
    : num_threads_(threads > 0 ? threads : LimitsOfHost().cores),
      wake_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      idle_(num_threads_) {
  workers_.reserve(num_threads_ - 1);
  for (int i = 1; i < num_threads_; ++i) {
    workers_.emplace_back([this, i] {
      this_thread = i;
      WorkerMain();
    });
  }
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mu_);
    stop_.store(true);
    idle_workers_.wake.NotifyAll();
    WakeNetworkSleepers();
  }
  for (std::thread& worker : workers_) worker.join();
  if (wake_event_ >= 0) close(wake_event_);
  DF_CHECK(queued_.load() == 0);
}

void WorkerPool::SetPollHook(std::function<bool()> hook, NetworkWait wait) {
  while (polling_.exchange(true, std::memory_order_acquire)) sched_yield();
  poll_ = std::move(hook);
  wait_ = std::move(wait);
  has_hook_.store(poll_ != nullptr, std::memory_order_relaxed);
  sleeps_.store(wait_.sleeps, std::memory_order_relaxed);
  polling_.store(false, std::memory_order_release);
  MutexLock lock(mu_);  // sleepers sleep with a bound from now on
  idle_workers_.wake.NotifyAll();
  idle_callers_.wake.NotifyAll();
  WakeNetworkSleepers();
}

bool WorkerPool::Poll() {
  if (!has_hook_.load(std::memory_order_relaxed) || polling_.exchange(true, std::memory_order_acquire)) return false;
  const bool progress = poll_ != nullptr && poll_();
  polling_.store(false, std::memory_order_release);
  return progress;
}

bool WorkerPool::PollBriefly(FunctionRef<bool()> done) {
  if (num_threads_ > 1 || oversubscribed_until_ns_.load(std::memory_order_relaxed) != 0) return done();
  const bool has_hook = has_hook_.load(std::memory_order_relaxed);
  IdleTurn idle(idle_, std::this_thread::get_id() == owner_);
  for (int i = 0; has_hook && i < kBriefPolls && !done() && !HasWork(); ++i) {
    if (!Poll()) idle.Begin();
  }
  return done();
}

void WorkerPool::Append(Work* work) {
  work->next = nullptr;
  if (last_ == nullptr) {
    first_ = work;
  } else {
    last_->next = work;
  }
  last_ = work;
}

void WorkerPool::Submit(Work* work) {
  MutexLock lock(mu_);
  Append(work);
  // Sequentially consistent, as SetIdle() and HasWork(): a thread that stops being idle looks for work once more after
  // that, so either it sees this work or it is not counted here.
  if (queued_.fetch_add(1) + 1 > idle_pollers_.load()) Wake(1);
}

void WorkerPool::Notify() {
  is_notified_.store(true, std::memory_order_relaxed);
  // The increment by a thread that goes to sleep and this read-modify-write are ordered one way or the other: either
  // the sleeper's look at its condition sees all writes before this call, or this call sees the sleeper.
  if (idle_callers_.sleeping.fetch_add(0) == 0) return;
  MutexLock lock(mu_);
  idle_callers_.wake.NotifyAll();
  WakeNetworkSleepers();
}

void WorkerPool::Wake(int64_t threads) {
  for (Sleepers* sleepers : {&idle_callers_, &idle_workers_}) {
    const int64_t woken = std::min<int64_t>(threads, sleepers->sleeping.load(std::memory_order_relaxed));
    for (int64_t i = 0; i < woken; ++i) sleepers->wake.NotifyOne();
    threads -= woken;
    if (woken > 0) WakeNetworkSleepers();
  }
}

// Sequentially consistent: a thread that goes to sleep counts itself and then looks for its condition, so either it
// sees the condition or it is seen here.
void WorkerPool::WakeNetworkSleepers() {
  if (network_sleepers_.load() == 0) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_event_, &one, sizeof one);
}

bool WorkerPool::RunOne() {
  if (!HasWork()) return false;
  Work* work = nullptr;
  BlockJob* job = nullptr;
  {
    MutexLock lock(mu_);
    for (job = jobs_; job != nullptr; job = job->next_job) {
      if (job->has_blocks()) break;
    }
    if (job != nullptr) {
      job->joined.fetch_add(1, std::memory_order_relaxed);
    } else if (first_ != nullptr) {
      work = first_;
      first_ = work->next;
      if (first_ == nullptr) last_ = nullptr;
      queued_.fetch_sub(1, std::memory_order_relaxed);
    } else {
      return false;
    }
  }
  if (work != nullptr) {
    work->run(work);
    return true;
  }
  job->Run(queued_);
  MutexLock lock(mu_);
  if (job->joined.fetch_sub(1, std::memory_order_release) == 1) blocks_done_.NotifyAll();
  return true;
}

void WorkerPool::RunBlocksBefore(Work* later, int64_t blocks, FunctionRef<void(int64_t)> body) {
  if (num_threads_ == 1 || blocks <= 1) {
    if (later != nullptr) Submit(later);
    for (int64_t i = 0; i < blocks; ++i) body(i);
    return;
  }
  BlockJob job(body, blocks, num_threads_);
  {
    MutexLock lock(mu_);
    job.next_job = jobs_;
    jobs_ = &job;
    if (later != nullptr) Append(later);
    const int pieces = later != nullptr ? 2 : 1;
    queued_.fetch_add(pieces);
    const int64_t wanted = blocks - 2 + pieces - idle_pollers_.load();
    if (wanted > 0) Wake(wanted);
  }
  job.Run(queued_);
  {
    MutexLock lock(mu_);
    BlockJob** link = &jobs_;
    while (*link != &job) link = &(*link)->next_job;
    *link = job.next_job;
  }
  WaitForJoined(job);
}

int WorkerPool::ready_threads() const {
  const int idle_pollers = idle_pollers_.load(std::memory_order_relaxed);
  if (idle_pollers > 0) return 1 + idle_pollers;
  if (!has_sleeper()) return 1;
  const int64_t oversubscribed_until_ns = oversubscribed_until_ns_.load(std::memory_order_relaxed);
  return oversubscribed_until_ns == 0 || NowNs() >= oversubscribed_until_ns ? 2 : 1;
}

void WorkerPool::WaitForJoined(const BlockJob& job) {
  // A sleeper runs 20 us after it is woken, on a virtual machine up to 150: too late at the end of every kernel whose
  // threads began at different times.
  Backoff backoff(oversubscribed_until_ns_, /*patient=*/true);
  while (!backoff.Expired()) {
    if (job.joined.load(std::memory_order_acquire) == 0) return;
    backoff.Wait();
  }
  MutexLock lock(mu_);
  while (job.joined.load(std::memory_order_acquire) != 0) blocks_done_.Wait(mu_);
}

void WorkerPool::RunQueuedAlone() {
  if (num_threads_ > 1) return;
  amid_work_.fetch_add(1, std::memory_order_relaxed);
  for (int64_t left = queued_.load(std::memory_order_relaxed); left > 0; --left) RunOne();
  amid_work_.fetch_sub(1, std::memory_order_relaxed);
}

void WorkerPool::HelpUntil(FunctionRef<bool()> done) {
  RunUntil(done, idle_callers_);
  if (!HasWork()) return;
  MutexLock lock(mu_);  // a wake-up for that work may have come to this thread
  Wake(1);
}

void WorkerPool::WorkerMain() {
  RunUntil([this] { return stop_.load(std::memory_order_relaxed); }, idle_workers_);
}

void WorkerPool::RunUntil(FunctionRef<bool()> done, Sleepers& sleepers) {
  const ScopedFlushDenormals flush;
  while (!IsDone(done, sleepers)) {
    if (!RunOne()) LookForWork(done, sleepers);
  }
}

// The flag is cleared before the condition is looked at: a change after that sets it again.
bool WorkerPool::IsDone(FunctionRef<bool()> done, const Sleepers& sleepers) {
  if (&sleepers == &idle_callers_ && is_notified_.load(std::memory_order_relaxed))
    is_notified_.store(false, std::memory_order_relaxed);
  return done();
}

void WorkerPool::LookForWork(FunctionRef<bool()> done, Sleepers& sleepers) {
  // Only the caller of a step polls for long, since one thread is enough.
  const bool has_hook = has_hook_.load(std::memory_order_relaxed);
  Backoff backoff(oversubscribed_until_ns_, &sleepers == &idle_callers_ && has_hook, num_threads_ == 1 && has_hook);
  bool network_woke = false;  // for nothing, so far: a descriptor may be readable though nothing is there
  IdleTurn idle(idle_, &sleepers == &idle_workers_ || std::this_thread::get_id() == owner_);
  SetIdle(true);
  while (!done() && !HasWork()) {
    if (Poll()) {
      backoff.Reset();
      network_woke = false;
      continue;
    }
    idle.Begin();
    if (!backoff.Expired()) {
      backoff.Wait();
    } else if (sleeps_.load(std::memory_order_relaxed)) {
      SetIdle(false);
      const microseconds longest = backoff.NextSleep();
      network_woke = longest == kLongestSleep && !network_woke && SleepOnNetwork(done, sleepers);
      if (!network_woke) Sleep(done, sleepers, longest);
      SetIdle(true);
    }
  }
  SetIdle(false);
}

void WorkerPool::SetIdle(bool idle) {
  if (num_threads_ > 1) idle_pollers_.fetch_add(idle ? 1 : -1);
}

bool WorkerPool::SleepOnNetwork(FunctionRef<bool()> done, Sleepers& sleepers) {
  if (!has_hook_.load(std::memory_order_relaxed) || polling_.exchange(true, std::memory_order_acquire)) return false;
  const bool is_armed = wake_event_ >= 0 && !wait_.descriptors.empty() && wait_.arm();
  std::vector<pollfd> looked_at = {{wake_event_, POLLIN, 0}};
  for (const int descriptor : wait_.descriptors) looked_at.push_back({descriptor, POLLIN, 0});
  polling_.store(false, std::memory_order_release);
  if (!is_armed) return false;
  network_sleepers_.fetch_add(1);
  {
    MutexLock lock(mu_);
    BeginSleep(sleepers);
  }
  if (!done() && !HasWork()) poll(looked_at.data(), looked_at.size(), kNetworkSleepMs);
  {
    MutexLock lock(mu_);
    EndSleep(sleepers);
  }
  if (network_sleepers_.fetch_sub(1) > 1) return true;
  // The last sleeper takes back the event that woke all. A thread that has gone to sleep meanwhile may have been meant
  // too, so it is woken again.
  uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t got = read(wake_event_, &wakes, sizeof wakes);
  WakeNetworkSleepers();
  return true;
}

void WorkerPool::Sleep(FunctionRef<bool()> done, Sleepers& sleepers, microseconds longest) {
  MutexLock lock(mu_);
  BeginSleep(sleepers);
  if (!done() && !HasWork()) {
    if (has_hook_.load(std::memory_order_relaxed)) {
      sleepers.wake.WaitFor(mu_, longest);
    } else {
      sleepers.wake.Wait(mu_);
    }
  }
  EndSleep(sleepers);
}

void WorkerPool::BeginSleep(Sleepers& sleepers) {
  sleepers.sleeping.fetch_add(1);
  if (std::this_thread::get_id() == owner_) owner_sleeps_.store(true, std::memory_order_relaxed);
}

void WorkerPool::EndSleep(Sleepers& sleepers) {
  if (std::this_thread::get_id() == owner_) owner_sleeps_.store(false, std::memory_order_relaxed);
  sleepers.sleeping.fetch_sub(1);
}

bool WorkerPool::IsQuiet() const {
  for (int look = 0; look < kQuietLooks; ++look) {
    if (owner_sleeps_.load(std::memory_order_relaxed) && !HasWork()) return true;
    std::this_thread::sleep_for(kFirstSleep);
  }
  return false;
}

}  // namespace dfrun
