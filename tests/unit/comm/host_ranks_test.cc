#include "comm/bootstrap/host_ranks.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "src/base/text.h"
#include "tests/unit/comm/forked_ranks.h"
#include "tests/unit/testing/bare_environment.h"

namespace dfrun::comm {
namespace {

// A process with the environment of rank 1, whose rank 0 is the test.
class SleepingRank {
 public:
  explicit SleepingRank(BareEnvironment& own) {
    const std::string job = StrCat("PMIX_NAMESPACE=host_ranks_test.", ::getpid());
    own.Set("PMIX_NAMESPACE", job.substr(job.find('=') + 1));
    own.Set("OMPI_COMM_WORLD_RANK", "0");
    own.Set("OMPI_COMM_WORLD_SIZE", "2");
    std::string rank = "OMPI_COMM_WORLD_RANK=1";
    std::string of_job = job;
    std::string program = "sleep";
    std::string seconds = "60";
    char* const arguments[] = {program.data(), seconds.data(), nullptr};
    char* const environment[] = {of_job.data(), rank.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, arguments, environment), 0);
  }
  ~SleepingRank() { Kill(); }
  SleepingRank(const SleepingRank&) = delete;
  SleepingRank& operator=(const SleepingRank&) = delete;

  pid_t pid() const { return pid_; }
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

// This process can open no file as long as the object lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

TEST(HostRanks, ARankHasEndedOnlyWhereItsHostCanBeReadAndSaysSo) {
  BareEnvironment environment;
  SleepingRank rank(environment);
  HostRanks ranks;
  ASSERT_TRUE(Until(10, [&] { return ranks.Look().size() == 1; }));
  {
    const NoDescriptors none;
    const std::vector<HostRank> seen = ranks.Look();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].pid, rank.pid());
    EXPECT_FALSE(seen[0].has_ended());
  }
  EXPECT_FALSE(ranks.Look().at(0).has_ended());
  rank.Kill();
  EXPECT_TRUE(ranks.Look().at(0).has_ended());
}

}  // namespace
}  // namespace dfrun::comm
