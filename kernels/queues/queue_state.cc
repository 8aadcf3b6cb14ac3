// The checkpointed state of queues: a flag for a closed one, the elements in their order and, for a queue that
// shuffles, its position in its random numbers.
#include <algorithm>
#include <utility>

#include "kernels/queues/queue.h"
#include "kernels/state/object_state.h"
#include "kernels/state/packed_tensors.h"

namespace dfrun {
namespace {

constexpr int64_t kRandomWords = 4;  // words of DrawnNumbers

Tensor TensorOf(const DrawnNumbers& drawn) {
  const std::array<uint64_t, 3> start = drawn.start.state();
  return Tensor::Vector<uint64_t>({start[0], start[1], start[2], drawn.count});
}

DrawnNumbers DrawnOf(const Tensor& tensor) {
  const uint64_t* words = tensor.data<uint64_t>();
  return {Philox(words[0], words[1], words[2]), words[3]};
}

// "closed"; "random" where it shuffles; "C/values" and "C/shapes" of each component C.
std::vector<StatePart> PartsOf(const std::vector<DType>& components, bool shuffles) {
  std::vector<StatePart> parts = {{"closed", DType::kBool, PartialShape::Scalar()}};
  if (shuffles) parts.push_back({"random", DType::kUint64, PartialShape({kRandomWords})});
  for (size_t c = 0; c < components.size(); ++c) AddPackedParts(StrCat(c, "/"), components[c], parts);
  return parts;
}

template <bool kHasPriorities>
Result<std::vector<StatePart>> PartsOfQueue(const AttrMap& attrs) {
  DF_ASSIGN(std::vector<DType> components, attrs.Get<std::vector<DType>>("component_types"));
  if (kHasPriorities) components.insert(components.begin(), DType::kInt64);
  for (size_t c = 0; c < components.size(); ++c) {
    DF_TRY(CheckKeepable(components[c], StrCat("component ", c, " of its elements is")));
  }
  return PartsOf(components, attrs.Has("min_after_dequeue"));
}

KEEPS_STATE(StateBehindHandle<Queue>::With(&PartsOfQueue<false>), "FIFOQueue", "FIFOQueueV2", "PaddingFIFOQueue",
            "PaddingFIFOQueueV2", "RandomShuffleQueue", "RandomShuffleQueueV2");
KEEPS_STATE(StateBehindHandle<Queue>::With(&PartsOfQueue<true>), "PriorityQueue", "PriorityQueueV2");

}  // namespace

Result<std::vector<Tensor>> Queue::SaveState(Allocator& allocator) const {
  MutexLock lock(mu_);
  std::vector<Tensor> parts = {Tensor::Scalar(is_closed_)};
  if (const std::optional<DrawnNumbers> drawn = elements_->drawn()) parts.push_back(TensorOf(*drawn));
  const std::vector<const QueueElement*> elements = elements_->Elements();
  for (size_t c = 0; c < type_.dtypes.size(); ++c) {
    std::vector<const Tensor*> components;
    components.reserve(elements.size());
    for (const QueueElement* element : elements) components.push_back(&(*element)[c]);
    DF_TRY(PackTensors(components, type_.dtypes[c], allocator, parts));
  }
  return parts;
}

Result<std::vector<QueueElement>> Queue::ElementsOf(std::span<const Tensor> parts, Allocator& allocator) const {
  std::vector<QueueElement> elements;
  for (size_t c = 0; c < type_.dtypes.size(); ++c) {
    DF_ASSIGN(std::vector<Tensor> tensors, UnpackTensors(parts[2 * c], parts[2 * c + 1], allocator));
    if (c == 0) elements.resize(tensors.size());
    if (tensors.size() != elements.size()) {
      return Error(Code::kDataLoss, "the saved components have ", elements.size(), " and ", tensors.size(),
                   " elements");
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      DF_TRY(CheckComponent(c, tensors[i].dtype(), tensors[i].shape()));
      elements[i].push_back(std::move(tensors[i]));
    }
  }
  return elements;
}

Status Queue::RestoreState(std::span<const Tensor> parts, Allocator& allocator) {
  Finished finished;
  MutexLock lock(mu_);
  const bool draws = elements_->drawn().has_value();
  DF_TRY(CheckParts(parts, PartsOf(type_.dtypes, draws)));
  DF_ASSIGN(std::vector<QueueElement> elements, ElementsOf(parts.subspan(draws ? 2 : 1), allocator));
  elements_->Clear();
  for (QueueElement& element : elements) elements_->Push(std::move(element));
  if (draws) elements_->set_drawn(DrawnOf(parts[1]));
  is_closed_ = parts[0].scalar<bool>();
  ServeLines(finished);
  return Status();
}

}  // namespace dfrun
