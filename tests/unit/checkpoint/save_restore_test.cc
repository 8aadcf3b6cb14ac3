// The ops of saving and restoring: what one writes another reads, and nothing half-written has a name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/checkpoint/store.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;
using testing::Input;
using testing::Make;
using testing::NodeRunner;

Tensor Text(const std::string& text) {
  return Tensor::Scalar(text);
}
Tensor Texts(std::initializer_list<std::string> texts) {
  return Tensor::Vector<std::string>(texts);
}

class SaveRestore : public ::testing::Test {
 protected:
  Tensor Path(const std::string& name) const { return Text(scratch_.Path(name)); }

  Status Run(const std::string& op, const std::vector<Input>& inputs, const AttrMap& attrs = {}) {
    return runner_.Run(NodeRunner::Way::kUnknownShapes, op, attrs, inputs).status();
  }
  Status Save(const std::string& name, const Tensor& names, const Tensor& slices, const std::vector<Tensor>& values) {
    std::vector<Input> inputs = {Path(name), names, slices};
    inputs.insert(inputs.end(), values.begin(), values.end());
    return Run("SaveV2", inputs);
  }
  Result<Tensor> Restore(const std::string& name, const std::string& tensor, DType dtype,
                         const std::string& slice = "") {
    DF_ASSIGN(std::vector<Tensor> values,
              runner_.Run(NodeRunner::Way::kUnknownShapes, "RestoreV2", {{"dtypes", std::vector<DType>{dtype}}},
                          {Path(name), Texts({tensor}), Texts({slice})}));
    return values[0];
  }

  const ScratchDirectory scratch_;
  NodeRunner runner_;
};

TEST_F(SaveRestore, EveryDTypeComesBack) {
  std::vector<Tensor> values;
  std::vector<Input> inputs = {Path("model"), Tensor()};
  std::vector<std::string> names;
  for (int number = 1; number <= 23; ++number) {
    if (!IsValidDType(number) || IsHandle(static_cast<DType>(number))) continue;
    const auto dtype = static_cast<DType>(number);
    Tensor value(dtype, Shape({2, 3}));
    if (dtype == DType::kString) {
      for (int i = 0; i < 6; ++i) value.data<std::string>()[i] = std::string(static_cast<size_t>(i), 'x');
    } else {
      for (size_t i = 0; i < value.num_bytes(); ++i) {
        static_cast<uint8_t*>(value.raw())[i] = static_cast<uint8_t>(dtype == DType::kBool ? i % 2 : i + 1);
      }
    }
    names.push_back("layer/" + std::string(DTypeName(dtype)));
    values.push_back(value);
    inputs.emplace_back(value);
  }
  inputs[1] = Tensor::Vector<std::string>(std::span<const std::string>(names));
  const Status saved = Run("Save", inputs);
  ASSERT_TRUE(saved.ok()) << saved.ToString();
  for (size_t i = 0; i < names.size(); ++i) {
    const Result<Tensor> value = Restore("model", names[i], values[i].dtype());
    ASSERT_TRUE(value.ok()) << value.status().ToString();
    EXPECT_TRUE(value->Identical(values[i])) << names[i];
  }
}

TEST_F(SaveRestore, MissingNamesAndOtherDTypesAreErrorsWithTheName) {
  ASSERT_TRUE(Save("model", Texts({"w"}), Texts({""}), {Tensor::Scalar(1.F)}).ok());
  const Status missing = Restore("model", "v", DType::kFloat).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find("'v'"), std::string::npos) << missing.message();
  EXPECT_EQ(Restore("model", "w", DType::kInt32).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Restore("other", "w", DType::kFloat).status().code(), Code::kNotFound);
}

TEST_F(SaveRestore, NamesThatCannotBeDatasetsAreRefused) {
  for (const std::string& name : {std::string(), std::string("a//b"), std::string("/a"), std::string("a/"),
                                  std::string("a/./b"), std::string("a\0b", 3), std::string("a[0]")}) {
    EXPECT_EQ(Save("model", Texts({name}), Texts({""}), {Tensor::Scalar(1.F)}).code(), Code::kInvalidArgument) << name;
  }
  EXPECT_EQ(Save("model", Texts({"a", "a"}), Texts({"", ""}), {Tensor::Scalar(1.F), Tensor::Scalar(1.F)}).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Save("model", Texts({"a", "b"}), Texts({""}), {Tensor::Scalar(1.F)}).code(), Code::kInvalidArgument);
  EXPECT_FALSE(fs::exists(scratch_.Path("model")));
}

TEST_F(SaveRestore, PartsMakeATensorAndPartsOfItAreRead) {
  const Tensor top = Make<float>(Shape({1, 3}), {0, 1, 2});
  const Tensor bottom = Make<float>(Shape({2, 3}), {10, 11, 12, 20, 21, 22});
  ASSERT_TRUE(Save("m-00000-of-00002", Texts({"w"}), Texts({"3 3 0,1:-"}), {top}).ok());
  ASSERT_TRUE(Save("m-00001-of-00002", Texts({"w"}), Texts({"3 3 1,2:-"}), {bottom}).ok());
  const Result<Tensor> whole = Restore("m-0000[0-9]-of-0000?", "w", DType::kFloat);
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  EXPECT_TRUE(whole->Identical(Make<float>(Shape({3, 3}), {0, 1, 2, 10, 11, 12, 20, 21, 22})));
  const Result<Tensor> middle = Restore("m-*", "w", DType::kFloat, "3 3 0,2:1,2");
  ASSERT_TRUE(middle.ok()) << middle.status().ToString();
  EXPECT_TRUE(middle->Identical(Make<float>(Shape({2, 2}), {1, 2, 11, 12})));
  EXPECT_EQ(Restore("m-00000-of-00002", "w", DType::kFloat).status().code(), Code::kNotFound) << "a part is missing";
}

TEST_F(SaveRestore, PartsThatDoNotFitAreRefused) {
  const Tensor row = Make<float>(Shape({1, 3}), {0, 1, 2});
  for (const char* slice : {"3 3 0,2:-", "3 3 3,1:-", "3 3 -1,1:-", "3 3", "3 0,1", "3 x 0,1:-", "3 3 0,1:-:-",
                            "3 3 0,9223372036854775807:-", "9223372036854775807 9223372036854775807 0,1:0,3", " "}) {
    EXPECT_EQ(Save("model", Texts({"w"}), Texts({slice}), {row}).code(), Code::kInvalidArgument) << slice;
  }
}

TEST_F(SaveRestore, MergedCheckpointsAreOne) {
  ASSERT_TRUE(Save("parts/0", Texts({"a"}), Texts({""}), {Tensor::Scalar(1.F)}).ok());
  ASSERT_TRUE(Save("parts/1", Texts({"b"}), Texts({""}), {Tensor::Scalar(2.F)}).ok());
  const Tensor both = Texts({scratch_.Path("parts/0"), scratch_.Path("parts/1")});
  const Tensor twice = Texts({scratch_.Path("parts/0"), scratch_.Path("parts/0")});
  const Tensor absent = Texts({scratch_.Path("parts/2"), scratch_.Path("parts/0")});
  EXPECT_EQ(Run("MergeV2Checkpoints", {twice, Path("merged")}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("MergeV2Checkpoints", {absent, Path("merged")}).code(), Code::kNotFound);
  EXPECT_FALSE(fs::exists(scratch_.Path("merged")));
  const Status merged = Run("MergeV2Checkpoints", {both, Path("merged")});
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_FALSE(fs::exists(scratch_.Path("parts")));
  EXPECT_EQ(Restore("merged", "a", DType::kFloat)->scalar<float>(), 1);
  EXPECT_EQ(Restore("merged", "b", DType::kFloat)->scalar<float>(), 2);
  EXPECT_TRUE(CheckpointStore::Open(scratch_.Path("merged")).ok());
}

TEST_F(SaveRestore, ASaveThatWasCutShortChangesNothing) {
  ASSERT_TRUE(Save("model", Texts({"w"}), Texts({""}), {Tensor::Scalar(1.F)}).ok());
  // The process was killed while it wrote: half a shard is in the temporary directory.
  fs::create_directories(scratch_.Path("model.tmp"));
  std::ofstream(scratch_.Path("model.tmp/shard-0.h5")) << "half";
  EXPECT_EQ(Restore("model", "w", DType::kFloat)->scalar<float>(), 1);
  // The process was killed between the two renames.
  fs::rename(scratch_.Path("model"), scratch_.Path("model.old"));
  EXPECT_EQ(Restore("model", "w", DType::kFloat)->scalar<float>(), 1);
  ASSERT_TRUE(Save("model", Texts({"w"}), Texts({""}), {Tensor::Scalar(2.F)}).ok());
  EXPECT_EQ(Restore("model", "w", DType::kFloat)->scalar<float>(), 2);
  ASSERT_TRUE(Save("model", Texts({"w"}), Texts({""}), {Tensor::Scalar(3.F)}).ok());
  EXPECT_EQ(Restore("model", "w", DType::kFloat)->scalar<float>(), 3);
  EXPECT_TRUE(fs::exists(scratch_.Path("model.old"))) << "a name that may be a user's";
}

TEST_F(SaveRestore, DamageIsFound) {
  ASSERT_TRUE(Save("model", Texts({"w"}), Texts({""}), {Tensor::Scalar(1.F)}).ok());
  std::fstream shard(scratch_.Path("model/shard-0.h5"), std::ios::in | std::ios::out | std::ios::binary);
  shard.seekp(-1, std::ios::end);
  shard.put('!');
  shard.close();
  EXPECT_EQ(Restore("model", "w", DType::kFloat).status().code(), Code::kDataLoss);
}

TEST_F(SaveRestore, OlderOpsReadTheSame) {
  const Tensor value = Make<int64_t>(Shape({2, 2}), {1, 2, 3, 4});
  ASSERT_TRUE(Run("SaveSlices", {Path("model"), Texts({"w"}), Texts({""}), value}).ok());
  const AttrMap dt = {{"dt", DType::kInt64}};
  const auto all = runner_.Run(NodeRunner::Way::kUnknownShapes, "Restore", dt, {Path("model"), Text("w")});
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_TRUE((*all)[0].Identical(value));
  const auto part =
      runner_.Run(NodeRunner::Way::kUnknownShapes, "RestoreSlice", dt, {Path("model"), Text("w"), Text("2 2 -:1,1")});
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  EXPECT_TRUE((*part)[0].Identical(Make<int64_t>(Shape({2, 1}), {2, 4})));
}

}  // namespace
}  // namespace dfrun
