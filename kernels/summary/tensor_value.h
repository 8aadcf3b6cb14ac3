// Tensors as values of summaries.
#ifndef DFRUN_KERNELS_SUMMARY_TENSOR_VALUE_H_
#define DFRUN_KERNELS_SUMMARY_TENSOR_VALUE_H_

#include <string>

#include "src/framework/values/tensor.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

// Makes `tensor` the value: plain dtypes by their bytes, strings one by one. Unimplemented for a tensor of handles.
Status SetTensor(const Tensor& tensor, proto::Summary::Value& value);

// The plugin of TensorBoard that shows a value.
struct PluginOf {
  const char* name;
  int data_class;       // Summary.Metadata.data_class
  std::string content;  // the plugin's own message
};

// Adds a value for a plugin.
Status AddPluginValue(const std::string& tag, const PluginOf& plugin, const Tensor& tensor, proto::Summary& summary);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_TENSOR_VALUE_H_
