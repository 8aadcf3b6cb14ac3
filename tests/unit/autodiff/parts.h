// The real numbers of float and complex tensors as float64; the two parts of a complex number count separately.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_PARTS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_PARTS_H_

#include <complex>
#include <type_traits>
#include <vector>

#include "src/framework/values/element_types.h"
#include "src/framework/values/tensor.h"

namespace dfrun::testing {

inline bool HasParts(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype);
}

template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using type = T;
};

// Calls f(data, count) with the parts of a float or complex tensor, in their own type.
template <class F>
void VisitParts(const Tensor& t, F&& f) {
  VisitDType<DF_FLOATS, DF_COMPLEX>(t.dtype(), [&](auto tag) {
    using Part = typename PartOf<typename decltype(tag)::type>::type;
    f(const_cast<Part*>(static_cast<const Part*>(t.raw())), t.num_bytes() / sizeof(Part));
  });
}

inline std::vector<double> PartsOf(const Tensor& t) {
  std::vector<double> parts;
  VisitParts(t, [&](const auto* data, size_t count) {
    for (size_t i = 0; i < count; ++i) parts.push_back(static_cast<double>(data[i]));
  });
  return parts;
}

inline void SetPart(Tensor& t, size_t part, double value) {
  VisitParts(t, [&](auto* data, size_t) {
    using Part = std::remove_reference_t<decltype(*data)>;
    data[part] = static_cast<Part>(value);
  });
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_PARTS_H_
