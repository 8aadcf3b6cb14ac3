// Conversion between element types, with the rules of TensorFlow on this hardware.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_CAST_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_CAST_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/math/functions/element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

using CastRun = void (*)(const void* from, void* to, int64_t n);

// A floating-point number as an integer, cut towards zero. Numbers that the hardware's conversion cannot hold (32 bits
// for the narrow types, else 64) and NaN give its lowest integer, of which the narrow types keep the low bits.
template <class Dst, class Src>
DF_HOST_DEVICE Dst CutToInteger(Src x) {
  using Wide = std::conditional_t<sizeof(Dst) <= 4 && !std::is_same_v<Dst, uint32_t>, int32_t, int64_t>;
  constexpr Src kLimit = sizeof(Wide) == 4 ? Src(0x1p31) : Src(0x1p63);
  if constexpr (std::is_same_v<Dst, uint64_t>) {
    if (x >= Src(0x1p63) && x < Src(0x1p64)) return static_cast<uint64_t>(x - Src(0x1p63)) ^ (uint64_t{1} << 63);
  }
  const Wide wide = x >= -kLimit && x < kLimit ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min();
  return static_cast<Dst>(wide);
}

template <class Dst, class Src>
DF_HOST_DEVICE Dst CastElement(Src x) {
  using C = ComputeType<Src>;
  if constexpr (kIsComplex<Src> && kIsComplex<Dst>) {
    return Dst(x);
  } else if constexpr (kIsComplex<Src>) {
    return CastElement<Dst>(x.real());
  } else if constexpr (kIsComplex<Dst>) {
    return Dst(CastElement<typename Dst::value_type>(x));
  } else if constexpr (std::is_same_v<Dst, bool>) {
    return static_cast<C>(x) != C(0);
  } else if constexpr (std::is_integral_v<Dst> && std::is_floating_point_v<C>) {
    return CutToInteger<Dst>(static_cast<C>(x));
  } else if constexpr (sizeof(Dst) == 2 && !std::is_integral_v<Dst>) {
    return static_cast<Dst>(static_cast<float>(static_cast<C>(x)));
  } else {
    return static_cast<Dst>(static_cast<C>(x));
  }
}

// Clears all but the first kBits bits of the mantissa, so that the conversion that follows is exact.
template <int kBits, class T>
DF_HOST_DEVICE T CutMantissa(T x) {
  if constexpr (kIsComplex<T>) {
    return {CutMantissa<kBits>(x.real()), CutMantissa<kBits>(x.imag())};
  } else {
    using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr Word kCut = (Word{1} << (std::numeric_limits<T>::digits - 1 - kBits)) - 1;
    return std::bit_cast<T>(std::bit_cast<Word>(x) & ~kCut);
  }
}

template <class Src, class Dst>
void RunCast(const void* from_data, void* to_data, int64_t n) {
  const Src* from = static_cast<const Src*>(from_data);
  Dst* to = static_cast<Dst*>(to_data);
  for (int64_t i = 0; i < n; ++i) to[i] = CastElement<Dst>(from[i]);
}

// The loop from Src to `to`; null where there is none.
template <class Src>
CastRun FindCast(DType to) {
  CastRun run = nullptr;
  VisitDType<bool, DF_NUMBERS>(to, [&](auto tag) { run = &RunCast<Src, typename decltype(tag)::type>; });
  return run;
}

// The loop between two dtypes; null where there is none of that kind of source. Three files, for the compiler's sake.
CastRun FindCastFromInteger(DType from, DType to);
CastRun FindCastFromReal(DType from, DType to);
CastRun FindCastFromComplex(DType from, DType to);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_CAST_H_
