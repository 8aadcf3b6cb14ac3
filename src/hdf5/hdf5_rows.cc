#include "src/hdf5/hdf5_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/text.h"
#include "src/framework/op/op.h"
#include "src/hdf5/element_type.h"
#include "src/hdf5/hdf5_type.h"
#include "src/hdf5/storage_check.h"

namespace dfrun {
namespace {

using h5::Handle;

// Values that must be taken out of HDF5's own memory are read so many bytes at a time.
constexpr size_t kPieceBytes = size_t{1} << 20;

bool HasDataset(const Handle& file, const std::string& name) {
  const Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT));
  H5Eclear2(H5E_DEFAULT);
  return dataset.valid();
}

Handle InTable(const std::string& field, const Handle& type) {
  Handle table(H5Tcreate(H5T_COMPOUND, H5Tget_size(type.id())));
  H5Tinsert(table.id(), field.c_str(), 0, type.id());
  return table;
}

// The type of a field of a table.
Result<Handle> FieldOf(const Handle& table, const std::string& field) {
  const std::vector<std::string> names = h5::FieldNames(table);
  if (names.empty()) return NotFound("there is no field '", field, "': it is ", h5::TypeText(table), ", no table");
  const auto found = std::find(names.begin(), names.end(), field);
  if (found != names.end()) return Handle(H5Tget_member_type(table.id(), static_cast<unsigned>(found - names.begin())));
  const std::string near = Nearest(field, names);
  return NotFound("there is no field '", field, "'",
                  near.empty() ? StrCat("; it has ", Join(names)) : StrCat(", did you mean '", near, "'?"));
}

bool IsList(const Handle& type) {
  return H5Tget_class(type.id()) == H5T_VLEN;
}

Status NoTensor(const Handle& type) {
  return InvalidArgument("it is ", h5::TypeText(type), ", which is no dtype of a tensor");
}

}  // namespace

Result<Hdf5Source> FindHdf5Source(const Handle& file, const std::string& path, const std::string& name) {
  h5::Prepare();
  for (size_t colon = name.size(); colon != std::string::npos && colon > 0; colon = name.rfind(':', colon - 1)) {
    Hdf5Source source{name.substr(0, colon), {}};
    if (!HasDataset(file, source.dataset)) continue;
    for (size_t at = colon; at < name.size();) {
      const size_t end = std::min(name.find(':', at + 1), name.size());
      source.fields.push_back(name.substr(at + 1, end - at - 1));
      at = end;
    }
    return source;
  }
  return h5::OpenDataset(file, path, name).status();
}

Result<Hdf5Rows> Hdf5Rows::Open(const Handle& file, const std::string& path, const std::string& name) {
  DF_ASSIGN(const Hdf5Source source, FindHdf5Source(file, path, name));
  Hdf5Rows rows;
  rows.what_ = StrCat("dataset '", name, "' of ", path);
  DF_ASSIGN(rows.dataset_, h5::OpenDataset(file, path, source.dataset));
  DF_TRY(CheckStorage(rows.dataset_, path, source.dataset));
  Result<Element> element = rows.Find(Handle(H5Dget_type(rows.dataset_.id())), source.fields);
  if (!element.ok()) return element.status().Annotate(rows.what_);
  rows.kind_ = element->kind;
  rows.dtype_ = element->dtype;
  rows.dims_ = std::move(element->dims);
  rows.type_ = std::move(element->type);
  DF_TRY(rows.SetShape());
  return rows;
}

Result<Hdf5Rows::Element> Hdf5Rows::Find(Handle type, const std::vector<std::string>& fields) const {
  size_t in_tables = 0;
  for (; in_tables < fields.size() && !IsList(type); ++in_tables) {
    DF_ASSIGN(type, FieldOf(type, fields[in_tables]));
  }
  if (in_tables + 1 < fields.size()) return NotFound("lists have no field '", fields[in_tables], "' with others in it");
  const bool is_view = in_tables < fields.size();
  DF_ASSIGN(Element element, is_view ? DescribeView(type, ":" + fields[in_tables]) : Describe(type));
  for (size_t i = in_tables; i > 0; --i) element.type = InTable(fields[i - 1], element.type);
  return element;
}

Result<Hdf5Rows::Element> Hdf5Rows::Describe(const Handle& type) {
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_ARRAY) return DescribeArray(type);
  h5::ElementType element = h5::ElementTypeOf(type);
  if (element.dtype == DType::kString) return Element{KindOfStrings(type), element.dtype, std::move(element.memory)};
  if (element.dtype != DType::kInvalid) return Element{Kind::kPlain, element.dtype, std::move(element.memory)};
  if (kind == H5T_VLEN) return DescribeLists(type);
  const std::vector<std::string> fields = h5::FieldNames(type);
  if (fields.empty()) return NoTensor(type);
  return InvalidArgument("it is ", h5::TypeText(type), ": name one of them, as ':", fields[0], "' behind its path");
}

Hdf5Rows::Kind Hdf5Rows::KindOfStrings(const Handle& type) {
  if (IsList(type)) return Kind::kBytes;
  return H5Tis_variable_str(type.id()) > 0 ? Kind::kText : Kind::kFixedText;
}

Result<Hdf5Rows::Element> Hdf5Rows::DescribeLists(const Handle& type) {
  Result<Element> element = Describe(Handle(H5Tget_super(type.id())));
  if (!element.ok() || element->kind != Kind::kPlain || !element->dims.empty()) return NoTensor(type);
  return Element{Kind::kLists, element->dtype, Handle(H5Tvlen_create(element->type.id()))};
}

Result<Hdf5Rows::Element> Hdf5Rows::DescribeView(const Handle& type, const std::string& view) {
  DF_ASSIGN(Element element, DescribeLists(type));
  if (view != kListLengths && view != kListValues) {
    return NotFound("there is no field '", view.substr(1), "': it is ", h5::TypeText(type), ", which have ",
                    kListLengths, " and ", kListValues);
  }
  element.kind = view == kListLengths ? Kind::kLengths : Kind::kValues;
  if (element.kind == Kind::kLengths) element.dtype = DType::kInt64;
  return element;
}

Result<Hdf5Rows::Element> Hdf5Rows::DescribeArray(const Handle& type) {
  std::vector<hsize_t> sizes(static_cast<size_t>(std::max(H5Tget_array_ndims(type.id()), 0)));
  H5Tget_array_dims2(type.id(), sizes.data());
  DF_ASSIGN(Element element, Describe(Handle(H5Tget_super(type.id()))));
  element.type = Handle(H5Tarray_create2(element.type.id(), static_cast<unsigned>(sizes.size()), sizes.data()));
  element.dims.insert(element.dims.begin(), sizes.begin(), sizes.end());
  return element;
}

Status Hdf5Rows::SetShape() {
  DF_ASSIGN(const std::vector<hsize_t> sizes, h5::DatasetDims(dataset_, what_));
  std::vector<int64_t> dims(sizes.begin(), sizes.end());
  dims.insert(dims.end(), dims_.begin(), dims_.end());
  Result<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return shape.status().Annotate(what_);
  shape_ = *std::move(shape);
  int64_t values = 1;
  for (const int64_t dim : dims_) values *= dim;
  value_bytes_ = H5Tget_size(type_.id()) / static_cast<size_t>(std::max<int64_t>(values, 1));
  rows_ = sizes.empty() ? 1 : static_cast<int64_t>(sizes[0]);
  row_bytes_ = rows_ == 0 ? 0 : static_cast<size_t>(shape_.num_elements() / rows_) * value_bytes_;
  if (kind_ != Kind::kValues) return Status();
  int64_t all = 0;
  DF_TRY(ForEach(0, rows_,
                 [&](const char* value) { all += static_cast<int64_t>(reinterpret_cast<const hvl_t*>(value)->len); }));
  shape_ = Shape({all});
  return Status();
}

Status Hdf5Rows::ReadRaw(int64_t begin, int64_t rows, void* to) const {
  const Handle space(H5Dget_space(dataset_.id()));
  std::vector<hsize_t> count(static_cast<size_t>(H5Sget_simple_extent_ndims(space.id())));
  if (count.empty()) {
    if (H5Dread(dataset_.id(), type_.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0) return Status();
    return h5::LastError(Code::kDataLoss, "reading " + what_);
  }
  H5Sget_simple_extent_dims(space.id(), count.data(), nullptr);
  std::vector<hsize_t> start(count.size(), 0);
  start[0] = static_cast<hsize_t>(begin);
  count[0] = static_cast<hsize_t>(rows);
  const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(dataset_.id(), type_.id(), memory.id(), space.id(), H5P_DEFAULT, to) < 0) {
    return h5::LastError(Code::kDataLoss, StrCat("reading rows ", begin, " and following of ", what_));
  }
  return Status();
}

Status Hdf5Rows::Read(int64_t begin, Tensor& to) const {
  if (to.num_elements() == 0) return Status();
  const int64_t rows = to.shape().rank() == 0 ? 1 : to.shape()[0];
  if (kind_ == Kind::kLists) {
    return InvalidArgument(what_, " holds lists: their tensors are those of ", kListLengths, " and ", kListValues);
  }
  if (kind_ == Kind::kPlain) return ReadRaw(begin, rows, to.raw());
  if (kind_ == Kind::kValues) return ReadValues(begin, to);
  if (kind_ == Kind::kLengths) {
    int64_t* length = to.data<int64_t>();
    return ForEach(begin, rows, [&](const char* value) {
      *length++ = static_cast<int64_t>(reinterpret_cast<const hvl_t*>(value)->len);
    });
  }
  std::string* text = to.data<std::string>();
  return ForEach(begin, rows, [&](const char* value) { Take(value, *text++); });
}

void Hdf5Rows::Take(const char* value, std::string& to) const {
  if (kind_ == Kind::kFixedText) {
    to = h5::WithoutPadding({value, value_bytes_});
  } else if (kind_ == Kind::kText) {
    const char* const text = *reinterpret_cast<const char* const*>(value);
    to = text == nullptr ? "" : text;
  } else {
    const auto* const list = reinterpret_cast<const hvl_t*>(value);
    to.assign(static_cast<const char*>(list->p), list->len);
  }
}

Status Hdf5Rows::ReadValues(int64_t begin, Tensor& to) const {
  const size_t size = DTypeSize(dtype_);
  const auto first = static_cast<size_t>(begin);
  const size_t end = first + static_cast<size_t>(to.num_elements());
  size_t at = 0;  // index of the list's first value, among all values
  return ForEach(0, rows_, [&](const char* value) {
    const auto* const list = reinterpret_cast<const hvl_t*>(value);
    const size_t from = std::max(at, first);
    const size_t until = std::min(at + list->len, end);
    if (from < until) {
      std::memcpy(static_cast<char*>(to.raw()) + (from - first) * size,
                  static_cast<const char*>(list->p) + (from - at) * size, (until - from) * size);
    }
    at += list->len;
  });
}

Status Hdf5Rows::ForEach(int64_t begin, int64_t rows, const std::function<void(const char* value)>& use) const {
  if (row_bytes_ == 0 || rows == 0) return Status();
  const int64_t piece = std::clamp<int64_t>(static_cast<int64_t>(kPieceBytes / row_bytes_), 1, rows);
  const int64_t dims[] = {piece, static_cast<int64_t>(row_bytes_)};
  DF_ASSIGN(const Shape room, Shape::Create(dims));
  DF_ASSIGN(Tensor values, Tensor::Allocate(SystemAllocator(), DType::kUint8, room));
  const char* const first = static_cast<const char*>(values.raw());
  for (const int64_t end = begin + rows; begin < end;) {
    const int64_t count = std::min(piece, end - begin);
    DF_TRY(ReadRaw(begin, count, values.raw()));
    for (size_t at = 0; at < static_cast<size_t>(count) * row_bytes_; at += value_bytes_) use(first + at);
    const hsize_t elements = static_cast<hsize_t>(count) * row_bytes_ / H5Tget_size(type_.id());
    const Handle space(H5Screate_simple(1, &elements, nullptr));
    if (kind_ != Kind::kFixedText) H5Dvlen_reclaim(type_.id(), space.id(), H5P_DEFAULT, values.raw());
    begin += count;
  }
  return Status();
}

}  // namespace dfrun
