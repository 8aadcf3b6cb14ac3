#include "src/hdf5/shown_dataset.h"

#include <complex>
#include <limits>
#include <vector>

#include "src/hdf5/element_type.h"

namespace dfrun {
namespace {

using h5::Handle;

// Returns an element that no variable is likely to be full of, so that missing values are seen.
std::string NoValue(DType dtype) {
  std::string bytes(DTypeSize(dtype), '\0');
  const auto put = [&bytes](const auto& value) { bytes.assign(reinterpret_cast<const char*>(&value), sizeof value); };
  switch (dtype) {
    case DType::kFloat:
      put(std::numeric_limits<float>::quiet_NaN());
      break;
    case DType::kDouble:
      put(std::numeric_limits<double>::quiet_NaN());
      break;
    case DType::kHalf:
      put(uint16_t{0x7e00});
      break;
    case DType::kBfloat16:
      put(uint16_t{0x7fc0});
      break;
    case DType::kComplex64:
      put(std::complex<float>(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()));
      break;
    case DType::kComplex128:
      put(std::complex<double>(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()));
      break;
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
    case DType::kQuint8:
    case DType::kQuint16:
      bytes.assign(bytes.size(), '\xff');
      break;
    default:  // signed integers, and bool, which is then neither true nor false
      bytes.back() = '\x80';
  }
  return bytes;
}

// Escapes a name: HDF5 takes "%b" in the names of a virtual dataset's parts for a number.
std::string Escaped(const std::string& name) {
  std::string escaped;
  for (const char c : name) escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

}  // namespace

Status ShowDataset(const Handle& in, const std::string& file, const std::string& dataset, DType dtype,
                   const Shape& shape) {
  const char* const name = dataset.c_str();
  DF_TRY(h5::MakeGroupsAbove(in, dataset));
  if (!IsPlain(dtype)) {
    if (H5Lcreate_external(file.c_str(), name, in.id(), name, H5P_DEFAULT, H5P_DEFAULT) >= 0) return Status();
    return h5::LastError(Code::kIo, "linking it to " + file);
  }
  const std::vector<hsize_t> dims(shape.dims().begin(), shape.dims().end());
  const Handle space(dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape.rank(), dims.data(), nullptr));
  const Handle type = h5::StoredType(dtype);
  const Handle layout = h5::CreationList(H5P_DATASET_CREATE);
  H5Pset_fill_value(layout.id(), type.id(), NoValue(dtype).data());
  H5Pset_virtual(layout.id(), space.id(), Escaped(file).c_str(), Escaped(dataset).c_str(), space.id());
  const Handle shown(H5Dcreate2(in.id(), name, type.id(), space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
  if (!shown.valid()) return h5::LastError(Code::kIo, "making it of " + file);
  return h5::WriteStringAttribute(shown, "dtype", DTypeEnumName(dtype));
}

}  // namespace dfrun
