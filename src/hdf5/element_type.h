// Converts HDF5 types to the dtypes of tensors and back.
//
// An HDF5 number is a layout of bits: which are the exponent, the sign, padding, in which order the bytes lie. A layout
// has the smallest dtype that holds all its values, as h5py chooses it, but for bfloat16, which h5py lacks. A layout
// whose values HDF5 does not convert right has none.
// Thread safety: as HDF5's.
#ifndef DFRUN_SRC_HDF5_ELEMENT_TYPE_H_
#define DFRUN_SRC_HDF5_ELEMENT_TYPE_H_

#include <string_view>

#include "src/framework/values/dtype.h"
#include "src/hdf5/hdf5.h"

namespace dfrun::h5 {

struct ElementType {
  DType dtype = DType::kInvalid;
  // The type for H5Dread(): elements as the tensor has them. Strings have the type that they are copied from: char* for
  // one of any length, hvl_t for a list of bytes, padded with NULs if all are of one length. Invalid without a dtype.
  Handle memory = {};
};

// Returns the element type of an HDF5 type. It is without a dtype for tables but complex numbers, arrays, lists but of
// bytes, opaque values, bit fields, references, times; and for integers and floats of layouts that no dtype holds.
ElementType ElementTypeOf(const Handle& type);

// A string of those that are all of one length, in which a NUL may stand between others.
std::string_view WithoutPadding(std::string_view padded);

// The type by which the elements of a dtype are stored; invalid for resources and variants.
Handle StoredType(DType dtype);

}  // namespace dfrun::h5

#endif  // DFRUN_SRC_HDF5_ELEMENT_TYPE_H_
