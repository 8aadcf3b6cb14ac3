// `dfrun eval` on MetaGraphs and SavedModels that TensorFlow wrote, against what TensorFlow computed from them.
// tests/golden/models/make_models.py makes both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModels[] = "tests/golden/models/";
constexpr char kExpected[] = "tests/golden/models/expected.h5";

class ModelsTest : public CommandTest {
 protected:
  int Eval(const std::string& args) { return Dfrun("eval " + std::string(kModels) + args); }
  static std::string From(const std::string& name, const std::string& dataset) {
    return " --feed " + name + "=" + kExpected + ":/" + dataset + " ";
  }
  std::string Out() const { return " --out " + Path("out.h5"); }
  // Expects that the last evaluation wrote what TensorFlow computed; the products and sums of the models are exact.
  void ExpectWritten(const std::string& name, const std::string& dataset) {
    EXPECT_TRUE(ReadDataset(Path("out.h5"), "/" + name).Identical(ReadDataset(kExpected, "/" + dataset))) << name;
  }
};

TEST_F(ModelsTest, QueueRunnersFillTheQueuesOfTheSteps) {
  ASSERT_EQ(Eval("queue_runners.meta --fetch y --repeat 3" + Out()), 0) << output_;
  ExpectWritten("y", "queue_runners/y");
  ASSERT_EQ(Eval("queue_runners.meta --fetch y --repeat 3 --threads 1" + Out()), 0) << output_;
  ExpectWritten("y", "queue_runners/y");
}

TEST_F(ModelsTest, StepsEndWithTheElements) {
  ASSERT_EQ(Eval("queue_runners.meta --fetch y --repeat 10" + Out()), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("the elements of the queues ended after 3 of 10 steps"));
  ExpectWritten("y", "queue_runners/y");
}

TEST_F(ModelsTest, StepsEndBeforeTheElements) {
  EXPECT_EQ(Eval("queue_runners.meta --fetch y"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("y: float32[4] -0 -1.5 -3 -4.5"));
}

TEST_F(ModelsTest, TheErrorOfARunnerIsSaid) {
  EXPECT_NE(Eval("a_runner_that_fails.meta --fetch y"), 0);
  EXPECT_THAT(output_, HasSubstr("a queue runner: node 'to_number'"));
  EXPECT_THAT(output_, HasSubstr("'x' is no float32"));
}

TEST_F(ModelsTest, SignaturesNameWhatIsFedAndFetched) {
  ASSERT_EQ(Eval("saved_model_v1" + From("x", "x") + Out()), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("the variables have their initial values"));
  ExpectWritten("y", "saved_model_v1/y");
  ASSERT_EQ(Eval("saved_model_v1/saved_model.pb --signature look_up" + From("words", "words") + Out()), 0) << output_;
  EXPECT_THAT(output_, Not(HasSubstr("initial values")));
  ExpectWritten("ids", "saved_model_v1/ids");
}

TEST_F(ModelsTest, SignaturesAndTagsThatAreNotThereAreListed) {
  EXPECT_EQ(Eval("saved_model_v1 --signature look_upp"), 64);
  EXPECT_THAT(output_, HasSubstr("look_up(words) -> (ids)"));
  EXPECT_THAT(output_, HasSubstr("serving_default(x) -> (y)"));
  EXPECT_EQ(Eval("saved_model_v1 --tag train"), 64);
  EXPECT_THAT(output_, HasSubstr("{serve}, {serve, gpu}"));
  EXPECT_EQ(Eval("saved_model_v1 --tag gpu --tag serve --fetch seven"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("seven: float32[] 7"));
  EXPECT_EQ(Eval("saved_model_v1"), 64);
  EXPECT_THAT(output_, HasSubstr("give --feed x=FILE.h5:/path"));
  EXPECT_EQ(Dfrun("eval tests/golden/eval/mlp.pb --signature serving_default --fetch top"), 64);
  EXPECT_THAT(output_, HasSubstr("the model has no signatures"));
}

// Its signature is a function that captures a variable and a table.
TEST_F(ModelsTest, ObjectGraphsRunWithValuesThatAreAssigned) {
  const std::string feeds = "saved_model_v2" + From("x", "x") + From("words", "words");
  ASSERT_EQ(Eval(feeds + " --assign w=" + kExpected + ":/w" + Out()), 0) << output_;
  ExpectWritten("y", "saved_model_v2/y");
  ExpectWritten("ids", "saved_model_v2/ids");
  EXPECT_NE(Eval(feeds), 0);
  EXPECT_THAT(output_, HasSubstr("the variable 'w' has no value yet"));
  EXPECT_THAT(output_, HasSubstr("--assign NAME=FILE.h5:/path"));
  EXPECT_THAT(output_, HasSubstr("saved_model_v2/variables are in TensorFlow's format, which is not read"));
  EXPECT_EQ(Eval(feeds + " --assign ww=3"), 64);
  EXPECT_THAT(output_, HasSubstr("there is no variable 'ww', did you mean 'w'?"));
  EXPECT_EQ(Eval(feeds + " --assign w=3"), 64);
  EXPECT_THAT(output_, HasSubstr("the value has the shape [], but 'w' is [2,2]"));
}

TEST_F(ModelsTest, CheckListsWhatAModelSays) {
  EXPECT_EQ(Dfrun("check tests/golden/models/saved_model_v1"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("signatures: look_up(words) -> (ids), serving_default(x) -> (y)"));
  EXPECT_THAT(output_, HasSubstr("tags: serve"));
  EXPECT_EQ(Dfrun("check tests/golden/models/queue_runners.meta"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("queues filled by runners: input_producer, batch/fifo_queue, unused"));
}

TEST_F(ModelsTest, RestoreSaysWhatIsNoCheckpoint) {
  for (const auto& [path, text] : {std::pair("saved_model_v1", "this is a SavedModel"),
                                   std::pair("saved_model_v1/variables/variables", "a TensorFlow checkpoint"),
                                   std::pair("saved_model_v1/variables/variables.index", "index of a TensorFlow"),
                                   std::pair("expected.h5", "an HDF5 file")}) {
    EXPECT_EQ(Eval(StrCat("saved_model_v1", From("x", "x"), "--restore ", kModels, path)), 65);
    EXPECT_THAT(output_, HasSubstr(text));
    EXPECT_THAT(output_, HasSubstr("no checkpoint of dfrun"));
  }
}

}  // namespace
}  // namespace dfrun
