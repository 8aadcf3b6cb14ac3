#include "kernels/nn/norm/channel_terms.h"

#include <vector>

namespace dfrun {

Output ChannelTerms::Rsqrt(Output variance) {
  return g_.Op("Rsqrt", Add(variance, g_.ScalarLike(variance, g_.attr<float>("epsilon"))));
}

Output ChannelTerms::Cast(Output value, DType to) {
  return g_.dtype(value) == to ? value : Output(g_.Op("Cast", {{"DstT", to}}, value));
}

Output ChannelTerms::Column(Output vector) {
  std::vector<int32_t> sizes(data_format_.size(), 1);
  sizes[data_format_.find('C')] = -1;
  return g_.Op("Reshape", Wide(vector), g_.Const(Tensor::Vector<int32_t>(sizes)));
}

Output ChannelTerms::Mean(Output images) {
  std::vector<int32_t> axes;
  for (size_t i = 0; i < data_format_.size(); ++i) {
    if (data_format_[i] != 'C') axes.push_back(static_cast<int32_t>(i));
  }
  return g_.Op("Mean", {{"keep_dims", true}}, images, g_.Const(Tensor::Vector<int32_t>(axes)));
}

Output ChannelTerms::CountOf(Output images, Output vector) {
  const auto size = [&](Output value) -> Output {
    return g_.Op("Cast", {{"DstT", DType::kFloat}}, g_.Op("Size", value));
  };
  return g_.Op("RealDiv", size(images), size(vector));
}

}  // namespace dfrun
