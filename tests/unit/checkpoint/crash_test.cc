// A job that is cut off after any of its calls on files, by a kill, by a machine that loses what was not synced, or by
// an error of the call, has lost no checkpoint that it had committed, and goes on from it to the same end.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "comm/in_process/in_process.h"
#include "src/checkpoint/store.h"
#include "src/hdf5/hdf5.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/job/job.h"
#include "src/spec/load.h"
#include "tests/unit/checkpoint/disk_model.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using testing::DiskModel;
using testing::FileCall;
using testing::FileCalls;
using Tree = std::map<std::string, std::string>;

constexpr int64_t kSteps = 6;
constexpr int64_t kEvery = 2;

// Counts up by one a step, from 0.
constexpr const char* kSpec = R"(dfrun: 1
name: count
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
run: {steps: 6, fetch: {count: next}}
checkpoint: {every: 2, keep: 2}
)";

// Saves with all files that a checkpoint can have: a queue of strings, links, TensorFlow's table.
constexpr const char* kSpecForTensorFlow = R"(dfrun: 1
name: count
graph:
  count: {op: Variable, shape: [], init: 0, dtype: int64}
  next:  AssignAdd(count, 1)
  words: {op: FIFOQueueV2, component_types: [string], shapes: [[]], capacity: 100}
  put:   {op: QueueEnqueueV2, inputs: [words, "'word'"]}
run: {steps: 6, fetch: {count: next}, targets: [put]}
checkpoint: {every: 2, keep: 2, tensorflow: true}
)";

// Notes among the calls how many steps are done.
class Marker : public JobObserver {
 public:
  explicit Marker(FileCalls* calls) : calls_(calls) {}
  Status OnStep(const JobResults& results) override {
    if (calls_ != nullptr) calls_->Mark(static_cast<uint64_t>(results.step));
    return Status();
  }

 private:
  FileCalls* const calls_;
};

class CrashTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto spec = LoadSpec(scratch_.Write("count.yaml", GetParam()), {});
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  }

  Status Run(const std::string& output, bool resume, FileCalls* calls = nullptr) const {
    DF_ASSIGN(const LoadedSpec spec, LoadSpec(scratch_.Path("count.yaml"), {}));
    DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
    DF_TRY(runtime->StartTask("worker", 0));
    JobOptions options;
    options.output = output;
    options.resume = resume;
    Marker marker(calls);
    return RunJob(*runtime, spec, options, {&marker});
  }

  // The lines of metrics.jsonl by their steps; a line that was cut short is left out.
  static std::vector<int64_t> StepsLogged(const std::string& run) {
    std::ifstream file(run + "/metrics.jsonl");
    std::vector<int64_t> steps;
    for (std::string line; std::getline(file, line) && !file.eof();) {
      long long step = -1, count = -1;
      double wall_s = 0;
      EXPECT_EQ(std::sscanf(line.c_str(), R"({"step": %lld, "wall_s": %lf, "count": %lld})", &step, &wall_s, &count), 3)
          << line;
      EXPECT_EQ(step, count);
      steps.push_back(step);
    }
    return steps;
  }

  static int64_t Fetched(const std::string& run) {
    const auto file = h5::OpenFile(run + "/fetches.h5");
    if (!file.ok()) return -1;
    const auto value = ReadTensor(*file, "fetches.h5", "/count", SystemAllocator());
    return value.ok() ? value->scalar<int64_t>() : -1;
  }

  static int64_t Saved(const CheckpointStore::Checkpoint& checkpoint) {
    const SavedVariable wanted[] = {{"count", DType::kInt64, Shape()}};
    const auto values = ReadShard(checkpoint.directory + "/shard-0.h5", wanted, SystemAllocator());
    return values.ok() ? (*values)[0].scalar<int64_t>() : -1;
  }

  // A directory that holds just this.
  std::string Place(const Tree& tree) const {
    const std::string root = scratch_.Path("crashed");
    fs::remove_all(root);
    fs::create_directory(root);
    for (const auto& [path, bytes] : tree) {
      if (path.back() == '/') {
        fs::create_directories(root + "/" + path);
      } else if (path.back() == '@') {
        fs::create_symlink(bytes, root + "/" + path.substr(0, path.size() - 1));
      } else {
        std::ofstream(root + "/" + path, std::ios::binary) << bytes;
      }
    }
    return root;
  }

  static Tree ReadTree(const std::string& root) {
    Tree tree;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string path = entry.path().string().substr(root.size() + 1);
      if (entry.is_symlink()) {
        tree[path + "@"] = fs::read_symlink(entry.path()).string();
        continue;
      }
      if (entry.is_directory()) {
        tree[path + "/"];
        continue;
      }
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      tree[path] = bytes.str();
    }
    return tree;
  }

  // `committed`: the step of the newest checkpoint that the job had said it saved.
  void CheckGoesOn(const std::string& run, int64_t committed) const {
    const auto newest = CheckpointStore(run + "/checkpoints", 2).FindNewest();
    ASSERT_TRUE(newest.ok()) << newest.status().ToString();
    const int64_t found = *newest ? (*newest)->manifest.step : 0;
    ASSERT_GE(found, committed);
    if (*newest) {
      ASSERT_EQ(Saved(**newest), found);
    }
    const std::vector<int64_t> logged = StepsLogged(run);
    ASSERT_GE(static_cast<int64_t>(logged.size()), found) << "lines before the checkpoint are lost";
    if (found == kSteps) {
      ASSERT_EQ(Fetched(run), kSteps) << "the job is done, and its results are lost";
    }
    const FileCalls watched(run);
    const Status resumed = Run(run, true);
    ASSERT_TRUE(resumed.ok()) << resumed.ToString();
    ASSERT_EQ(StepsLogged(run), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
    ASSERT_EQ(Fetched(run), kSteps);
  }

  const ScratchDirectory scratch_;
};

INSTANTIATE_TEST_SUITE_P(Specs, CrashTest, ::testing::Values(kSpec, kSpecForTensorFlow),
                         [](const auto& spec) { return spec.index == 0 ? "Plain" : "ForTensorFlow"; });

TEST_P(CrashTest, NothingCommittedIsLostWhereverItIsCutOff) {
  const std::string root = scratch_.Path("disk");
  fs::create_directory(root);
  std::vector<FileCall> calls;
  {
    FileCalls watched(root);
    const Status ran = Run(root + "/run", false, &watched);
    ASSERT_TRUE(ran.ok()) << ran.ToString();
    calls = watched.changes();
  }
  DiskModel disk;
  std::set<std::pair<Tree, int64_t>> seen;
  int64_t committed = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    disk.Apply(calls[i]);
    // The step after a save shows that the save is over.
    if (calls[i].kind == FileCall::Kind::kMark)
      committed = (static_cast<int64_t>(calls[i].number) - 1) / kEvery * kEvery;
    for (const auto view : {DiskModel::View::kSynced, DiskModel::View::kNames, DiskModel::View::kAll}) {
      const Tree tree = disk.Files(view);
      if (!seen.emplace(tree, committed).second) continue;
      const std::string at = StrCat("cut off after call ", i, " (", calls[i].path, "), view ", static_cast<int>(view));
      SCOPED_TRACE(at);
      CheckGoesOn(Place(tree) + "/run", committed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(disk.Files(DiskModel::View::kAll), ReadTree(root)) << "calls that changed something were not seen";
  EXPECT_GT(seen.size(), 50U);
}

// A step is saved again under its name: one of the two is there whole at any time.
TEST_P(CrashTest, AStepThatIsReplacedIsThereThroughout) {
  for (const bool exchanges : {true, false}) {
    SCOPED_TRACE(exchanges ? "exchange" : "two renames");
    const std::string root = scratch_.Path(exchanges ? "exchange" : "renames");
    fs::create_directory(root);
    FileCalls watched(root);
    if (!exchanges) watched.RefuseRenameFlags();
    for (int64_t value : {1, 2, 3}) {
      CheckpointStore store(root, 1);
      const auto directory = store.Begin(7);
      ASSERT_TRUE(directory.ok()) << directory.status().ToString();
      const NamedTensor variables[] = {{"count", Tensor::Scalar<int64_t>(value)}};
      const auto entry = WriteShard(*directory, "shard-0.h5", variables);
      ASSERT_TRUE(entry.ok()) << entry.status().ToString();
      const Status committed = store.Commit({7, {*entry}});
      ASSERT_TRUE(committed.ok()) << committed.ToString();
      watched.Mark(static_cast<uint64_t>(value));
    }
    DiskModel disk;
    int64_t least = 0;
    for (const FileCall& call : watched.changes()) {
      disk.Apply(call);
      if (call.kind == FileCall::Kind::kMark) least = static_cast<int64_t>(call.number);
      for (const auto view : {DiskModel::View::kSynced, DiskModel::View::kNames, DiskModel::View::kAll}) {
        const auto newest = CheckpointStore(Place(disk.Files(view)), 1).FindNewest();
        ASSERT_TRUE(newest.ok()) << newest.status().ToString();
        ASSERT_GE(*newest ? Saved(**newest) : 0, least) << call.path << ", view " << static_cast<int>(view);
      }
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(root), fs::directory_iterator()), 2) << "LATEST and step-7";
  }
}

// DFRUN_EVERY_CALL asks for each call of the larger spec, which takes a minute.
TEST_P(CrashTest, AFailingCallEndsTheJobAndLosesNothing) {
  const int distance = GetParam() == kSpec || std::getenv("DFRUN_EVERY_CALL") != nullptr ? 1 : 4;
  for (const bool all : {false, true}) {
    bool failed = true;
    for (int index = 0; failed; index += all ? 7 * distance : distance) {
      SCOPED_TRACE(StrCat("call ", index, all ? " and all after it" : ""));
      const std::string root = Place({});
      int64_t committed = 0;
      {
        FileCalls watched(root);
        watched.Fail(index, EIO, all);
        static_cast<void>(Run(root + "/run", false, &watched));
        failed = watched.failed();
        for (const FileCall& call : watched.changes()) {
          if (call.kind == FileCall::Kind::kMark) committed = (static_cast<int64_t>(call.number) - 1) / kEvery * kEvery;
        }
      }
      CheckGoesOn(root + "/run", committed);
      if (HasFatalFailure()) return;
      ASSERT_LT(index, 10000);
    }
  }
}

TEST_P(CrashTest, AReadThatFailsIsNoMissingCheckpoint) {
  const std::string root = Place({});
  ASSERT_TRUE(Run(root + "/run", false).ok());
  fs::remove_all(root + "/run/checkpoints/step-6");  // step 4 is left, and two steps to do
  const Tree before = ReadTree(root);
  int index = 0;
  for (bool failed = true; failed; ++index) {
    SCOPED_TRACE(StrCat("call ", index));
    FileCalls watched(root);
    const CheckpointStore store(root + "/run/checkpoints", 2);
    watched.Fail(index, EIO);
    const auto found = store.FindNewest();
    failed = watched.failed();
    if (failed) {
      EXPECT_EQ(found.status().code(), Code::kIo) << found.status().ToString();
    } else {
      ASSERT_TRUE(found.ok() && *found) << found.status().ToString();
    }
  }
  // A job that fails as soon has changed nothing.
  for (int i = 0; i < index; ++i) {
    SCOPED_TRACE(StrCat("call ", i, " of a job"));
    FileCalls watched(root);
    watched.Fail(i, EIO);
    EXPECT_EQ(Run(root + "/run", true).code(), Code::kIo);
    EXPECT_EQ(ReadTree(root), before);
  }
}

}  // namespace
}  // namespace dfrun
