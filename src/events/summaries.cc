#include "src/events/summaries.h"

#include "src/events/plugin_data.pb.h"
#include "src/graph/proto/tensor.pb.h"

namespace dfrun {
namespace {

constexpr int kTensors = 2;  // a value of Summary::Metadata::data_class
// Values of SessionEndInfo::status.
constexpr int kSuccess = 1;
constexpr int kFailure = 2;

proto::Summary::Metadata MetadataOf(std::string_view plugin) {
  proto::Summary::Metadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name(std::string(plugin));
  return metadata;
}

// A value of the plugin "hparams", whose message stands in the metadata; the tensor is empty.
std::string HParamsSummary(const std::string& tag, const proto::HParamsPluginData& data) {
  proto::TensorProto nothing;
  nothing.set_dtype(proto::DT_FLOAT);
  nothing.mutable_tensor_shape()->add_dim()->set_size(0);
  proto::Summary summary;
  proto::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  value.set_tensor(nothing.SerializeAsString());
  proto::Summary::Metadata metadata = MetadataOf("hparams");
  metadata.mutable_plugin_data()->set_content(data.SerializeAsString());
  value.set_metadata(metadata.SerializeAsString());
  return summary.SerializeAsString();
}

google::protobuf::Value ValueOf(const JsonValue& hparam) {
  google::protobuf::Value value;
  if (hparam.kind() == JsonValue::Kind::kBool) {
    value.set_bool_value(*hparam.AsBool());
  } else if (const Result<double> number = hparam.AsDouble();
             hparam.kind() == JsonValue::Kind::kNumber && number.ok()) {
    value.set_number_value(*number);
  } else {
    const Result<std::string> text = hparam.AsText();
    value.set_string_value(text.ok() ? *text : hparam.Print());
  }
  return value;
}

}  // namespace

void ScalarSummaries::Add(const std::string& tag, double value) {
  proto::TensorProto tensor;
  tensor.set_dtype(proto::DT_FLOAT);
  tensor.mutable_tensor_shape();
  tensor.add_float_val(static_cast<float>(value));
  proto::Summary::Value& scalar = *summary_.add_value();
  scalar.set_tag(tag);
  scalar.set_tensor(tensor.SerializeAsString());
  if (described_.insert(tag).second) scalar.set_metadata(MetadataOf("scalars").SerializeAsString());
}

std::string ScalarSummaries::Take() {
  std::string summary = summary_.SerializeAsString();
  summary_.Clear();
  return summary;
}

std::string CountsSummary(const std::string& tag, const std::map<int64_t, int64_t>& counts) {
  proto::Summary summary;
  proto::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  proto::HistogramProto& histogram = *value.mutable_histo();
  if (!counts.empty()) {
    histogram.set_min(static_cast<double>(counts.begin()->first));
    histogram.set_max(static_cast<double>(counts.rbegin()->first));
    histogram.add_bucket_limit(static_cast<double>(counts.begin()->first) - 0.5);
    histogram.add_bucket(0);
  }
  for (const auto& [number, count] : counts) {
    const auto x = static_cast<double>(number);
    const auto n = static_cast<double>(count);
    histogram.set_num(histogram.num() + n);
    histogram.set_sum(histogram.sum() + n * x);
    histogram.set_sum_squares(histogram.sum_squares() + n * x * x);
    if (x - 0.5 > *histogram.bucket_limit().rbegin()) {
      histogram.add_bucket_limit(x - 0.5);
      histogram.add_bucket(0);
    }
    histogram.add_bucket_limit(x + 0.5);
    histogram.add_bucket(n);
  }
  return summary.SerializeAsString();
}

std::string SessionStartSummary(const JsonValue& hparams, double start_s) {
  proto::HParamsPluginData data;
  proto::HParamsPluginData::SessionStartInfo& start = *data.mutable_session_start_info();
  for (size_t i = 0; i < hparams.names().size(); ++i) {
    (*start.mutable_hparams())[hparams.names()[i]] = ValueOf(hparams.values()[i]);
  }
  start.set_start_time_secs(start_s);
  return HParamsSummary("_hparams_/session_start_info", data);
}

std::string SessionEndSummary(bool success, double end_s) {
  proto::HParamsPluginData data;
  data.mutable_session_end_info()->set_status(success ? kSuccess : kFailure);
  data.mutable_session_end_info()->set_end_time_secs(end_s);
  return HParamsSummary("_hparams_/session_end_info", data);
}

std::string StringSummary(const std::string& tag, std::string_view plugin, std::string text) {
  proto::TensorProto tensor;
  tensor.set_dtype(proto::DT_STRING);
  tensor.mutable_tensor_shape();
  tensor.add_string_val(std::move(text));
  proto::Summary summary;
  proto::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  value.set_tensor(tensor.SerializeAsString());
  proto::Summary::Metadata metadata = MetadataOf(plugin);
  metadata.set_data_class(kTensors);
  value.set_metadata(metadata.SerializeAsString());
  return summary.SerializeAsString();
}

}  // namespace dfrun
