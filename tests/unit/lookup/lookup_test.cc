// Tables: the expected values follow TensorFlow's tables of the same contents.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using testing::Input;
using testing::Make;
using testing::NodeRunner;

class Lookup : public ::testing::Test {
 protected:
  Result<std::vector<Tensor>> Run(const std::string& op, const std::vector<Input>& inputs, const AttrMap& attrs = {}) {
    return runner_.Run(NodeRunner::Way::kUnknownShapes, op, attrs, inputs);
  }
  Tensor Table(const std::string& op, DType key, DType value, const AttrMap& more = {}) {
    AttrMap attrs = {{"key_dtype", key}, {"value_dtype", value}, {"shared_name", "table"}};
    for (const auto& [name, attr] : more) attrs.Set(name, attr);
    const auto made = Run(op, {}, attrs);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return (*made)[0];
  }
  Tensor Find(const Tensor& table, const Tensor& keys, const Tensor& absent) {
    const auto found = Run("LookupTableFindV2", {table, keys, absent});
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return found.ok() ? (*found)[0] : Tensor();
  }
  int64_t Size(const Tensor& table) { return (*Run("LookupTableSizeV2", {table}))[0].scalar<int64_t>(); }

  NodeRunner runner_;
  const Tensor ab_ = Tensor::Vector<std::string>({"b", "a"});
  const Tensor one_two_ = Tensor::Vector<int64_t>({2, 1});
  const Tensor minus_ = Tensor::Scalar<int64_t>(-1);
};

TEST_F(Lookup, AFixedTableIsFilledOnce) {
  const Tensor table = Table("HashTableV2", DType::kString, DType::kInt64);
  EXPECT_EQ(Run("LookupTableFindV2", {table, ab_, minus_}).status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(Size(table), 0);
  const Tensor twice = Tensor::Vector<std::string>({"a", "a"});
  EXPECT_EQ(Run("InitializeTableV2", {table, twice, one_two_}).status().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(Run("InitializeTableV2", {table, ab_, one_two_}).ok());
  EXPECT_TRUE(Run("InitializeTableV2", {table, ab_, one_two_}).ok()) << "the same again";
  EXPECT_EQ(Run("InitializeTableV2", {table, ab_, Tensor::Vector<int64_t>({3, 4})}).status().code(),
            Code::kFailedPrecondition);
  EXPECT_EQ(Size(table), 2);
  const Tensor keys = Make<std::string>(Shape({2, 2}), {"a", "x", "b", ""});
  EXPECT_TRUE(Find(table, keys, minus_).Identical(Make<int64_t>(Shape({2, 2}), {1, -1, 2, -1})));
  EXPECT_EQ(Run("LookupTableInsertV2", {table, ab_, one_two_}).status().code(), Code::kUnimplemented);
  EXPECT_EQ(Run("LookupTableRemoveV2", {table, ab_}).status().code(), Code::kUnimplemented);
}

TEST_F(Lookup, AMutableTableChanges) {
  const Tensor table = Table("MutableHashTableV2", DType::kString, DType::kInt64);
  ASSERT_TRUE(Run("LookupTableInsertV2", {table, ab_, one_two_}).ok());
  const Tensor two = Tensor::Vector<std::string>({"c", "a"});
  ASSERT_TRUE(Run("LookupTableInsertV2", {table, two, Tensor::Vector<int64_t>({3, 10})}).ok());
  const Tensor all = Tensor::Vector<std::string>({"a", "b", "c", "d"});
  EXPECT_TRUE(Find(table, all, minus_).Identical(Tensor::Vector<int64_t>({10, 2, 3, -1})));
  EXPECT_TRUE(
      Find(table, all, Tensor::Vector<int64_t>({5, 6, 7, 8})).Identical(Tensor::Vector<int64_t>({10, 2, 3, 8})));
  const auto exported = Run("LookupTableExportV2", {table}, {{"Tkeys", DType::kString}, {"Tvalues", DType::kInt64}});
  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  EXPECT_TRUE((*exported)[0].Identical(Tensor::Vector<std::string>({"a", "b", "c"})));
  EXPECT_TRUE((*exported)[1].Identical(Tensor::Vector<int64_t>({10, 2, 3})));
  ASSERT_TRUE(Run("LookupTableRemoveV2", {table, Tensor::Vector<std::string>({"b", "z"})}).ok());
  EXPECT_EQ(Size(table), 2);
  ASSERT_TRUE(Run("LookupTableImportV2", {table, ab_, one_two_}).ok());
  EXPECT_TRUE(Find(table, all, minus_).Identical(Tensor::Vector<int64_t>({1, 2, -1, -1})));
  EXPECT_EQ(Run("InitializeTableV2", {table, ab_, one_two_}).status().code(), Code::kInvalidArgument);
}

TEST_F(Lookup, ValuesMayBeTensors) {
  const Tensor table =
      Table("MutableHashTableOfTensorsV2", DType::kInt32, DType::kFloat, {{"value_shape", PartialShape({2})}});
  const Tensor keys = Tensor::Vector<int32_t>({7, 8});
  ASSERT_TRUE(Run("LookupTableInsertV2", {table, keys, Make<float>(Shape({2, 2}), {1, 2, 3, 4})}).ok());
  const Tensor found = Find(table, Tensor::Vector<int32_t>({8, 9}), Tensor::Vector<float>({-1, -2}));
  EXPECT_TRUE(found.Identical(Make<float>(Shape({2, 2}), {3, 4, -1, -2})));
  EXPECT_EQ(Run("LookupTableInsertV2", {table, keys, Tensor::Vector<float>({1, 2})}).status().code(),
            Code::kInvalidArgument);
}

TEST_F(Lookup, EveryPairOfTypes) {
  for (DType key : {DType::kString, DType::kInt32, DType::kInt64}) {
    for (DType value : {DType::kString, DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble, DType::kBool}) {
      const Tensor table = Table("MutableHashTableV2", key, value,
                                 {{"shared_name", std::string(DTypeName(key)) + std::string(DTypeName(value))}});
      Tensor keys(key, Shape({1}));
      Tensor values(value, Shape({1}));
      if (IsPlain(key)) std::fill_n(static_cast<char*>(keys.raw()), keys.num_bytes(), '\1');
      if (IsPlain(value)) std::fill_n(static_cast<char*>(values.raw()), values.num_bytes(), '\1');
      ASSERT_TRUE(Run("LookupTableInsertV2", {table, keys, values}).ok());
      EXPECT_TRUE(Find(table, keys, Tensor(value, Shape())).Identical(values)) << key << " to " << value;
    }
  }
}

TEST_F(Lookup, WhatDoesNotFitIsRefused) {
  const Tensor table = Table("MutableHashTableV2", DType::kString, DType::kInt64);
  const Tensor number = Tensor::Scalar<int32_t>(1);
  for (const std::vector<Input>& inputs : {std::vector<Input>{table, one_two_, minus_},
                                           {table, ab_, Tensor::Vector<int64_t>({1, 2, 3})},
                                           {table, ab_, number},
                                           {Tensor::Scalar(ResourceHandle()), ab_, minus_},
                                           {Tensor(DType::kResource, Shape({0})), ab_, minus_}}) {
    EXPECT_EQ(Run("LookupTableFindV2", inputs).status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Run("LookupTableInsertV2", {table, ab_, minus_}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Run("LookupTableInsertV2", {table, ab_, Tensor::Vector<float>({1, 2})}).status().code(),
            Code::kInvalidArgument);
  const AttrMap wrong = {{"Tkeys", DType::kString}, {"Tvalues", DType::kFloat}};
  EXPECT_EQ(Run("LookupTableExportV2", {table}, wrong).status().code(), Code::kInvalidArgument);
  const AttrMap another = {{"key_dtype", DType::kInt32}, {"value_dtype", DType::kInt64}, {"shared_name", "table"}};
  EXPECT_EQ(Run("MutableHashTableV2", {}, another).status().code(), Code::kInvalidArgument);
  const AttrMap unknown = {{"key_dtype", DType::kFloat}, {"value_dtype", DType::kInt64}};
  EXPECT_EQ(Run("MutableHashTableV2", {}, unknown).status().code(), Code::kUnimplemented);
}

// Expected values are those of TensorFlow 2.21 for the same files.
class TextFileTable : public Lookup {
 protected:
  static constexpr int64_t kLine = -2;
  static constexpr int64_t kNumber = -1;

  // A new table filled from a file of this text.
  Status Fill(const std::string& text, DType key, int64_t key_index, DType value, int64_t value_index,
              const AttrMap& more = {}) {
    AttrMap attrs = {{"key_index", key_index}, {"value_index", value_index}};
    for (const auto& [name, attr] : more) attrs.Set(name, attr);
    table_ = Table("HashTableV2", key, value, {{"shared_name", StrCat("table", ++tables_)}});
    const auto path = Tensor::Scalar<std::string>(directory_.Write("lines", text));
    return Run("InitializeTableFromTextFileV2", {table_, path}, attrs).status();
  }
  void ExpectRefused(const Status& status, const std::string& text) {
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  }

  ScratchDirectory directory_;
  int tables_ = 0;
  Tensor table_;
  const Tensor abc_ = Tensor::Vector<std::string>({"a", "b", "c"});
};

TEST_F(TextFileTable, TheOffsetIsAddedToNumbersOfLines) {
  ASSERT_TRUE(Fill("a\nb\nc\n", DType::kString, kLine, DType::kInt64, kNumber, {{"offset", int64_t{3}}}).ok());
  EXPECT_TRUE(Find(table_, abc_, minus_).Identical(Tensor::Vector<int64_t>({3, 4, 5})));
  ASSERT_TRUE(Fill("a\nb\nc", DType::kString, kLine, DType::kInt64, kNumber, {{"offset", int64_t{-3}}}).ok());
  EXPECT_TRUE(Find(table_, abc_, minus_).Identical(Tensor::Vector<int64_t>({-3, -2, -1})));
  ASSERT_TRUE(Fill("a\nb\n", DType::kInt64, kNumber, DType::kString, kLine, {{"offset", int64_t{10}}}).ok());
  EXPECT_TRUE(Find(table_, Tensor::Vector<int64_t>({11, 0}), Tensor::Scalar<std::string>("none"))
                  .Identical(Tensor::Vector<std::string>({"b", "none"})));
  const AttrMap two = {{"offset", int64_t{1}}, {"vocab_size", int64_t{2}}};
  ASSERT_TRUE(Fill("a\nb\nc\n", DType::kString, kLine, DType::kInt64, kNumber, two).ok());
  EXPECT_TRUE(Find(table_, abc_, minus_).Identical(Tensor::Vector<int64_t>({1, 2, -1})));
  ASSERT_TRUE(Fill("a\t1\nb\t2\n", DType::kString, 0, DType::kFloat, 1, {{"offset", int64_t{4}}}).ok());
  EXPECT_TRUE(Find(table_, ab_, Tensor::Scalar<float>(-1)).Identical(Tensor::Vector<float>({2, 1})));
  ExpectRefused(Fill("a\nb\n", DType::kString, kLine, DType::kInt64, kNumber, {{"offset", INT64_MAX}}), "are no int64");
}

TEST_F(TextFileTable, AWholeLineMayBeAnInteger) {
  const Tensor lines = Tensor::Vector<int64_t>({5, -7, 9});
  const Tensor numbers = Tensor::Vector<int64_t>({0, 1, 2});
  ASSERT_TRUE(Fill("5\n-7\r\n 9 \n", DType::kInt64, kLine, DType::kInt64, kNumber).ok());
  EXPECT_TRUE(Find(table_, lines, minus_).Identical(numbers));
  ASSERT_TRUE(Fill("5\n-7\n9\n", DType::kInt64, kNumber, DType::kInt64, kLine).ok());
  EXPECT_TRUE(Find(table_, numbers, minus_).Identical(lines));
  ASSERT_TRUE(Fill("5\n-7\n9\n", DType::kInt64, kNumber, DType::kInt32, kLine).ok());
  EXPECT_TRUE(Find(table_, numbers, Tensor::Scalar<int32_t>(0)).Identical(Tensor::Vector<int32_t>({5, -7, 9})));
  ExpectRefused(Fill("5\n", DType::kInt64, kNumber, DType::kFloat, kLine), "a whole line is a string or an integer");
  ExpectRefused(Fill("5\nx\n", DType::kInt64, kLine, DType::kInt64, kNumber), "lines:2: 'x' is no int64");
}

TEST_F(TextFileTable, AnEmptyLineIsAnError) {
  for (const char* text : {"a\n\nb\n", "a\n\r\nb\n", "a\n\n"}) {
    ExpectRefused(Fill(text, DType::kString, kLine, DType::kInt64, kNumber), "lines:2: the line is empty");
  }
  EXPECT_TRUE(Fill("a\n\n", DType::kString, kLine, DType::kInt64, kNumber, {{"vocab_size", int64_t{1}}}).ok());
  EXPECT_TRUE(Fill("\t\nb\tc\n", DType::kString, 0, DType::kString, 1).ok()) << "an empty column is none";
  ExpectRefused(Fill("", DType::kString, kLine, DType::kInt64, kNumber), "is empty");
}

}  // namespace
}  // namespace dfrun
