// Tensor: a dtype, a shape and a shared buffer.
//
// A copy shares the buffer. Memory is in one of three states:
//   owned      a reference-counted buffer of some allocator;
//   borrowed   memory of the step (its arena): valid until the step ends. Owned() makes a tensor that lives longer;
//   none       not initialised: dtype() is set or kInvalid, data is null.
// The allocator decides the memory of the elements (memory()): the host must not read or write a device's own memory;
// Device::Copy moves such elements. Headers and reference counts lie in host memory always. A fourth kind is the
// reference of a ref edge: it stands for a Variable's current value and is seen by the executor and OpContext alone.
//
// Thread safety: as an int for the header; the graph decides which node may write the bytes, and when.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_TENSOR_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_TENSOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "src/base/status.h"
#include "src/framework/values/allocator.h"
#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"

namespace dfrun {

class Variable;

class alignas(64) Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other)
      : shape_(other.shape_),
        dtype_(other.dtype_),
        kind_(other.kind_),
        memory_(other.memory_),
        buffer_(other.buffer_),
        data_(other.data_) {
    if (buffer_ != nullptr) buffer_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& other) noexcept
      : shape_(std::move(other.shape_)),
        dtype_(other.dtype_),
        kind_(std::exchange(other.kind_, Kind::kNone)),
        memory_(other.memory_),
        buffer_(std::exchange(other.buffer_, nullptr)),
        data_(std::exchange(other.data_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    if (this != &other) *this = Tensor(other);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      Reset();
      shape_ = std::move(other.shape_);
      dtype_ = other.dtype_;
      kind_ = std::exchange(other.kind_, Kind::kNone);
      memory_ = other.memory_;
      buffer_ = std::exchange(other.buffer_, nullptr);
      data_ = std::exchange(other.data_, nullptr);
    }
    return *this;
  }
  ~Tensor() { Reset(); }

  // Returns ResourceExhausted if there is no memory. Plain elements are left undefined; strings, resources and variants
  // are constructed: their allocator gives host memory.
  static Result<Tensor> Allocate(Allocator& allocator, DType dtype, const Shape& shape);
  // Allocates from the system's allocator, for tools and tests: dies if there is no memory.
  Tensor(DType dtype, const Shape& shape);
  template <class T>
  static Tensor Scalar(T value) {
    Tensor t(DTypeOf<T>, Shape());
    *t.data<T>() = std::move(value);
    return t;
  }
  template <class T>
  static Tensor Vector(std::span<const T> values) {
    Tensor t(DTypeOf<T>, Shape({static_cast<int64_t>(values.size())}));
    for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = values[i];
    return t;
  }
  template <class T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Vector<T>(std::span<const T>(values.begin(), values.size()));
  }

  // A header over memory of the step. The caller guarantees size and lifetime.
  static Tensor Borrowed(DType dtype, const Shape& shape, void* data, MemoryKind memory = MemoryKind::kHost);
  // The value of a ref edge. The caller keeps the variable alive.
  static Tensor Reference(DType dtype, Variable* variable);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Bytes of the elements; for plain dtypes only.
  size_t num_bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }

  bool initialized() const { return kind_ == Kind::kOwned || kind_ == Kind::kBorrowed; }
  bool borrowed() const { return kind_ == Kind::kBorrowed; }
  bool is_reference() const { return kind_ == Kind::kReference; }
  Variable* variable() const { return static_cast<Variable*>(data_); }
  // Returns true where this header holds the only reference to an owned buffer.
  bool SoleOwner() const { return kind_ == Kind::kOwned && buffer_->refs.load(std::memory_order_acquire) == 1; }
  // The kind of memory that the elements lie in.
  MemoryKind memory() const { return memory_; }
  bool SharesBufferWith(const Tensor& other) const { return data_ != nullptr && data_ == other.data_; }

  // Elements in row-major order. T must be the dtype's C++ type.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <class T>
  T* data() {
    return static_cast<T*>(data_);
  }
  const void* raw() const { return data_; }
  void* raw() { return data_; }
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  const T& scalar() const {
    return *data<T>();
  }

  // Returns the elements under another shape of as many elements (programmer's duty).
  Tensor Reshaped(const Shape& shape) const {
    Tensor t(*this);
    t.shape_ = shape;
    return t;
  }
  // Returns the bytes as another plain dtype of the same size, with shape `shape` (programmer's duty).
  Tensor Viewed(DType dtype, const Shape& shape) const {
    Tensor t(Reshaped(shape));
    t.dtype_ = dtype;
    return t;
  }
  // Returns the elements under another address at which their memory is mapped, as memory of another kind.
  Tensor At(void* data, MemoryKind memory) const {
    Tensor t(*this);
    t.data_ = data;
    t.memory_ = memory;
    return t;
  }
  // Rows [begin, end) of dimension 0; shares the buffer.
  Tensor SliceRows(int64_t begin, int64_t end) const;
  // This tensor if it is owned, a copy from `allocator` if it is borrowed. This and Copy(): in host memory.
  Result<Tensor> Owned(Allocator& allocator) const;
  // A new owned tensor with the same elements.
  Result<Tensor> Copy(Allocator& allocator) const;
  // Whether dtype, shape and elements are equal; floating point by bits. For tests and tools.
  bool Identical(const Tensor& other) const;

  // Drops the value; dtype() stays.
  void Reset() {
    if (buffer_ != nullptr && buffer_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
    buffer_ = nullptr;
    data_ = nullptr;
    kind_ = Kind::kNone;
  }

  // "float32[2,3] 1 2 3 ...", for messages.
  std::string ToString(int max_elements = 8) const;

 private:
  enum class Kind : uint8_t { kNone, kOwned, kBorrowed, kReference };

  // The count and facts of a buffer, in host memory: before the elements, in one allocation, if they are in host memory
  // too, else in an allocation of its own.
  struct alignas(64) Buffer {
    std::atomic<int> refs;
    DType dtype;
    size_t bytes;      // asked of the allocator
    int64_t elements;  // constructed, where the dtype is not plain
    Allocator* allocator;
    void* data;
  };

  // Makes a buffer of `bytes` bytes of elements; null where there is no memory.
  static Buffer* NewBuffer(Allocator& allocator, DType dtype, size_t bytes, int64_t elements);

  void Destroy();

  [[no_unique_address]] Shape shape_;
  DType dtype_ = DType::kInvalid;
  Kind kind_ = Kind::kNone;
  MemoryKind memory_ = MemoryKind::kHost;
  Buffer* buffer_ = nullptr;
  void* data_ = nullptr;
};

static_assert(sizeof(Tensor) == 64, "a slot of a step is one cache line");

// Copies the elements of `from` into `to`, which has as many elements of the same dtype, both in host memory.
void CopyElements(const Tensor& from, Tensor& to);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_TENSOR_H_
