// Rows of HDF5 datasets whose types are those of no tensor: fields of tables, arrays, lists of numbers.
#ifndef DFRUN_SRC_HDF5_HDF5_ROWS_H_
#define DFRUN_SRC_HDF5_HDF5_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/hdf5/hdf5.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

// The place of values: "/table:field", "/table:outer:inner", or a dataset's whole "/x".
struct Hdf5Source {
  std::string dataset;
  std::vector<std::string> fields;  // from the table inwards
};
// A dataset of the whole name comes first. NotFound names the datasets that there are.
Result<Hdf5Source> FindHdf5Source(const h5::Handle& file, const std::string& path, const std::string& name);

// Thread safety: const methods from one thread at a time, as the file's.
class Hdf5Rows {
 public:
  // Returns NotFound for a field that the table lacks; InvalidArgument for a table without a field, and for a type that
  // no tensor has.
  static Result<Hdf5Rows> Open(const h5::Handle& file, const std::string& path, const std::string& name);

  DType dtype() const { return dtype_; }
  // The shape of all rows: the dataset's sizes, then an array's.
  const Shape& shape() const { return shape_; }
  // Whether an element is a list. The tensors are then those of kListLengths and kListValues; the shape is that of the
  // former.
  bool holds_lists() const { return kind_ == Kind::kLists; }

  uint64_t unpacked_bytes() const { return static_cast<uint64_t>(rows_) * row_bytes_; }

  // Rows [begin, begin + to's rows) into `to`; all of a scalar. InvalidArgument for lists.
  Status Read(int64_t begin, Tensor& to) const;

 private:
  enum class Kind { kPlain, kText, kFixedText, kBytes, kLists, kLengths, kValues };

  // An element of the file, as it is in memory.
  struct Element {
    Kind kind = Kind::kPlain;
    DType dtype = DType::kInvalid;
    h5::Handle type;
    std::vector<int64_t> dims = {};  // for arrays
  };

  Hdf5Rows() = default;
  static Result<Element> Describe(const h5::Handle& type);
  static Kind KindOfStrings(const h5::Handle& type);
  static Result<Element> DescribeLists(const h5::Handle& type);
  static Result<Element> DescribeArray(const h5::Handle& type);
  // Describes one of the two tensors that lists have.
  static Result<Element> DescribeView(const h5::Handle& type, const std::string& view);
  Result<Element> Find(h5::Handle type, const std::vector<std::string>& fields) const;
  Status SetShape();
  Status ReadRaw(int64_t begin, int64_t rows, void* to) const;
  Status ReadValues(int64_t begin, Tensor& to) const;
  void Take(const char* value, std::string& to) const;
  // Reads rows [begin, begin + rows) piece by piece, and calls use(value) for every element.
  Status ForEach(int64_t begin, int64_t rows, const std::function<void(const char* value)>& use) const;

  std::string what_;  // "dataset '/t:x' of FILE"
  h5::Handle dataset_;
  h5::Handle type_;  // in memory, of an element of the dataset
  Kind kind_ = Kind::kPlain;
  DType dtype_ = DType::kInvalid;
  std::vector<int64_t> dims_;  // for arrays
  size_t value_bytes_ = 0;     // in memory, of one of an array's elements
  int64_t rows_ = 0;           // rows of the dataset
  size_t row_bytes_ = 0;
  Shape shape_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_HDF5_HDF5_ROWS_H_
