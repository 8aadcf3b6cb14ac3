#include "kernels/summary/tensor_value.h"

namespace dfrun {

Status SetTensor(const Tensor& tensor, proto::Summary::Value& value) {
  proto::Summary::Tensor message;
  message.set_dtype(static_cast<int32_t>(tensor.dtype()));
  proto::Summary::Tensor::Shape* shape = message.mutable_tensor_shape();
  for (const int64_t size : tensor.shape().dims()) shape->add_dim()->set_size(size);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& element : tensor.values<std::string>()) message.add_string_val(element);
  } else if (IsPlain(tensor.dtype())) {
    message.set_tensor_content(tensor.raw(), tensor.num_bytes());
  } else {
    return Unimplemented("a summary of a tensor of ", tensor.dtype());
  }
  if (!message.SerializeToString(value.mutable_tensor())) {
    return InvalidArgument("a tensor of ", tensor.num_bytes(), " bytes is too large for a summary");
  }
  return Status();
}

Status AddPluginValue(const std::string& tag, const PluginOf& plugin, const Tensor& tensor, proto::Summary& summary) {
  proto::Summary::Value* value = summary.add_value();
  value->set_tag(tag);
  proto::Summary::Metadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name(plugin.name);
  metadata.mutable_plugin_data()->set_content(plugin.content);
  metadata.set_data_class(plugin.data_class);
  value->set_metadata(metadata.SerializeAsString());
  return SetTensor(tensor, *value);
}

}  // namespace dfrun
