#include "src/session/grace_period_watchdog.h"

#include <gtest/gtest.h>

#include <csignal>
#include <future>

#include "comm/in_process/in_process.h"
#include "src/session/session.h"
#include "src/session/worker.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using std::chrono::milliseconds;
using Seconds = GracePeriodWatchdog::Seconds;

struct Guarded {
  explicit Guarded(Seconds grace) : guard(request, grace, [this](const Status& s) { ended.set_value(s); }) {}
  bool EndsWithin(milliseconds time) { return future.wait_for(time) == std::future_status::ready; }

  std::promise<Status> ended;
  std::future<Status> future = ended.get_future();
  StopRequest request;
  GracePeriodWatchdog guard;
};

TEST(StopRequestTest, TheFirstSignalCounts) {
  StopRequest request;
  EXPECT_EQ(request.signal(), 0);
  request.Make(SIGUSR1);
  request.Make(SIGTERM);
  EXPECT_EQ(request.signal(), SIGUSR1);
  request.Wait();  // does not block
}

TEST(StopRequestTest, CodesAreThoseOfTheSignal) {
  EXPECT_EQ(ExitCode(StopCode(SIGTERM, false)), 143);
  EXPECT_EQ(ExitCode(StopCode(SIGUSR1, false)), 138);
  EXPECT_EQ(ExitCode(StopCode(SIGINT, false)), 130);
  EXPECT_EQ(ExitCode(StopCode(SIGTERM, true)), 75);
  EXPECT_EQ(ExitCode(StopCode(SIGUSR1, true)), 75);
  EXPECT_EQ(ExitCode(StopCode(SIGINT, true)), 130);
  for (const int signal : {SIGHUP, SIGXCPU, SIGQUIT}) {
    EXPECT_EQ(StopCode(signal, false), Code::kTerminated) << signal;
    EXPECT_EQ(ExitCode(StopCode(signal, true)), 75) << signal;
  }
}

TEST(GracePeriodWatchdogTest, EndsWhatTakesLongerThanItsGrace) {
  Guarded g(Seconds(0.05));
  EXPECT_FALSE(g.EndsWithin(milliseconds(150)));  // nobody has asked
  g.guard.SetSaves(true);
  g.guard.SetCommitted("step 40 is saved in run/checkpoints");
  g.request.Make(SIGTERM);
  ASSERT_TRUE(g.EndsWithin(milliseconds(10'000)));
  const Status status = g.future.get();
  EXPECT_EQ(status.code(), Code::kRequeue);
  EXPECT_NE(status.message().find("step 40 is saved in run/checkpoints"), std::string::npos) << status.ToString();
}

TEST(GracePeriodWatchdogTest, WantsNoRequeueWhereNothingIsSaved) {
  Guarded g(Seconds(0.05));
  g.guard.SetSaves(true);
  g.guard.SetCommitted("");
  g.request.Make(SIGHUP);
  ASSERT_TRUE(g.EndsWithin(milliseconds(10'000)));
  const Status status = g.future.get();
  EXPECT_EQ(status.code(), Code::kTerminated);
  EXPECT_NE(status.message().find("nothing is saved"), std::string::npos) << status.ToString();
}

TEST(GracePeriodWatchdogTest, LeavesAloneWhatItWasToldToLeave) {
  Guarded disarmed(Seconds(0.05));
  disarmed.request.Make(SIGINT);
  disarmed.guard.Disarm();
  EXPECT_FALSE(disarmed.EndsWithin(milliseconds(200)));
  Guarded longer(Seconds(0.05));
  longer.guard.SetGrace(Seconds(3600));
  longer.request.Make(SIGINT);
  EXPECT_FALSE(longer.EndsWithin(milliseconds(200)));
}

// A signal at any rank ends a request for many steps on rank 0, and rank 0 takes over from that rank's guard.
TEST(StopOnRanksTest, ReachesRankZeroFromAnyRank) {
  constexpr int kRanks = 4;
  for (int asked = 0; asked < kRanks; ++asked) {
    std::vector<std::unique_ptr<Guarded>> guards;
    std::vector<std::unique_ptr<Runtime>> runtimes;
    for (std::unique_ptr<Communicator>& communicator : comm::ConnectInProcess(kRanks)) {
      guards.push_back(std::make_unique<Guarded>(Seconds(3)));
      RuntimeOptions options;
      options.stop = &guards.back()->guard;
      runtimes.push_back(*Runtime::Create(options, std::move(communicator)));
    }
    std::vector<std::thread> workers;
    for (int rank = 1; rank < kRanks; ++rank) {
      workers.emplace_back([&, rank] { EXPECT_TRUE(Worker(*runtimes[rank]).Serve().ok()); });
    }
    testing::GraphMaker g;
    const Output w = g.Add("W", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({3})}});
    const Output init = g.Add("init", "Assign", {w, g.Const("start", Tensor::Vector<float>({1, 2, 3}))});
    const Output more = g.Add("more", "AssignAdd", {w, g.Const("one", Tensor::Vector<float>({1, 1, 1}))});
    for (Output o : {w, init, more}) g.node(o).device = "/job:worker/task:3";
    Result<std::unique_ptr<Session>> session = Session::Create(*runtimes[0], std::move(g.graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    ASSERT_TRUE((*session)->Run({}, {}, {"init"}).ok());
    const Result<Session::Handle> step = (*session)->Prepare({}, {}, {"more"});
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    std::thread later([&] {
      std::this_thread::sleep_for(milliseconds(50));
      guards[asked]->request.Make(SIGTERM);
    });
    EXPECT_TRUE((*session)->RunSteps(*step, int64_t{1} << 40).ok());
    later.join();
    EXPECT_EQ(guards[0]->request.signal(), SIGTERM);
    const int64_t steps = (*session)->steps_run() - 1;
    const Result<std::vector<Tensor>> value = (*session)->Run({}, {"W:0"}, {});
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    EXPECT_EQ((*value)[0].data<float>()[0], static_cast<float>(1 + steps));
    for (int rank = 1; rank < kRanks; ++rank) EXPECT_FALSE(guards[rank]->EndsWithin(milliseconds(0)));
    session->reset();
    EXPECT_TRUE(Shutdown(*runtimes[0]).ok());
    for (std::thread& worker : workers) worker.join();
  }
}

}  // namespace
}  // namespace dfrun
