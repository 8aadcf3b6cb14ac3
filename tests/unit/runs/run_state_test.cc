#include "src/runs/run_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "src/job/run_directory.h"
#include "src/job/run_record.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr int64_t kLongAgo = 2 * kHeartbeatS;

RunStart Ended(int64_t exit) {
  RunStart start;
  start.exit = exit;
  return start;
}

std::string Described(const std::optional<RunStart>& start, RunLock lock, bool is_here = true, int64_t age_s = 0) {
  return DescribeState(StateOf(start, lock, is_here, age_s), start);
}

TEST(RunStateTest, TheExitCodeSaysHowItEnded) {
  EXPECT_EQ(Described(Ended(0), RunLock::kFree), "done");
  EXPECT_EQ(Described(Ended(71), RunLock::kFree), "failed (71)");
  for (const int64_t exit : {75, 129, 130, 131, 138, 143, 152})
    EXPECT_EQ(Described(Ended(exit), RunLock::kFree), "stopped");
  RunStart early = Ended(0);
  early.stopped = "eval/loss has not been less";
  EXPECT_EQ(Described(early, RunLock::kFree), "stopped");
  EXPECT_EQ(Described({}, RunLock::kFree), "unknown");
}

TEST(RunStateTest, AHeldLockIsARunningJob) {
  EXPECT_EQ(Described(RunStart(), RunLock::kHeld), "running");
  EXPECT_EQ(Described(Ended(0), RunLock::kHeld), "running");  // one that goes on from it
  EXPECT_EQ(Described({}, RunLock::kHeld), "running");
}

TEST(RunStateTest, WithoutAnEndTheLockDecidesHereAndTheHeartbeatElsewhere) {
  EXPECT_EQ(Described(RunStart(), RunLock::kFree, /*is_here=*/true, 0), "killed");
  EXPECT_EQ(Described(RunStart(), RunLock::kFree, /*is_here=*/false, 0), "running");
  EXPECT_EQ(Described(RunStart(), RunLock::kFree, /*is_here=*/false, kLongAgo), "killed");
  EXPECT_EQ(Described(RunStart(), RunLock::kNoLocks, /*is_here=*/true, 0), "running");
  EXPECT_EQ(Described(RunStart(), RunLock::kNoLocks, /*is_here=*/true, kLongAgo), "killed");
}

TEST(RunLockTest, AJobIsSeenAndLookingHoldsNothing) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("run");
  EXPECT_EQ(LookAtLock(path), RunLock::kFree);
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    Result<RunDirectory> job = RunDirectory::Open(path, false);
    ASSERT_TRUE(job.ok() && job->Make().ok());
    EXPECT_EQ(LookAtLock(path), RunLock::kHeld);
  }
  EXPECT_EQ(LookAtLock(path), RunLock::kFree);
  EXPECT_TRUE(RunDirectory::Open(path, true).ok());
}

TEST(RunLockTest, AJobWaitsForOneThatLooks) {
  const ScratchDirectory scratch;
  scratch.Write("run/.lock", "");
  const int fd = ::open(scratch.Path("run/.lock").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_SH | LOCK_NB), 0);
  std::thread looks([fd] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::close(fd);
  });
  EXPECT_TRUE(RunDirectory::Open(scratch.Path("run"), true).ok());
  looks.join();
}

TEST(RunStartTest, ARecordIsReadBack) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("run.json");
  RunFacts facts{.version = "1.2.3",
                 .spec = "a \"b\".yaml",
                 .files = {},
                 .sets = {"lr=0.1", "train.steps=5"},
                 .hosts = {"n1", "n2"},
                 .ranks = 2,
                 .from_step = 7,
                 .steps = 40};
  Result<RunRecord> record = RunRecord::Begin(path, facts);
  ASSERT_TRUE(record.ok());
  Result<RunStart> start = ReadRunStart(path);
  ASSERT_TRUE(start.ok()) << start.status().message();
  EXPECT_EQ(start->version, "1.2.3");
  EXPECT_EQ(start->spec, "a \"b\".yaml");
  EXPECT_EQ(start->sets, facts.sets);
  EXPECT_EQ(start->hosts, facts.hosts);
  EXPECT_EQ(start->ranks, 2);
  EXPECT_EQ(start->from_step, 7);
  EXPECT_EQ(start->steps, 40);
  EXPECT_FALSE(start->exit);
  EXPECT_TRUE(SecondsOf(start->begin));
  record->SetStopped(30, "no better");
  record->End(Error(Code::kNotFinite, "the loss"));
  start = ReadRunStart(path);
  EXPECT_EQ(start->exit, 71);
  EXPECT_EQ(start->error, "the loss");
  EXPECT_EQ(start->stopped, "no better");
  EXPECT_GE(SecondsOf(start->end), SecondsOf(start->begin));
  ASSERT_TRUE(RunRecord::Begin(path, facts).ok());
  EXPECT_EQ(ReadEarlierStarts(scratch.Path("")).size(), 1U);
}

TEST(RunStartTest, OtherFilesAreNone) {
  const ScratchDirectory scratch;
  for (const char* const text : {"", "{", "{}", "[1]", "{\"dfrun\": 1}", "{\"dfrun\": \"0.1.0\", \"exit\": 0"}) {
    scratch.Write("run.json", text);
    EXPECT_EQ(ReadRunStart(scratch.Path("run.json")).status().code(), Code::kDataLoss) << text;
  }
  EXPECT_EQ(ReadRunStart(scratch.Path("none")).status().code(), Code::kNotFound);
}

TEST(RunStartTest, TimesAreThoseOfUtc) {
  EXPECT_EQ(SecondsOf("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(SecondsOf("2026-01-31T23:59:59Z"), 1769903999);
  EXPECT_EQ(SecondsOf("yesterday"), std::nullopt);
}

}  // namespace
}  // namespace dfrun
