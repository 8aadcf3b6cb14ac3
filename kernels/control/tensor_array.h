// TensorArray: the tensors that a loop reads or writes one by one.
//
// Source: TensorFlow's TensorArrayV3. An element is written once, except in the array of another's gradients, where the
// values written to one index add up. With clear_after_read an element can be read once.
#ifndef DFRUN_KERNELS_CONTROL_TENSOR_ARRAY_H_
#define DFRUN_KERNELS_CONTROL_TENSOR_ARRAY_H_

#include <map>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

struct TensorArrayOptions {
  DType dtype = DType::kInvalid;
  PartialShape element_shape = {};  // shape of every element
  bool dynamic_size = false;        // writing past the end makes it longer
  bool clear_after_read = true;
  bool identical_shapes = false;
  bool adds_up = false;  // true for arrays of gradients
};

// Thread safety: all methods from any thread.
class TensorArray final : public Resource {
 public:
  // The most elements, so that a wrong index does not take all memory.
  static constexpr int64_t kMaxSize = int64_t{1} << 28;

  TensorArray(TensorArrayOptions options, int64_t size) : options_(std::move(options)), elements_(size) {}

  DType dtype() const { return options_.dtype; }
  Result<int64_t> Size();
  // The number of elements that a concatenation has. In an array of gradients these are the ones that its source was
  // last split into, since elements written behind them have gradients of their own.
  Result<int64_t> ConcatSize();
  void MarkSplit(int64_t size) EXCLUDES(mu_);
  // Takes an owned tensor. InvalidArgument for a wrong index, dtype or shape, and where it was written or read before.
  Status Write(OpContext& ctx, int64_t index, Tensor value);
  // An element that was not written is zeros of the element shape, InvalidArgument where that is not known; in an array
  // of gradients of its source's.
  Result<Tensor> Read(OpContext& ctx, int64_t index, DType dtype);
  // The element shape as far as it is known by now, merged with `shape`.
  Result<PartialShape> MergeElementShape(const PartialShape& shape);
  void Close();

  // The array of gradients for `source`, made at the first call; of the size that this array then has.
  Result<RefPtr<TensorArray>> Gradient(const std::string& source, const std::vector<int64_t>& shape_to_prepend);

  std::string DebugString() const override { return StrCat("a TensorArray of ", options_.dtype); }

 private:
  struct Element {
    Tensor value;
    Shape shape;  // shape of the last value, which may have been cleared
    bool was_written = false;
    bool was_read = false;
  };

  Status CheckOpen() const REQUIRES(mu_);
  Status CheckIndex(int64_t index) const REQUIRES(mu_);
  Status AddTo(OpContext& ctx, Element& element, const Tensor& value) REQUIRES(mu_);
  Result<Tensor> Zeros(OpContext& ctx, int64_t index) REQUIRES(mu_);

  Mutex mu_;
  TensorArrayOptions options_;
  std::vector<Element> elements_ GUARDED_BY(mu_);
  bool is_closed_ GUARDED_BY(mu_) = false;
  int64_t split_size_ GUARDED_BY(mu_) = -1;  // array of gradients: size of the source's split; -1: it was not split
  std::map<std::string, RefPtr<TensorArray>> gradients_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_TENSOR_ARRAY_H_
