// Shape: the sizes of a tensor. PartialShape: the sizes as far as they are known before a step runs.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_SHAPE_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// Sizes are >= 0 and their product fits in int64. Up to 5 dimensions are kept inline (no allocation); 40 bytes + rank.
class Shape {
 public:
  static constexpr int kInlineDims = 5;
  static constexpr int kMaxRank = 254;

  Shape() = default;  // a scalar
  // Takes sizes that the program itself made; hostile sizes go through Create().
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);
  Shape(const Shape& other) {
    if (other.rank_ <= kInlineDims) [[likely]] {
      CopyInline(other);
    } else {
      CopyHeap(other);
    }
  }
  Shape(Shape&& other) noexcept {
    CopyInline(other);
    other.rank_ = 0;
  }
  Shape& operator=(const Shape& other) {
    if (this != &other) {
      Free();
      if (other.rank_ <= kInlineDims) [[likely]] {
        CopyInline(other);
      } else {
        CopyHeap(other);
      }
    }
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this != &other) {
      Free();
      CopyInline(other);
      other.rank_ = 0;
    }
    return *this;
  }
  ~Shape() { Free(); }

  // Returns InvalidArgument for a negative size, a rank above kMaxRank or a product beyond int64.
  static Result<Shape> Create(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t dim(int i) const { return data()[i]; }
  int64_t operator[](int i) const { return data()[i]; }
  void set_dim(int i, int64_t size) { data()[i] = size; }
  std::span<const int64_t> dims() const { return {data(), static_cast<size_t>(rank_)}; }
  int64_t num_elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= data()[i];
    return n;
  }

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (data()[i] != other.data()[i]) return false;
    }
    return true;
  }
  // "[2,3]", "[]".
  std::string ToString() const;

 private:
  const int64_t* data() const { return rank_ <= kInlineDims ? dims_ : heap_; }
  int64_t* data() { return rank_ <= kInlineDims ? dims_ : heap_; }
  void CopyInline(const Shape& other) {
    rank_ = other.rank_;
    for (int i = 0; i < kInlineDims; ++i) dims_[i] = other.dims_[i];
  }
  void CopyHeap(const Shape& other);
  void Free() {
    if (rank_ > kInlineDims) [[unlikely]]
      delete[] heap_;  // NOLINT(clang-analyzer-cplusplus.NewDelete): it does not see that a move leaves rank_ at 0
  }

  union {
    int64_t dims_[kInlineDims] = {0, 0, 0, 0, 0};
    int64_t* heap_;
  };
  uint8_t rank_ = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.ToString();
}

// Unknown rank, or a known rank with sizes of which some are kUnknown.
class PartialShape {
 public:
  static constexpr int64_t kUnknown = -1;

  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims) : known_rank_(true), dims_(dims) {}
  explicit PartialShape(std::vector<int64_t> dims) : known_rank_(true), dims_(std::move(dims)) {}
  PartialShape(const Shape& shape)  // NOLINT(google-explicit-constructor): every Shape is one
      : known_rank_(true), dims_(shape.dims().begin(), shape.dims().end()) {}
  static PartialShape Scalar() { return PartialShape(std::vector<int64_t>{}); }
  static PartialShape UnknownOfRank(int rank) { return PartialShape(std::vector<int64_t>(rank, kUnknown)); }

  bool known_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  // kUnknown where unknown. `i` must be within a known rank.
  int64_t dim(int i) const { return dims_[i]; }
  void set_dim(int i, int64_t size) { dims_[i] = size; }
  void Append(int64_t size) { dims_.push_back(size); }
  const std::vector<int64_t>& dims() const { return dims_; }

  bool IsFullyDefined() const;
  // kUnknown where a size is unknown or the product is beyond int64.
  int64_t num_elements() const;
  // Returns the shape; call only if IsFullyDefined(). InvalidArgument for sizes beyond int64.
  Result<Shape> ToShape() const;
  // Returns true where some concrete shape fits both.
  bool IsCompatibleWith(const PartialShape& other) const;
  // Returns the shape that agrees with both; InvalidArgument where they contradict each other.
  Result<PartialShape> Merge(const PartialShape& other) const;

  bool operator==(const PartialShape& other) const { return known_rank_ == other.known_rank_ && dims_ == other.dims_; }
  // "[?,3]", "<unknown>".
  std::string ToString() const;

 private:
  bool known_rank_ = false;
  std::vector<int64_t> dims_;
};

inline std::ostream& operator<<(std::ostream& out, const PartialShape& shape) {
  return out << shape.ToString();
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_SHAPE_H_
