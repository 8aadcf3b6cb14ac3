// Threads of real processes in each state that decides whether a silent rank is waited for.
#include "comm/heartbeat/host_thread.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <thread>

#include "tests/unit/comm/forked_ranks.h"

namespace dfrun::comm {
namespace {

// A child process that tells its thread to the test, and then does `work`.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    void* const memory = ::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told_ = new (memory) Told();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    told_->thread = HostThread::OfCaller();
    told_->is_told = true;
    work();
    ::_exit(0);
  }
  ~Child() {
    Kill();
    ::munmap(told_, sizeof(Told));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  HostThread thread() const {
    EXPECT_TRUE(Until(10, [&] { return told_->is_told.load(); }));
    return told_->thread;
  }
  pid_t pid() const { return pid_; }
  void Signal(int signal) const { ::kill(pid_, signal); }
  void Kill() {
    if (pid_ == 0) return;
    Signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  struct Told {
    HostThread thread;
    std::atomic<bool> is_told{false};
  };
  Told* told_;
  pid_t pid_ = 0;
};

void Sleep() {
  for (;;) ::pause();
}
void Spin() {
  for (volatile bool goes_on = true; goes_on;) {
  }
}
// Makes the parent wait for this child in the kernel, in the state of a wait for a disk.
void WaitInKernel() {
  if (::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, 0) != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Sleep();
}

class HostThreadTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(own_.process, 0) << "/proc does not show this thread"; }
  bool IsSeenAs(const Child& child, char state) const {
    const HostThread thread = child.thread();
    return Until(10, [&] { return own_.StateOf(thread) == state; });
  }
  const HostThread own_ = HostThread::OfCaller();
};

TEST_F(HostThreadTest, TheStatesOfAProcessAreTold) {
  EXPECT_TRUE(IsSeenAs(Child(Spin), 'R'));
  EXPECT_TRUE(IsSeenAs(Child(WaitInKernel), 'D'));
  Child child(Sleep);
  EXPECT_TRUE(IsSeenAs(child, 'S'));
  child.Signal(SIGSTOP);
  EXPECT_TRUE(IsSeenAs(child, 'T'));
  child.Signal(SIGCONT);
  EXPECT_TRUE(IsSeenAs(child, 'S'));
  child.Signal(SIGKILL);  // and nobody has waited for it yet
  EXPECT_TRUE(IsSeenAs(child, 'Z'));
  const HostThread thread = child.thread();
  child.Kill();
  EXPECT_EQ(own_.StateOf(thread), 0);
  EXPECT_TRUE(IsAtWork('R') && IsAtWork('D') && !IsAtWork('S') && !IsAtWork('T') && !IsAtWork('Z') && !IsAtWork(0));
  EXPECT_TRUE(IsStopped('T') && IsStopped('t') && !IsStopped('R') && !IsStopped('Z'));
}

TEST_F(HostThreadTest, AnotherThreadOfTheSameNumbersIsNotTakenForIt) {
  const Child child(Sleep);
  const HostThread thread = child.thread();
  EXPECT_EQ(thread.process, child.pid());
  ASSERT_NE(own_.StateOf(thread), 0);
  HostThread other = thread;
  ++other.started;
  EXPECT_EQ(own_.StateOf(other), 0);
  other = thread;
  ++other.pid_namespace;
  EXPECT_EQ(own_.StateOf(other), 0);
  other = thread;
  ++other.host[0];
  EXPECT_EQ(own_.StateOf(other), 0);
  EXPECT_EQ(own_.StateOf(HostThread()), 0);
  EXPECT_EQ(HostThread().StateOf(thread), 0);
}

// The main thread works, and another thread, which the other ranks know, is looked at.
TEST_F(HostThreadTest, AThreadIsSeenBesideOthersOfItsProcess) {
  std::atomic<bool> ends{false};
  HostThread sleeper;
  std::atomic<bool> is_told{false};
  std::thread thread([&] {
    sleeper = HostThread::OfCaller();
    is_told = true;
    while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  ASSERT_TRUE(Until(10, [&] { return is_told.load(); }));
  EXPECT_EQ(sleeper.process, own_.process);
  EXPECT_NE(sleeper.thread, own_.thread);
  EXPECT_TRUE(Until(10, [&] { return own_.StateOf(sleeper) == 'S'; }));
  EXPECT_EQ(own_.StateOf(own_), 'R');
  ends = true;
  thread.join();
}

}  // namespace
}  // namespace dfrun::comm
