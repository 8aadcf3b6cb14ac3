// Liberties that kernels of products and convolutions may take to be faster, where a job allows them. A node has them
// as attrs of the system, `_precision` and `_deterministic`; without these attrs its kernel takes neither.
#ifndef DFRUN_SRC_FRAMEWORK_OP_ARITHMETIC_H_
#define DFRUN_SRC_FRAMEWORK_OP_ARITHMETIC_H_

#include "src/framework/values/attr.h"

namespace dfrun {

struct Arithmetic {
  bool tf32 = false;          // factors of float32 may be rounded to TF32's 10 bits of mantissa; sums have 24
  bool deterministic = true;  // results have the same bits in every run
  bool operator==(const Arithmetic&) const = default;

  // Reads the liberties of a node from its attrs.
  static Arithmetic Of(const AttrMap& attrs);
  void SetOn(AttrMap& attrs) const;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_ARITHMETIC_H_
