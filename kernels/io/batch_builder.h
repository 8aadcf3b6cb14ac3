// A batch under construction, sample by sample.
#ifndef DFRUN_KERNELS_IO_BATCH_BUILDER_H_
#define DFRUN_KERNELS_IO_BATCH_BUILDER_H_

#include <span>
#include <vector>

#include "src/storage/sample_source.h"

namespace dfrun {

// Thread safety: one thread.
class BatchBuilder {
 public:
  // The fields outlive the builder.
  static Result<BatchBuilder> Create(std::span<const SampleField> fields, int64_t samples, Allocator& allocator);

  // Room for the value of a field in a sample: elements [at, at + shape.num_elements()) of `tensor`, undefined as yet.
  // InvalidArgument where the field has another shape.
  struct Room {
    Tensor* tensor = nullptr;
    int64_t at = 0;
    template <class T>
    T* data() const {
      return tensor->data<T>() + at;
    }
    // The address of an element of a plain dtype.
    char* bytes() const {
      return static_cast<char*>(tensor->raw()) + static_cast<size_t>(at) * DTypeSize(tensor->dtype());
    }
    // Elements of a plain dtype as a file holds them; of bool any byte but 0 is true.
    void Fill(std::string_view elements) const;
  };
  Result<Room> Reserve(size_t field, int64_t sample, const Shape& shape);
  // The room of a field whose shape is fully declared, and so is the value's.
  Room Row(size_t field, int64_t sample) {
    Column& column = columns_[field];
    return {&column.batch, sample * column.elements};
  }

  // A tensor [samples, ...] a field, of which every sample was reserved and written.
  Result<std::vector<Tensor>> Finish();

 private:
  struct Column {
    bool is_fixed = false;
    Shape sample;                // only if is_fixed
    int64_t elements = 0;        // elements of a sample, only if is_fixed
    Tensor batch;                // only if is_fixed
    std::vector<Tensor> values;  // by sample, otherwise
  };

  BatchBuilder(std::span<const SampleField> fields, int64_t samples, Allocator& allocator)
      : fields_(fields), samples_(samples), allocator_(&allocator) {}
  Result<Tensor> Padded(size_t field);

  std::span<const SampleField> fields_;
  int64_t samples_;
  Allocator* allocator_;
  std::vector<Column> columns_;
};

// Sets elements [at, at + count) of a tensor to the field's fallback, or to 0 or "". InvalidArgument where the fallback
// is no value of the dtype.
Status FillWithFallback(const SampleField& field, Tensor& tensor, int64_t at, int64_t count);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_BATCH_BUILDER_H_
