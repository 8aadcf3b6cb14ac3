// The specs of configs/ load.
#include <gtest/gtest.h>

#include "src/spec/load.h"

namespace dfrun {
namespace {

TEST(Configs, DigitsMlp) {
  const Result<LoadedSpec> spec = LoadSpec("configs/digits_mlp.yaml", {{"hidden=32"}});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("h1/W"), 0}), PartialShape({64, 32}));
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("logits"), 0}), PartialShape({64, 10}));
  EXPECT_EQ(spec->graph.shape(spec->job.train->loss), PartialShape::Scalar());
  EXPECT_EQ(spec->job.train->steps, 674);  // 30 epochs of 1,437 samples, 64 a batch
}

TEST(Configs, DigitsCnn) {
  const Result<LoadedSpec> spec = LoadSpec("configs/digits_cnn.yaml", {});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("pool1"), 0}), PartialShape({32, 4, 4, 32}));
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("pool2"), 0}), PartialShape({32, 2, 2, 64}));
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("logits/W"), 0}), PartialShape({256, 10}));
}

TEST(Configs, DigitsRnn) {
  const Result<LoadedSpec> spec = LoadSpec("configs/digits_rnn.yaml", {{"units=16"}});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("last/state"), 0}), PartialShape({64, 16}));
}

TEST(Configs, Figure1) {
  const Result<LoadedSpec> spec = LoadSpec("configs/figure1.yaml", {});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.node(spec->graph.Find("W")).device, "/job:ps");
  EXPECT_EQ(spec->graph.shape(spec->job.run->fetches[0].output), PartialShape::Scalar());
}

}  // namespace
}  // namespace dfrun
