#include "src/hdf5/tensor_hdf5.h"

#include <algorithm>
#include <optional>

#include "src/hdf5/element_type.h"
#include "src/hdf5/hdf5_rows.h"
#include "src/hdf5/hdf5_type.h"
#include "src/hdf5/storage_check.h"

namespace dfrun {
namespace {

using h5::ElementType;
using h5::Handle;

// Returns the element type. The dataset's attribute `dtype` may rename it, if HDF5 stores the named dtype as elements
// of this type.
Result<ElementType> ElementOf(const Handle& dataset, const Handle& type, const std::string& path,
                              const std::string& name) {
  ElementType element = h5::ElementTypeOf(type);
  const std::string attribute = h5::ReadStringAttribute(dataset, "dtype");
  if (attribute.empty() && element.dtype != DType::kInvalid) return element;
  if (attribute.empty()) {
    return InvalidArgument("dataset '", name, "' of ", path, " is ", h5::TypeText(type),
                           ", which is no dtype of a tensor");
  }
  const DType named = ParseDType(attribute).value_or(DType::kInvalid);
  if (named != DType::kInvalid && named == element.dtype) return element;
  Handle stored = h5::StoredType(named);
  if (stored.valid() && h5::ElementTypeOf(stored).dtype == element.dtype) return ElementType{named, std::move(stored)};
  return InvalidArgument("dataset '", name, "' of ", path, " has the attribute dtype=", attribute,
                         ", which does not fit its HDF5 type, ", h5::TypeText(type));
}

// A dataset whose elements are those of a tensor.
struct OpenTensor {
  Handle dataset;
  Handle memory;  // see ElementType::memory
  DatasetInfo info;
};

// Rows of chunks, and where contiguous elements lie.
void DescribeStorage(const Handle& type, const Handle& layout, OpenTensor& tensor) {
  const Shape& shape = tensor.info.shape;
  if (H5Pget_layout(layout.id()) == H5D_CHUNKED && shape.rank() > 0) {
    std::vector<hsize_t> chunk(static_cast<size_t>(shape.rank()));
    if (H5Pget_chunk(layout.id(), shape.rank(), chunk.data()) > 0) {
      tensor.info.chunk_rows = std::min<int64_t>(static_cast<int64_t>(chunk[0]), shape[0]);
    }
  }
  const haddr_t offset = H5Dget_offset(tensor.dataset.id());
  tensor.info.contiguous = H5Pget_layout(layout.id()) == H5D_CONTIGUOUS && H5Pget_external_count(layout.id()) == 0 &&
                           offset != HADDR_UNDEF && H5Tequal(type.id(), tensor.memory.id()) > 0;
  if (tensor.info.contiguous) tensor.info.offset = offset;
}

Result<OpenTensor> Open(const Handle& file, const std::string& path, const std::string& name) {
  OpenTensor tensor;
  DF_ASSIGN(tensor.dataset, h5::OpenDataset(file, path, name));
  const Handle type(H5Dget_type(tensor.dataset.id()));
  DF_ASSIGN(ElementType element, ElementOf(tensor.dataset, type, path, name));
  tensor.memory = std::move(element.memory);
  tensor.info.dtype = element.dtype;
  DF_ASSIGN(const std::vector<hsize_t> sizes, h5::DatasetDims(tensor.dataset, name));
  Result<Shape> shape = Shape::Create(std::vector<int64_t>(sizes.begin(), sizes.end()));
  if (!shape.ok()) return shape.status().Annotate(StrCat("dataset '", name, "' of ", path));
  tensor.info.shape = *std::move(shape);
  tensor.info.unpacked_bytes =
      static_cast<uint64_t>(tensor.info.shape.num_elements()) * H5Tget_size(tensor.memory.id());
  const Handle layout(H5Dget_create_plist(tensor.dataset.id()));
  DF_TRY(CheckStorage(tensor.dataset, path, name));
  if (IsPlain(element.dtype)) DescribeStorage(type, layout, tensor);
  return tensor;
}

Status Unread() {
  return h5::LastError(Code::kDataLoss, "reading strings");
}

// Strings that hold a NUL were written as variable-length uint8.
Status ReadListsOfBytes(const OpenTensor& from, const Handle& space, Tensor& to) {
  std::vector<hvl_t> values(static_cast<size_t>(to.num_elements()));
  if (H5Dread(from.dataset.id(), from.memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return Unread();
  for (size_t i = 0; i < values.size(); ++i) {
    to.data<std::string>()[i].assign(static_cast<const char*>(values[i].p), values[i].len);
  }
  H5Dvlen_reclaim(from.memory.id(), space.id(), H5P_DEFAULT, values.data());
  return Status();
}

Status ReadFixedStrings(const OpenTensor& from, Tensor& to) {
  const size_t size = H5Tget_size(from.memory.id());
  std::string bytes(size * static_cast<size_t>(to.num_elements()), '\0');
  if (H5Dread(from.dataset.id(), from.memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) return Unread();
  for (size_t i = 0; i < static_cast<size_t>(to.num_elements()); ++i) {
    to.data<std::string>()[i] = h5::WithoutPadding(std::string_view(bytes).substr(i * size, size));
  }
  return Status();
}

Status ReadStrings(const OpenTensor& from, Tensor& to) {
  if (to.num_elements() == 0) return Status();
  const Handle space(H5Dget_space(from.dataset.id()));
  if (H5Tget_class(from.memory.id()) == H5T_VLEN) return ReadListsOfBytes(from, space, to);
  if (H5Tis_variable_str(from.memory.id()) <= 0) return ReadFixedStrings(from, to);
  std::vector<char*> values(static_cast<size_t>(to.num_elements()), nullptr);
  if (H5Dread(from.dataset.id(), from.memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return Unread();
  for (size_t i = 0; i < values.size(); ++i) to.data<std::string>()[i] = values[i] == nullptr ? "" : values[i];
  H5Dvlen_reclaim(from.memory.id(), space.id(), H5P_DEFAULT, values.data());
  return Status();
}

Status WriteStrings(const Handle& dataset, const Tensor& value, bool has_nul) {
  const auto strings = value.values<std::string>();
  herr_t wrote = 0;
  if (has_nul) {
    std::vector<hvl_t> pointers;
    for (const std::string& s : strings) pointers.push_back({s.size(), const_cast<char*>(s.data())});
    Handle type(H5Tvlen_create(H5T_NATIVE_UINT8));
    wrote = H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
  } else {
    std::vector<const char*> pointers;
    for (const std::string& s : strings) pointers.push_back(s.c_str());
    Handle type = h5::StoredType(DType::kString);
    wrote = H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
  }
  return wrote < 0 ? h5::LastError(Code::kIo, "writing strings") : Status();
}

// Opens rows for values that are not simply a dataset of an HDF5 type with a dtype; nothing for such a dataset.
Result<std::optional<Hdf5Rows>> RowsOf(const Handle& file, const std::string& path, const std::string& name) {
  DF_ASSIGN(const Hdf5Source source, FindHdf5Source(file, path, name));
  DF_ASSIGN(const Handle dataset, h5::OpenDataset(file, path, source.dataset));
  const Handle type(H5Dget_type(dataset.id()));
  if (source.fields.empty() && h5::ElementTypeOf(type).dtype != DType::kInvalid) return std::optional<Hdf5Rows>();
  DF_ASSIGN(Hdf5Rows rows, Hdf5Rows::Open(file, path, name));
  return std::optional<Hdf5Rows>(std::move(rows));
}

bool HasNul(const Tensor& value) {
  if (value.dtype() != DType::kString) return false;
  const auto strings = value.values<std::string>();
  return std::any_of(strings.begin(), strings.end(),
                     [](const std::string& s) { return s.find('\0') != std::string::npos; });
}

}  // namespace

Result<DatasetInfo> InspectDataset(const Handle& file, const std::string& path, const std::string& name) {
  DF_ASSIGN(const std::optional<Hdf5Rows> rows, RowsOf(file, path, name));
  if (rows) {
    return DatasetInfo{.dtype = rows->dtype(),
                       .shape = rows->shape(),
                       .holds_lists = rows->holds_lists(),
                       .unpacked_bytes = rows->unpacked_bytes()};
  }
  DF_ASSIGN(OpenTensor tensor, Open(file, path, name));
  // An external link leads elsewhere: then the offset is one of that file.
  tensor.info.contiguous = tensor.info.contiguous && h5::FileNameOf(tensor.dataset) == h5::FileNameOf(file);
  return tensor.info;
}

Result<DatasetInfo> InspectDataset(const std::string& path, const std::string& name) {
  DF_ASSIGN(Handle file, h5::OpenFile(path));
  return InspectDataset(file, path, name);
}

Result<Tensor> ReadTensor(const Handle& file, const std::string& path, const std::string& name, Allocator& allocator) {
  DF_ASSIGN(const std::optional<Hdf5Rows> rows, RowsOf(file, path, name));
  if (rows) {
    DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, rows->dtype(), rows->shape()));
    DF_TRY(rows->Read(0, value));
    return value;
  }
  DF_ASSIGN(const OpenTensor from, Open(file, path, name));
  DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, from.info.dtype, from.info.shape));
  const std::string what = StrCat("reading dataset '", name, "' of ", path);
  if (from.info.dtype == DType::kString) {
    Status read = ReadStrings(from, value);
    if (!read.ok()) return read.Annotate(what);
    return value;
  }
  if (value.num_elements() > 0 &&
      H5Dread(from.dataset.id(), from.memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.raw()) < 0) {
    return h5::LastError(Code::kDataLoss, what);
  }
  return value;
}

Status ReadRows(const Handle& file, const std::string& path, const std::string& name, int64_t begin, Tensor& to) {
  DF_ASSIGN(const std::optional<Hdf5Rows> rows, RowsOf(file, path, name));
  if (rows) return rows->Read(begin, to);
  DF_ASSIGN(const OpenTensor from, Open(file, path, name));
  if (from.info.dtype != to.dtype() || !IsPlain(to.dtype())) {
    return InvalidArgument("dataset '", name, "' of ", path, " is ", from.info.dtype, ", not ", to.dtype());
  }
  const Handle file_space(H5Dget_space(from.dataset.id()));
  std::vector<hsize_t> start(static_cast<size_t>(to.shape().rank()), 0);
  const std::vector<hsize_t> count(to.shape().dims().begin(), to.shape().dims().end());
  start[0] = static_cast<hsize_t>(begin);
  Handle memory_space(H5Screate_simple(to.shape().rank(), count.data(), nullptr));
  if (H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(from.dataset.id(), from.memory.id(), memory_space.id(), file_space.id(), H5P_DEFAULT, to.raw()) < 0) {
    return h5::LastError(Code::kDataLoss,
                         StrCat("reading rows ", begin, " and following of dataset '", name, "' of ", path));
  }
  return Status();
}

Result<DatasetInfo> WriteTensor(const Handle& file, const std::string& name, const Tensor& value, bool write_bytes) {
  h5::Prepare();
  const bool has_nul = HasNul(value);
  Handle type = has_nul ? Handle(H5Tvlen_create(H5T_NATIVE_UINT8)) : h5::StoredType(value.dtype());
  if (!type.valid())
    return InvalidArgument("a tensor of dtype ", value.dtype(), " cannot be written to a file (dataset '", name, "')");
  const std::vector<hsize_t> dims(value.shape().dims().begin(), value.shape().dims().end());
  Handle space(dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(value.shape().rank(), dims.data(), nullptr));
  DF_TRY(h5::MakeGroupsAbove(file, name));
  const Handle layout = h5::CreationList(H5P_DATASET_CREATE);
  H5Pset_layout(layout.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(layout.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER);
  const std::string what = StrCat("writing dataset '", name, "'");
  if (value.dtype() == DType::kString) H5Pset_fill_time(layout.id(), H5D_FILL_TIME_IFSET);
  Handle dataset(H5Dcreate2(file.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
  if (!dataset.valid()) return h5::LastError(Code::kIo, what);
  DF_TRY(h5::WriteStringAttribute(dataset, "dtype", DTypeEnumName(value.dtype())));
  DatasetInfo info{.dtype = value.dtype(), .shape = value.shape()};
  if (value.num_elements() == 0) return info;
  if (value.dtype() == DType::kString) {
    Status wrote = WriteStrings(dataset, value, has_nul);
    if (!wrote.ok()) return wrote.Annotate(what);
    return info;
  }
  const haddr_t offset = H5Dget_offset(dataset.id());
  info.contiguous = offset != HADDR_UNDEF;
  info.offset = info.contiguous ? offset : 0;
  if ((write_bytes || !info.contiguous) &&
      H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.raw()) < 0) {
    return h5::LastError(Code::kIo, what);
  }
  return info;
}

}  // namespace dfrun
