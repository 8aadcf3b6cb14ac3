// What kernels of products and convolutions may do to be faster, where a job lets them. A node says it by attrs of the
// system, `_precision` and `_deterministic`; one without them lets its kernel do neither.
#ifndef DFRUN_SRC_FRAMEWORK_ARITHMETIC_H_
#define DFRUN_SRC_FRAMEWORK_ARITHMETIC_H_

#include "src/framework/attr.h"

namespace dfrun {

struct Arithmetic {
  bool tf32 = false;          // factors of float32 may be rounded to TF32's 10 bits of mantissa; sums have 24
  bool deterministic = true;  // results have the same bits in every run
  bool operator==(const Arithmetic&) const = default;

  // Of a node with these attrs.
  static Arithmetic Of(const AttrMap& attrs);
  void SetOn(AttrMap& attrs) const;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_ARITHMETIC_H_
