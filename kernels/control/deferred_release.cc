#include "kernels/control/deferred_release.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dfrun {

void ReleaseWithoutRecursion(std::vector<Tensor>& tensors) {
  // The list of the outermost call on this thread, which frees the tensors that calls inside of it leave there.
  thread_local std::vector<Tensor>* left = nullptr;
  const auto nests = [](const Tensor& tensor) { return tensor.initialized() && tensor.dtype() == DType::kVariant; };
  if (std::none_of(tensors.begin(), tensors.end(), nests)) return;
  if (left != nullptr) {
    left->insert(left->end(), std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end()));
    return;
  }
  std::vector<Tensor> all = std::move(tensors);
  left = &all;
  while (!all.empty()) {
    const Tensor last = std::move(all.back());
    all.pop_back();
  }
  left = nullptr;
}

}  // namespace dfrun
