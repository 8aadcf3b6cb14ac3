// Summaries against the bytes of TensorBoard's own messages.
#include "src/events/summaries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/events/plugin_data.pb.h"
#include "src/events/scalar_layout.h"
#include "src/graph/proto/tensor.pb.h"

namespace dfrun {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return hex;
}

proto::Summary::Value OnlyValue(const std::string& message) {
  proto::Summary summary;
  EXPECT_TRUE(summary.ParseFromString(message));
  EXPECT_EQ(summary.value_size(), 1);
  return summary.value(0);
}

proto::Summary::Metadata MetadataOf(const proto::Summary::Value& value) {
  proto::Summary::Metadata metadata;
  EXPECT_TRUE(metadata.ParseFromString(value.metadata()));
  return metadata;
}

// tensorboard.plugins.scalar.summary_v2.scalar_pb("loss", 1.25).
TEST(SummariesTest, AScalarIsThatOfTensorBoard) {
  ScalarSummaries scalars;
  EXPECT_TRUE(scalars.is_empty());
  scalars.Add("loss", 1.25);
  EXPECT_EQ(Hex(scalars.Take()), "0a1f0a046c6f7373420a080112002a040000a03f4a0b0a090a077363616c617273");
  EXPECT_TRUE(scalars.is_empty());
}

TEST(SummariesTest, OnlyTheFirstScalarOfATagHasMetadata) {
  ScalarSummaries scalars;
  scalars.Add("loss", 1);
  scalars.Take();
  scalars.Add("loss", std::numeric_limits<double>::quiet_NaN());
  const proto::Summary::Value value = OnlyValue(scalars.Take());
  EXPECT_EQ(value.metadata(), "");
  proto::TensorProto tensor;
  ASSERT_TRUE(tensor.ParseFromString(value.tensor()));
  EXPECT_TRUE(std::isnan(tensor.float_val(0)));
}

// The content of tensorboard.plugins.hparams.summary_v2.hparams_pb({"lr": 0.5}, start_time_secs=2.0), which adds a
// group's name to it.
TEST(SummariesTest, ASessionBegins) {
  JsonValue hparams = JsonValue::Object();
  hparams.Set("lr", JsonValue::Number("0.5"));
  const proto::Summary::Value value = OnlyValue(SessionStartSummary(hparams, 2));
  EXPECT_EQ(value.tag(), "_hparams_/session_start_info");
  EXPECT_EQ(Hex(value.tensor()), "080112021200");
  EXPECT_EQ(MetadataOf(value).plugin_data().plugin_name(), "hparams");
  EXPECT_EQ(Hex(MetadataOf(value).plugin_data().content()), "1a1a0a0f0a026c72120911000000000000e03f290000000000000040");
}

TEST(SummariesTest, HparamsAreNumbersBoolsAndTexts) {
  JsonValue hparams = JsonValue::Object();
  hparams.Set("n", JsonValue::Number("3")).Set("b", JsonValue::Bool(true)).Set("t", JsonValue::Text("adam"));
  proto::HParamsPluginData data;
  const proto::Summary::Value value = OnlyValue(SessionStartSummary(hparams, 2));
  ASSERT_TRUE(data.ParseFromString(MetadataOf(value).plugin_data().content()));
  const auto& map = data.session_start_info().hparams();
  EXPECT_EQ(map.at("n").number_value(), 3);
  EXPECT_TRUE(map.at("b").bool_value());
  EXPECT_EQ(map.at("t").string_value(), "adam");
}

// HParamsPluginData(session_end_info=SessionEndInfo(status=STATUS_FAILURE, end_time_secs=3.0)).
TEST(SummariesTest, ASessionEnds) {
  const proto::Summary::Value value = OnlyValue(SessionEndSummary(/*success=*/false, 3));
  EXPECT_EQ(value.tag(), "_hparams_/session_end_info");
  EXPECT_EQ(Hex(MetadataOf(value).plugin_data().content()), "220b0802110000000000000840");
  const proto::Summary::Value good = OnlyValue(SessionEndSummary(/*success=*/true, 3));
  EXPECT_EQ(Hex(MetadataOf(good).plugin_data().content()), "220b0801110000000000000840");
}

// custom_scalar.layout_pb2.Layout of a multiline chart and one with a margin.
TEST(SummariesTest, ThePageOfChartsHasMarginsOverRanks) {
  const std::string message = ScalarLayoutSummary({}, {"loss", "waiting/min", "waiting/mean", "waiting/max"});
  const proto::Summary::Value value = OnlyValue(message);
  EXPECT_EQ(value.tag(), "custom_scalars__config__");
  EXPECT_EQ(MetadataOf(value).plugin_data().plugin_name(), "custom_scalars");
  proto::TensorProto tensor;
  ASSERT_TRUE(tensor.ParseFromString(value.tensor()));
  EXPECT_EQ(tensor.dtype(), proto::DT_STRING);
  EXPECT_EQ(tensor.tensor_shape().dim_size(), 0);
  EXPECT_EQ(
      Hex(tensor.string_val(0)),
      "12180a046c6f737312100a046c6f737312080a065e6c6f737324123e0a0572616e6b7312350a0777616974696e671a2a0a280a0c77616974"
      "696e672f6d65616e120b77616974696e672f6d696e1a0b77616974696e672f6d6178");
}

TEST(SummariesTest, ThePageHasFourCategories) {
  const proto::Summary::Value value =
      OnlyValue(ScalarLayoutSummary({"accuracy", "loss"}, {"loss", "step_s", "memory/a.b"}));
  proto::TensorProto tensor;
  ASSERT_TRUE(tensor.ParseFromString(value.tensor()));
  proto::ScalarLayout layout;
  ASSERT_TRUE(layout.ParseFromString(tensor.string_val(0)));
  std::vector<std::string> charts;
  for (const auto& category : layout.category()) {
    for (const auto& chart : category.chart()) charts.push_back(category.title() + ": " + chart.multiline().tag(0));
  }
  EXPECT_EQ(charts,
            (std::vector<std::string>{"loss: ^loss$", "accuracy: ^accuracy$", "speed: ^step_s$", "ranks: ^memory/"}));
}

}  // namespace
}  // namespace dfrun
