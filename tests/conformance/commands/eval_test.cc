// `dfrun eval` on graphs that TensorFlow exported, against what TensorFlow computed from them.
// tests/golden/eval/make_fixtures.py makes both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

constexpr char kGolden[] = "tests/golden/eval/";
constexpr char kExpected[] = "tests/golden/eval/expected.h5";

// Within `eps` units of the last place of the largest element.
void ExpectNear(const Tensor& got, const Tensor& want, float eps) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  float largest = 0;
  for (float v : want.values<float>()) largest = std::max(largest, std::abs(v));
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    EXPECT_NEAR(got.values<float>()[static_cast<size_t>(i)], want.values<float>()[static_cast<size_t>(i)],
                eps * std::numeric_limits<float>::epsilon() * largest);
  }
}

// A word of a command line: the source tree's path may hold a blank.
std::string Quoted(const std::string& word) {
  return "'" + word + "'";
}

class EvalTest : public CommandTest {
 protected:
  int Eval(const std::string& args, const std::string& launcher = "") { return Dfrun("eval " + args, launcher); }
  static std::string Golden(const std::string& file) { return kGolden + file; }
  std::string Out() const { return Path("out.h5"); }
  std::string FeedX() const { return " --feed x=" + std::string(kExpected) + ":/mlp/x "; }
};

TEST_F(EvalTest, FrozenInference) {
  ASSERT_EQ(Eval(Golden("mlp.pb") + FeedX() + "--fetch h:0 --fetch h/y --fetch top --out " + Out()), 0) << output_;
  ExpectNear(ReadDataset(Out(), "/h:0"), ReadDataset(kExpected, "/mlp/h"), 8);
  ExpectNear(ReadDataset(Out(), "/h/y"), ReadDataset(kExpected, "/mlp/y"), 8);
  EXPECT_TRUE(ReadDataset(Out(), "/top").Identical(ReadDataset(kExpected, "/mlp/top")));
}

TEST_F(EvalTest, PassesChangeNoBit) {
  const Tensor optimized = Evaluate(Golden("mlp.pb") + FeedX(), "h/y");
  EXPECT_TRUE(Evaluate(Golden("mlp.pb") + FeedX() + "--no-optimize --threads 1", "h/y").Identical(optimized));
}

TEST_F(EvalTest, AnyEdgeMayBeFed) {
  const Tensor y = Evaluate(Golden("mlp.pb") + " --feed h=" + kExpected + ":/mlp/h", "h/y");
  ExpectNear(y, ReadDataset(kExpected, "/mlp/y"), 8);
}

TEST_F(EvalTest, TrainingStacksRepeatedFetches) {
  const Tensor losses = Evaluate(Golden("training.pb") + " --init init --target step --repeat 5", "loss");
  EXPECT_EQ(losses.shape(), Shape({5}));
  ExpectNear(losses, ReadDataset(kExpected, "/training/loss"), 16);
}

// A Saver's nodes, run after the steps and, by another process, before them; where they write to is fed or "model".
TEST_F(EvalTest, SaversSaveAndRestore) {
  const std::string graph = Quoted(std::filesystem::absolute(Golden("saver.pb")));
  const std::string path =
      " --feed " + Quoted("save/Const=" + std::filesystem::absolute(kExpected).string() + ":/saver/path") + " ";
  const std::string train = graph + " --init init --target step --repeat 5 --finally save_all";
  const Tensor want = ReadDataset(kExpected, "/saver/values");
  std::filesystem::create_directory(work() + "/given");
  for (const auto& [feed, directory] : {std::pair(path, "given/model"), std::pair(std::string(), "model")}) {
    ASSERT_EQ(Eval(train + feed, "env -C " + work()), 0) << output_;
    EXPECT_TRUE(std::filesystem::is_regular_file(StrCat(work(), "/", directory, "/manifest.json")));
    const std::string restore = graph + " --init save/restore_all" + feed + " --fetch values --out " + Out();
    ASSERT_EQ(Eval(restore, "env -C " + work()), 0) << output_;
    ExpectNear(ReadDataset(Out(), "/values"), want, 8);
    std::filesystem::remove_all(StrCat(work(), "/", directory));
  }
  Write("model.index", "");
  EXPECT_EQ(Eval(graph + " --init save/restore_all --fetch values", "env -C " + work()), 70);
  EXPECT_THAT(output_, HasSubstr("a checkpoint of TensorFlow's own format"));
}

TEST_F(EvalTest, OneStepAddsNoAxis) {
  EXPECT_EQ(Evaluate(Golden("training.pb") + " --init init", "loss").shape(), Shape());
}

TEST_F(EvalTest, DevicesNameRanks) {
  const std::string mpirun = "mpirun --oversubscribe -np 2";
  ASSERT_EQ(Eval(Golden("placed.pb") + " --init init --target step --fetch loss --repeat 5 --out " + Out(), mpirun), 0)
      << output_;
  ExpectNear(ReadDataset(Out(), "/loss"), ReadDataset(kExpected, "/placed/loss"), 16);
}

TEST_F(EvalTest, TooFewRanksForTheDevices) {
  EXPECT_EQ(Eval(Golden("placed.pb") + " --init init --fetch loss"), 64);
  EXPECT_THAT(output_, HasSubstr("mpirun -np 2"));
}

TEST_F(EvalTest, FlagsBeatTheEnvironment) {
  const std::string args = Golden("training.pb") + " --init init --fetch loss --out " + Out();
  ASSERT_EQ(Eval(args, "env DFRUN_REPEAT=3"), 0) << output_;
  EXPECT_EQ(ReadDataset(Out(), "/loss").shape(), Shape({3}));
  ASSERT_EQ(Eval(args + " --repeat 2", "env DFRUN_REPEAT=3"), 0) << output_;
  EXPECT_EQ(ReadDataset(Out(), "/loss").shape(), Shape({2}));
}

TEST_F(EvalTest, StatsAndTrace) {
  const std::string stats = work() + "/stats.json";
  const std::string program = Quoted(std::filesystem::absolute(Golden("training.pb")));
  ASSERT_EQ(Eval(program + " --init init --target step --repeat 7 --trace 2 --stats " + stats, "env -C " + work()), 0)
      << output_;
  const std::string json = ReadText(stats);
  for (const char* key : {"\"step_ms\": {\"median\": ", "\"p90\": ", "\"min\": ", "\"count\": 7}",
                          "\"startup_ms\": ", "\"nodes\": ", "\"peak_bytes\": "}) {
    EXPECT_THAT(json, HasSubstr(key));
  }
  EXPECT_THAT(ReadText(work() + "/trace/rank-0.json"), HasSubstr("ApplyMomentum"));
}

TEST_F(EvalTest, UsageErrors) {
  const std::string graph = Golden("mlp.pb");
  EXPECT_EQ(Eval(graph + FeedX() + "--fetch h --fetch h/y --out " + Out()), 64);
  EXPECT_THAT(output_, HasSubstr("write --fetch h:0"));
  EXPECT_EQ(Eval(graph + FeedX() + "--fetch hh"), 64);
  EXPECT_THAT(output_, HasSubstr("no node 'hh'"));
  EXPECT_EQ(Eval(graph + " --feed y=" + kExpected + ":/mlp/x --fetch h"), 64);
  EXPECT_EQ(Eval(graph + " --feed x --fetch h"), 64);
  EXPECT_EQ(Eval(graph + " --feed x=" + kExpected + ":/saver/path --fetch h"), 64);
  EXPECT_THAT(output_, HasSubstr("string"));
  EXPECT_EQ(Eval(graph + " --feed x=" + kExpected + ":/mlp/h --fetch h"), 64);
  EXPECT_THAT(output_, HasSubstr("[3,6]"));
  EXPECT_EQ(Eval(graph), 64);
  EXPECT_EQ(Eval(graph + FeedX() + FeedX() + "--fetch h"), 64);
  EXPECT_THAT(output_, HasSubstr("'x' is fed twice"));
  EXPECT_EQ(Eval(graph + " --fetch h --repeat 0"), 64);
}

TEST_F(EvalTest, FileErrors) {
  EXPECT_EQ(Eval(Golden("mlp.pb") + " --feed x=absent.h5:/x --fetch h"), 66);
  EXPECT_THAT(output_, HasSubstr("absent.h5"));
  EXPECT_EQ(Eval(Golden("mlp.pb") + " --feed x=" + kExpected + ":/none --fetch h"), 66);
  EXPECT_EQ(Eval("absent.pb --fetch h"), 74);
  for (const char* flag : {"--out", "--stats"}) {
    EXPECT_EQ(Eval(Golden("mlp.pb") + FeedX() + "--fetch h " + flag + " /absent/file"), 74);
    EXPECT_THAT(output_, HasSubstr("cannot write '/absent/file'"));
    EXPECT_EQ(Eval(Golden("mlp.pb") + FeedX() + "--fetch h " + flag + " " + work()), 74);
  }
  EXPECT_EQ(Eval(std::string(kExpected) + " --fetch h"), 65);
}

TEST_F(EvalTest, SpecWithoutFetchesIsEvaluatedAsItSays) {
  ASSERT_EQ(Eval("configs/digits_mlp.yaml --out " + Out()), 0) << output_;
  const float accuracy = ReadDataset(Out(), "/accuracy").scalar<float>();
  EXPECT_GE(accuracy, 0.0F);
  EXPECT_LE(accuracy, 0.5F);  // nothing is trained
  EXPECT_EQ(Eval("configs/digits_mlp.yaml --restore absent"), 66);
}

TEST_F(EvalTest, MissingFeedIsNamed) {
  EXPECT_EQ(Eval(Golden("mlp.pb") + " --fetch h"), 64);
  EXPECT_THAT(output_, HasSubstr("placeholder 'x' (float32[?,8]) has no value: give --feed x="));
}

TEST_F(EvalTest, ErrorOfAStepNamesNodeAndRank) {
  EXPECT_EQ(Eval(Golden("placed.pb") + " --fetch loss", "mpirun --oversubscribe -np 2"), 70);
  EXPECT_THAT(output_, HasSubstr("rank 0"));
  EXPECT_THAT(output_, HasSubstr("on /job:ps/task:0/device:cpu:0"));
  EXPECT_THAT(output_, HasSubstr("uninitialized value"));
}

}  // namespace
}  // namespace dfrun
