#include "src/hdf5/tensor_hdf5.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "src/hdf5/hdf5_rows.h"
#include "src/hdf5/hdf5_type.h"

namespace dfrun {
namespace {

using h5::Handle;

Handle BoolType() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8));
  int8_t value = 0;
  H5Tenum_insert(type.id(), "FALSE", &value);
  value = 1;
  H5Tenum_insert(type.id(), "TRUE", &value);
  return type;
}

Handle HalfType() {
  Handle type(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(type.id(), 15, 10, 5, 0, 10);
  H5Tset_size(type.id(), 2);
  H5Tset_ebias(type.id(), 15);
  return type;
}

Handle ComplexType(hid_t part, size_t part_bytes) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * part_bytes));
  H5Tinsert(type.id(), "r", 0, part);
  H5Tinsert(type.id(), "i", part_bytes, part);
  return type;
}

Handle StringType() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

// The HDF5 type of the elements of a tensor; invalid for resources.
Handle TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return Handle(H5Tcopy(H5T_NATIVE_FLOAT));
    case DType::kDouble:
      return Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
    case DType::kInt8:
    case DType::kQint8:
      return Handle(H5Tcopy(H5T_NATIVE_INT8));
    case DType::kInt16:
    case DType::kQint16:
      return Handle(H5Tcopy(H5T_NATIVE_INT16));
    case DType::kInt32:
    case DType::kQint32:
      return Handle(H5Tcopy(H5T_NATIVE_INT32));
    case DType::kInt64:
      return Handle(H5Tcopy(H5T_NATIVE_INT64));
    case DType::kUint8:
    case DType::kQuint8:
      return Handle(H5Tcopy(H5T_NATIVE_UINT8));
    case DType::kUint16:
    case DType::kQuint16:
    case DType::kBfloat16:
      return Handle(H5Tcopy(H5T_NATIVE_UINT16));
    case DType::kUint32:
      return Handle(H5Tcopy(H5T_NATIVE_UINT32));
    case DType::kUint64:
      return Handle(H5Tcopy(H5T_NATIVE_UINT64));
    case DType::kBool:
      return BoolType();
    case DType::kHalf:
      return HalfType();
    case DType::kComplex64:
      return ComplexType(H5T_NATIVE_FLOAT, 4);
    case DType::kComplex128:
      return ComplexType(H5T_NATIVE_DOUBLE, 8);
    case DType::kString:
      return StringType();
    case DType::kResource:
    case DType::kVariant:
    case DType::kInvalid:
      return Handle();
  }
  return Handle();
}

DType IntegerOf(hid_t type) {
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  switch (H5Tget_size(type)) {
    case 1:
      return is_signed ? DType::kInt8 : DType::kUint8;
    case 2:
      return is_signed ? DType::kInt16 : DType::kUint16;
    case 4:
      return is_signed ? DType::kInt32 : DType::kUint32;
    case 8:
      return is_signed ? DType::kInt64 : DType::kUint64;
    default:
      return DType::kInvalid;
  }
}

DType FloatOf(size_t bytes) {
  switch (bytes) {
    case 2:
      return DType::kHalf;
    case 4:
      return DType::kFloat;
    case 8:
      return DType::kDouble;
    default:
      return DType::kInvalid;
  }
}

bool IsComplexCompound(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  bool fits = true;
  for (unsigned i = 0; i < 2; ++i) {
    char* name = H5Tget_member_name(type, i);
    fits = fits && name != nullptr && std::string(name) == (i == 0 ? "r" : "i");
    if (name != nullptr) H5free_memory(name);
  }
  return fits;
}

// As h5py writes bool; HDF5 converts between enums by the names of their members alone.
bool IsBoolEnum(hid_t type) {
  int8_t no = -1;
  int8_t yes = -1;
  return H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2 && H5Tenum_valueof(type, "FALSE", &no) >= 0 &&
         H5Tenum_valueof(type, "TRUE", &yes) >= 0;
}

// Rows of bytes are strings; rows of numbers, each of its own length, are no tensor.
bool HoldsBytes(hid_t vlen) {
  const Handle element(H5Tget_super(vlen));
  return H5Tget_class(element.id()) == H5T_INTEGER && H5Tget_size(element.id()) == 1;
}

// The dtype that the file's type alone stands for.
DType DTypeOfFileType(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return IntegerOf(type);
    case H5T_FLOAT:
      return FloatOf(H5Tget_size(type));
    case H5T_ENUM:
      return IsBoolEnum(type) ? DType::kBool : DType::kInvalid;
    case H5T_STRING:
      return DType::kString;
    case H5T_VLEN:
      return HoldsBytes(type) ? DType::kString : DType::kInvalid;
    case H5T_COMPOUND:
      if (!IsComplexCompound(type)) return DType::kInvalid;
      return H5Tget_size(type) == 8    ? DType::kComplex64
             : H5Tget_size(type) == 16 ? DType::kComplex128
                                       : DType::kInvalid;
    default:
      return DType::kInvalid;
  }
}

// The attribute may only rename what the bytes are: its type is stored as the file's type.
bool StoredAs(DType named, hid_t file_type) {
  if (named == DType::kString) return DTypeOfFileType(file_type) == DType::kString;
  Handle expected = TypeOf(named);
  return expected.valid() && DTypeOfFileType(expected.id()) == DTypeOfFileType(file_type);
}

Result<DType> DTypeOfDataset(const Handle& dataset, const Handle& type, const std::string& path,
                             const std::string& name) {
  const std::string attribute = h5::ReadStringAttribute(dataset, "dtype");
  if (!attribute.empty()) {
    const auto named = ParseDType(attribute);
    if (!named || !StoredAs(*named, type.id())) {
      return InvalidArgument("dataset '", name, "' of ", path, " has the attribute dtype=", attribute,
                             ", which does not fit its HDF5 type");
    }
    return *named;
  }
  const DType dtype = DTypeOfFileType(type.id());
  if (dtype == DType::kInvalid)
    return InvalidArgument("dataset '", name, "' of ", path, " is ", h5::TypeText(type),
                           ", which is no dtype of a tensor");
  return dtype;
}

// What would be found missing only when values are read, or not even then.
Status CheckReadable(const Handle& layout, const std::string& path, const std::string& name) {
  for (int i = 0; i < H5Pget_nfilters(layout.id()); ++i) {
    unsigned flags = 0;
    size_t values = 0;
    char filter[64] = {};
    const H5Z_filter_t id =
        H5Pget_filter2(layout.id(), static_cast<unsigned>(i), &flags, &values, nullptr, sizeof filter, filter, nullptr);
    if (id < 0 || H5Zfilter_avail(id) > 0) continue;
    return InvalidArgument("dataset '", name, "' of ", path, " is packed by the HDF5 filter ", id, " ",
                           filter[0] != '\0' ? filter : "without a name", ", which is not installed here: ",
                           "install its plugin, or repack the file (h5repack -f NONE)");
  }
  if (H5Pget_layout(layout.id()) != H5D_VIRTUAL) return Status();
  size_t parts = 0;
  H5Pget_virtual_count(layout.id(), &parts);
  const std::string directory = std::filesystem::path(path).parent_path().string();
  for (size_t i = 0; i < parts; ++i) {
    char part[4096] = {};
    H5Pget_virtual_filename(layout.id(), i, part, sizeof part);
    std::error_code error;
    const std::string_view name_of_part = part;  // with a "%b" of many
    if (name_of_part == "." || name_of_part.find('%') != std::string_view::npos ||
        std::filesystem::exists(part, error) ||
        std::filesystem::exists(std::filesystem::path(directory) / part, error)) {
      continue;
    }
    return NotFound("dataset '", name, "' of ", path, " is made of parts, and the file '", part,
                    "' of one is not there");
  }
  return Status();
}

Result<DatasetInfo> InspectOpen(const Handle& dataset, const std::string& path, const std::string& name) {
  Handle type(H5Dget_type(dataset.id()));
  DatasetInfo info;
  DF_ASSIGN(info.dtype, DTypeOfDataset(dataset, type, path, name));
  DF_ASSIGN(const std::vector<hsize_t> sizes, h5::DatasetDims(dataset, name));
  const std::vector<int64_t> dims(sizes.begin(), sizes.end());
  Result<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return shape.status().Annotate(StrCat("dataset '", name, "' of ", path));
  info.shape = *shape;
  Handle layout(H5Dget_create_plist(dataset.id()));
  DF_TRY(CheckReadable(layout, path, name));
  if (!IsPlain(info.dtype)) return info;
  if (H5Pget_layout(layout.id()) == H5D_CHUNKED && info.shape.rank() > 0) {
    std::vector<hsize_t> chunk(static_cast<size_t>(info.shape.rank()));
    if (H5Pget_chunk(layout.id(), info.shape.rank(), chunk.data()) > 0) {
      info.chunk_rows = static_cast<int64_t>(std::min<hsize_t>(chunk[0], sizes[0]));
    }
  }
  Handle native = TypeOf(info.dtype);
  const haddr_t offset = H5Dget_offset(dataset.id());
  info.contiguous = H5Pget_layout(layout.id()) == H5D_CONTIGUOUS && H5Pget_external_count(layout.id()) == 0 &&
                    offset != HADDR_UNDEF && H5Tequal(type.id(), native.id()) > 0;
  if (info.contiguous) info.offset = offset;
  return info;
}

// The name of the file that an object lies in.
std::string FileOf(const Handle& object) {
  const ssize_t length = H5Fget_name(object.id(), nullptr, 0);
  std::string name(static_cast<size_t>(std::max<ssize_t>(length, 0)) + 1, '\0');
  H5Fget_name(object.id(), name.data(), name.size());
  return name;
}

// Strings that hold a NUL were written as variable-length uint8.
Status ReadVlenBytes(const Handle& dataset, hid_t space, Tensor& to) {
  Handle type(H5Tvlen_create(H5T_NATIVE_UINT8));
  std::vector<hvl_t> values(static_cast<size_t>(to.num_elements()));
  if (H5Dread(dataset.id(), type.id(), space, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return h5::LastError(Code::kDataLoss, "reading strings");
  for (size_t i = 0; i < values.size(); ++i) {
    to.data<std::string>()[i].assign(static_cast<const char*>(values[i].p), values[i].len);
  }
  H5Dvlen_reclaim(type.id(), space, H5P_DEFAULT, values.data());
  return Status();
}

Status ReadFixedStrings(const Handle& dataset, const Handle& file_type, Tensor& to) {
  const size_t size = H5Tget_size(file_type.id());
  std::string bytes(size * static_cast<size_t>(to.num_elements()), '\0');
  if (H5Dread(dataset.id(), file_type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    return h5::LastError(Code::kDataLoss, "reading strings");
  }
  for (int64_t i = 0; i < to.num_elements(); ++i) {
    const std::string text = bytes.substr(static_cast<size_t>(i) * size, size);
    to.data<std::string>()[i] = text.substr(0, text.find('\0'));
  }
  return Status();
}

Status ReadStrings(const Handle& dataset, Tensor& to) {
  if (to.num_elements() == 0) return Status();
  Handle file_type(H5Dget_type(dataset.id()));
  Handle space(H5Dget_space(dataset.id()));
  if (H5Tget_class(file_type.id()) == H5T_VLEN) return ReadVlenBytes(dataset, space.id(), to);
  if (H5Tis_variable_str(file_type.id()) <= 0) return ReadFixedStrings(dataset, file_type, to);
  Handle type = StringType();
  H5Tset_cset(type.id(), H5Tget_cset(file_type.id()));
  std::vector<char*> values(static_cast<size_t>(to.num_elements()), nullptr);
  if (H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    return h5::LastError(Code::kDataLoss, "reading strings");
  }
  for (size_t i = 0; i < values.size(); ++i) to.data<std::string>()[i] = values[i] == nullptr ? "" : values[i];
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
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
    Handle type = StringType();
    wrote = H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
  }
  return wrote < 0 ? h5::LastError(Code::kIo, "writing strings") : Status();
}

// Where the values are not those of a dataset whose HDF5 type a tensor has.
Result<std::optional<Hdf5Rows>> RowsOf(const Handle& file, const std::string& path, const std::string& name) {
  DF_ASSIGN(const Hdf5Source source, FindHdf5Source(file, path, name));
  DF_ASSIGN(const Handle dataset, h5::OpenDataset(file, path, source.dataset));
  const Handle type(H5Dget_type(dataset.id()));
  if (source.fields.empty() && DTypeOfFileType(type.id()) != DType::kInvalid) return std::optional<Hdf5Rows>();
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

DType DTypeOfHdf5Type(const Handle& type) {
  return DTypeOfFileType(type.id());
}

Handle Hdf5TypeOf(DType dtype) {
  return TypeOf(dtype);
}

Status CheckStorage(const Handle& dataset, const std::string& path, const std::string& name) {
  return CheckReadable(Handle(H5Dget_create_plist(dataset.id())), path, name);
}

Result<DatasetInfo> InspectDataset(const Handle& file, const std::string& path, const std::string& name) {
  DF_ASSIGN(const std::optional<Hdf5Rows> rows, RowsOf(file, path, name));
  if (rows) return DatasetInfo{.dtype = rows->dtype(), .shape = rows->shape(), .holds_lists = rows->holds_lists()};
  DF_ASSIGN(Handle dataset, h5::OpenDataset(file, path, name));
  DF_ASSIGN(DatasetInfo info, InspectOpen(dataset, path, name));
  // An external link leads elsewhere: then the offset is one of that file.
  info.contiguous = info.contiguous && FileOf(dataset) == FileOf(file);
  return info;
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
  DF_ASSIGN(Handle dataset, h5::OpenDataset(file, path, name));
  DF_ASSIGN(const DatasetInfo info, InspectOpen(dataset, path, name));
  DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, info.dtype, info.shape));
  const std::string what = StrCat("reading dataset '", name, "' of ", path);
  if (info.dtype == DType::kString) {
    Status read = ReadStrings(dataset, value);
    if (!read.ok()) return read.Annotate(what);
    return value;
  }
  Handle type = TypeOf(info.dtype);
  if (value.num_elements() > 0 && H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.raw()) < 0) {
    return h5::LastError(Code::kDataLoss, what);
  }
  return value;
}

Status ReadRows(const Handle& file, const std::string& path, const std::string& name, int64_t begin, Tensor& to) {
  DF_ASSIGN(const std::optional<Hdf5Rows> rows, RowsOf(file, path, name));
  if (rows) return rows->Read(begin, to);
  DF_ASSIGN(Handle dataset, h5::OpenDataset(file, path, name));
  Handle file_space(H5Dget_space(dataset.id()));
  std::vector<hsize_t> start(static_cast<size_t>(to.shape().rank()), 0);
  const std::vector<hsize_t> count(to.shape().dims().begin(), to.shape().dims().end());
  start[0] = static_cast<hsize_t>(begin);
  Handle memory_space(H5Screate_simple(to.shape().rank(), count.data(), nullptr));
  Handle type = TypeOf(to.dtype());
  if (H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(dataset.id(), type.id(), memory_space.id(), file_space.id(), H5P_DEFAULT, to.raw()) < 0) {
    return h5::LastError(Code::kDataLoss,
                         StrCat("reading rows ", begin, " and following of dataset '", name, "' of ", path));
  }
  return Status();
}

Result<DatasetInfo> WriteTensor(const Handle& file, const std::string& name, const Tensor& value, bool write_bytes) {
  h5::Prepare();
  const bool has_nul = HasNul(value);
  Handle type = has_nul ? Handle(H5Tvlen_create(H5T_NATIVE_UINT8)) : TypeOf(value.dtype());
  if (!type.valid())
    return InvalidArgument("a tensor of dtype ", value.dtype(), " cannot be written to a file (dataset '", name, "')");
  const std::vector<hsize_t> dims(value.shape().dims().begin(), value.shape().dims().end());
  Handle space(dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(value.shape().rank(), dims.data(), nullptr));
  Handle links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.id(), 1);
  Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_layout(layout.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(layout.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER);
  const std::string what = StrCat("writing dataset '", name, "'");
  if (value.dtype() == DType::kString) H5Pset_fill_time(layout.id(), H5D_FILL_TIME_IFSET);
  Handle dataset(H5Dcreate2(file.id(), name.c_str(), type.id(), space.id(), links.id(), layout.id(), H5P_DEFAULT));
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
