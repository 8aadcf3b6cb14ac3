// SaveShard and RestoreShard: a checkpoint of two shards comes back, in any order and part.
#include <gtest/gtest.h>

#include "src/checkpoint/fingerprint.h"
#include "src/checkpoint/store.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

class ShardOpsTest : public ::testing::Test {
 protected:
  Result<Tensor> Save(const std::string& directory, const std::string& file, const std::vector<std::string>& names,
                      const std::vector<Tensor>& values) {
    std::vector<testing::Input> inputs = {Tensor::Scalar(directory)};
    std::vector<DType> types;
    for (const Tensor& value : values) {
      inputs.emplace_back(value);
      types.push_back(value.dtype());
    }
    const AttrMap attrs = {{"T", types}, {"names", names}, {"file", file}};
    DF_ASSIGN(std::vector<Tensor> out, runner_.Run(NodeRunner::Way::kUnknownShapes, "SaveShard", attrs, inputs));
    return out[0];
  }
  Result<std::vector<Tensor>> Restore(const std::string& directory, const std::vector<std::string>& names,
                                      const std::vector<DType>& types, const std::vector<PartialShape>& shapes,
                                      std::initializer_list<std::string> left_out = {}) {
    const AttrMap attrs = {{"dtypes", types}, {"names", names}, {"shapes", shapes}};
    return runner_.Run(NodeRunner::Way::kStaticShapes, "RestoreShard", attrs,
                       {Tensor::Scalar(directory), Tensor::Vector<std::string>(left_out)});
  }
  // Returns the directory of a committed checkpoint whose shards hold `a` and `b`, and `c`.
  Result<std::string> Commit() {
    CheckpointStore store(scratch_.path(), 0);
    DF_ASSIGN(const std::string directory, store.Begin(3));
    DF_ASSIGN(const Tensor first, Save(directory, "shard-0.h5", {"a", "b"}, {a_, b_}));
    DF_ASSIGN(const Tensor second, Save(directory, "shard-1.h5", {"c"}, {c_}));
    Manifest manifest;
    manifest.step = 3;
    for (const Tensor& entry : {first, second}) {
      DF_ASSIGN(ShardEntry shard, ShardEntry::Parse(entry.scalar<std::string>()));
      manifest.shards.push_back(std::move(shard));
    }
    DF_TRY(store.Commit(manifest));
    return scratch_.Path("step-3");
  }

  const ScratchDirectory scratch_;
  NodeRunner runner_;
  const Tensor a_ = Tensor::Vector<float>({1, 2, 3});
  const Tensor b_ = Tensor::Scalar<int64_t>(-4);
  const Tensor c_ = Tensor::Vector<std::string>({"x", ""});
};

TEST_F(ShardOpsTest, VariablesOfSeveralShardsComeBack) {
  const Result<std::string> directory = Commit();
  ASSERT_TRUE(directory.ok()) << directory.status().ToString();
  const Result<std::vector<Tensor>> values =
      Restore(*directory, {"c", "a"}, {DType::kString, DType::kFloat}, {PartialShape({2}), PartialShape({3})});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE((*values)[0].Identical(c_));
  EXPECT_TRUE((*values)[1].Identical(a_));
}

TEST_F(ShardOpsTest, SizesMayBeUnknownAndNamesLeftOut) {
  const Result<std::string> directory = Commit();
  ASSERT_TRUE(directory.ok()) << directory.status().ToString();
  const PartialShape vector({PartialShape::kUnknown});
  const Result<std::vector<Tensor>> values =
      Restore(*directory, {"a", "not saved", "c"}, {DType::kFloat, DType::kInt64, DType::kString},
              {vector, vector, PartialShape()}, {"not saved"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE((*values)[0].Identical(a_));
  EXPECT_TRUE((*values)[2].Identical(c_));
}

TEST_F(ShardOpsTest, AnotherFingerprintThanTheSavedOneIsDamage) {
  const NamedTensor saved[] = {{"a", a_}, {"c", c_}};
  const Result<ShardEntry> entry = WriteShard(scratch_.path(), "shard-0.h5", saved);
  ASSERT_TRUE(entry.ok()) << entry.status().ToString();
  std::vector<SavedVariable> wanted = entry->variables;
  EXPECT_EQ(wanted[0].fingerprint, FingerprintOf(a_));
  EXPECT_EQ(wanted[1].fingerprint, FingerprintOf(c_));
  const std::string path = scratch_.Path("shard-0.h5");
  ASSERT_TRUE(ReadShard(path, wanted, SystemAllocator()).ok());
  for (SavedVariable& variable : wanted) {
    ++*variable.fingerprint;
    const Status status = ReadShard(path, wanted, SystemAllocator()).status();
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(status.message().find(StrCat("variable '", variable.name, "' of ", path, " has the fingerprint ")),
              std::string::npos)
        << status.message();
    variable.fingerprint.reset();  // checkpoints of earlier programs have none
    ASSERT_TRUE(ReadShard(path, wanted, SystemAllocator()).ok());
  }
}

TEST_F(ShardOpsTest, WhatDoesNotFitIsRefused) {
  const Result<std::string> directory = Commit();
  ASSERT_TRUE(directory.ok()) << directory.status().ToString();
  const auto code = [&](const std::string& name, DType type, const PartialShape& shape) {
    return Restore(*directory, {name}, {type}, {shape}).status().code();
  };
  EXPECT_EQ(code("d", DType::kFloat, PartialShape({3})), Code::kNotFound);
  EXPECT_NE(code("a", DType::kFloat, PartialShape({4})), Code::kOk);
  EXPECT_NE(code("a", DType::kDouble, PartialShape({3})), Code::kOk);
  EXPECT_NE(Save(scratch_.path(), "shard-2.h5", {"one"}, {a_, b_}).status().code(), Code::kOk);
}

}  // namespace
}  // namespace dfrun
