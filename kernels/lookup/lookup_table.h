// Tables from keys to values, behind resource handles.
#ifndef DFRUN_KERNELS_LOOKUP_LOOKUP_TABLE_H_
#define DFRUN_KERNELS_LOOKUP_LOOKUP_TABLE_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The types of a table's contents, and how it may change.
struct TableType {
  DType key = DType::kInvalid;
  DType value = DType::kInvalid;
  Shape value_shape;        // shape of the value of one key
  bool is_mutable = false;  // else it is filled once, by Initialize()

  bool operator==(const TableType& other) const {
    return key == other.key && value == other.value && value_shape == other.value_shape &&
           is_mutable == other.is_mutable;
  }
};

// Keys are tensors of any shape; values have the keys' shape and then that of a value.
// Thread safety: all methods from any thread.
class LookupTable : public Resource {
 public:
  // Unimplemented for keys other than string and integers, and values other than those, floating point and bool.
  static Result<LookupTable*> Create(std::string name, const TableType& type);

  const std::string& name() const { return name_; }
  const TableType& type() const { return type_; }

  // `found`: the values, and where a key is absent `absent`: one value, or one a key.
  virtual Status Find(const Tensor& keys, const Tensor& absent, Tensor* found) const = 0;
  // Adds keys, or gives them new values; the last of a key that comes twice.
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  // Vectors that replace all that the table holds; one that is not mutable is initialised.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  // Fills a table that is not mutable, with vectors. InvalidArgument for no keys; FailedPrecondition
  // for a key with two values, and where the table holds something else already.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;
  virtual Status Remove(const Tensor& keys) = 0;
  virtual Result<int64_t> Size() const = 0;
  // True if the table may be read; a mutable one always may.
  virtual bool is_initialized() const = 0;
  // All keys, sorted, and their values.
  virtual Status Export(Allocator& allocator, Tensor* keys, Tensor* values) const = 0;

  // The parts that a checkpoint keeps: the flag is_initialized(), the keys, sorted, and their values.
  Result<std::vector<Tensor>> SaveState(Allocator& allocator) const;
  Status RestoreState(std::span<const Tensor> parts, Allocator& allocator);

  std::string DebugString() const override;

 protected:
  LookupTable(std::string name, TableType type) : name_(std::move(name)), type_(std::move(type)) {}
  // InvalidArgument unless keys (and values) are of the table's types and shapes.
  Status CheckKeys(const Tensor& keys) const;
  Status CheckValues(const Tensor& keys, const Tensor& values) const;
  // Unimplemented, FailedPrecondition.
  Status CheckMutable(const char* what) const;
  Status NotInitialized() const;

 private:
  const std::string name_;
  const TableType type_;
};

// The shape of the values of keys of this shape.
Result<Shape> ValuesShape(const Shape& keys, const Shape& value);
// The table behind input i.
Result<LookupTable*> TableInput(const OpContext& ctx, int i);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LOOKUP_LOOKUP_TABLE_H_
