// Calls that observers of a job receive.
#include "src/job/job.h"

#include <gtest/gtest.h>

#include "comm/in_process/in_process.h"
#include "src/spec/load.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr const char* kSpec = R"(dfrun: 1
graph:
  count: {op: Variable, shape: [3], init: [0, 10, 20], dtype: int64}
  next:  AssignAdd(count, [1, 1, 1])
  word:  AsString(Sum(next))
run: {steps: 3, fetch: {counts: next, text: word}}
checkpoint: {every: 2}
)";

// Writes the calls that it receives to a log that several observers may share.
class Teller final : public JobObserver {
 public:
  Teller(std::string name, std::vector<std::string>& log, int64_t fails_at = -1)
      : name_(std::move(name)), log_(log), fails_at_(fails_at) {}

  Status OnStep(const JobResults& results) override {
    std::string line = StrCat(name_, " step ", results.step, "/", results.steps);
    for (const auto& [name, value] : results.values) {
      line += StrCat(" ", name, " ", value.dtype(), value.shape(), " ");
      line += value.dtype() == DType::kString ? value.data<std::string>()[0] : StrCat(value.data<int64_t>()[2]);
    }
    log_.push_back(line);
    return results.step == fails_at_ ? IoError("the disk of ", name_, " is full") : Status();
  }
  Status OnSave(int64_t step) override {
    log_.push_back(StrCat(name_, " save ", step));
    return Status();
  }

 private:
  const std::string name_;
  std::vector<std::string>& log_;
  const int64_t fails_at_;
};

class JobTest : public testing::Test {
 protected:
  Status Run(std::vector<JobObserver*> observers) const {
    DF_ASSIGN(const LoadedSpec spec, LoadSpec(scratch_.Write("job.yaml", kSpec), {}));
    DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
    JobOptions options;
    options.output = scratch_.Path("run");
    return RunJob(*runtime, spec, options, std::move(observers));
  }

  ScratchDirectory scratch_;
};

TEST_F(JobTest, ObserversGetTensorsInTheirOrder) {
  std::vector<std::string> log;
  Teller a("a", log);
  Teller b("b", log);
  const Status status = Run({&a, &b});
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::vector<std::string> expected = {"a step 1/3 counts int64[3] 21 text string[] 33",
                                             "b step 1/3 counts int64[3] 21 text string[] 33",
                                             "a step 2/3 counts int64[3] 22 text string[] 36",
                                             "b step 2/3 counts int64[3] 22 text string[] 36",
                                             "a save 2",
                                             "b save 2",
                                             "a step 3/3 counts int64[3] 23 text string[] 39",
                                             "b step 3/3 counts int64[3] 23 text string[] 39",
                                             "a save 3",
                                             "b save 3"};
  EXPECT_EQ(log, expected);
}

TEST_F(JobTest, AnErrorOfAnObserverEndsTheJob) {
  std::vector<std::string> log;
  Teller a("a", log, /*fails_at=*/2);
  const Status status = Run({&a});
  EXPECT_EQ(status.code(), Code::kIo) << status.ToString();
  EXPECT_NE(status.message().find("the disk of a is full"), std::string::npos);
  EXPECT_EQ(log.size(), 2U);  // nothing is saved, and no step follows
}

}  // namespace
}  // namespace dfrun
