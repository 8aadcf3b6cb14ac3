#include "src/framework/op/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrun {
namespace {

using ::testing::HasSubstr;

Result<OpDef> Finish(OpBuilder& builder) {
  return builder.Shape(UnknownOutputs()).Doc("For a test.").Finish();
}

OpDef Concat() {
  OpBuilder op("Concat");
  op.Input("values: N * T").Input("axis: Tidx").Output("output: T").Attr("N: int >= 2").Attr("T: type");
  op.Attr("Tidx: {int32, int64} = DT_INT32");
  return *Finish(op);
}

const TypedArg kFloatArg = {DType::kFloat, false};
const TypedArg kInt64Arg = {DType::kInt64, false};

TEST(OpBuilderTest, ReadsTheSignature) {
  const OpDef op = Concat();
  EXPECT_EQ(op.inputs[0].number_attr, "N");
  EXPECT_EQ(op.inputs[0].type_attr, "T");
  EXPECT_EQ(op.FindAttr("N")->minimum, 2);
  EXPECT_EQ(op.FindAttr("Tidx")->allowed_types, (std::vector<DType>{DType::kInt32, DType::kInt64}));
  EXPECT_EQ(op.FindAttr("Tidx")->default_value, AttrValue(DType::kInt32));
}

TEST(OpBuilderTest, SaysWhatIsWrongWithASignature) {
  for (const char* const text : {"T", "T: tipe", "T: {float, flaot}", "n: int >= x", "b: bool = maybe"}) {
    OpBuilder op("Bad");
    op.Attr(text);
    const Result<OpDef> def = Finish(op);
    ASSERT_FALSE(def.ok()) << text;
    EXPECT_THAT(def.status().message(), HasSubstr("Bad"));
  }
  OpBuilder op("Bad");
  op.Input("x: Missing");
  EXPECT_FALSE(Finish(op).ok());
}

void UnaryOfFloats(OpBuilder& op) {
  op.Input("x: T").Output("y: T").Attr("T: {float, double}").Shape(SameAsInput(0));
}

TEST(OpBuilderTest, AsAddsWhatTheFamilyShares) {
  OpBuilder op("Sin");
  const Result<OpDef> def = op.As(UnaryOfFloats).Doc("The sine.").Finish();
  ASSERT_TRUE(def.ok()) << def.status().message();
  EXPECT_EQ(def->inputs.size(), 1U);
  EXPECT_EQ(def->FindAttr("T")->allowed_types.size(), 2U);
}

TEST(ResolveAttrsTest, InfersTypesAndNumbersAndFillsDefaults) {
  AttrMap attrs = {{"N", 2}};
  ASSERT_TRUE(ResolveAttrs(Concat(), {kFloatArg, kFloatArg, kInt64Arg}, attrs).ok());
  EXPECT_EQ(*attrs.Get<DType>("T"), DType::kFloat);
  EXPECT_EQ(*attrs.Get<DType>("Tidx"), DType::kInt64);
  AttrMap inferred;
  ASSERT_TRUE(ResolveAttrs(Concat(), {kFloatArg, kFloatArg, kFloatArg, kInt64Arg}, inferred).ok());
  EXPECT_EQ(*inferred.Get<int64_t>("N"), 3);
}

TEST(ResolveAttrsTest, RefusesWhatDoesNotFit) {
  const auto resolve = [](std::vector<TypedArg> inputs, AttrMap attrs) {
    return ResolveAttrs(Concat(), inputs, attrs).message();
  };
  EXPECT_THAT(resolve({kFloatArg, kInt64Arg, kInt64Arg}, {}), HasSubstr("float32"));
  EXPECT_THAT(resolve({kFloatArg, kFloatArg, kFloatArg}, {}), HasSubstr("Tidx"));
  EXPECT_THAT(resolve({kFloatArg, kInt64Arg}, {{"N", 1}}), HasSubstr("N"));
  EXPECT_THAT(resolve({kFloatArg, kFloatArg, kInt64Arg}, {{"axes", 1}}), HasSubstr("axes"));
  EXPECT_EQ(resolve({kFloatArg, kFloatArg, kInt64Arg}, {{"_class", std::vector<std::string>{"loc:@a"}}}), "");
}

TEST(OpRegistryTest, SuggestsANearName) {
  OpRegistry registry;
  OpBuilder op("Conv2D");
  op.Shape(UnknownOutputs()).Doc("For a test.").Alias("Convolution2D");
  ASSERT_TRUE(registry.Register(op).ok());
  EXPECT_FALSE(registry.Register(op).ok());
  EXPECT_THAT(registry.UnknownOp("Convv2D").message(), HasSubstr("did you mean 'Conv2D'"));
  EXPECT_EQ(registry.Find("Convolution2D"), nullptr);
  EXPECT_EQ(registry.FindByNameOrAlias("Convolution2D"), registry.Find("Conv2D"));
}

}  // namespace
}  // namespace dfrun
