// A mode in which denormal floating-point numbers count as zero, as in TensorFlow's kernels. Sums that decay (the
// momentum of a dead unit) end as denormals, which the processor handles many times more slowly than other numbers.
#ifndef DFRUN_SRC_BASE_DENORMALS_H_
#define DFRUN_SRC_BASE_DENORMALS_H_

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace dfrun {

// Makes its thread take denormal operands as zero and round denormal results to zero while an object lives. It does
// nothing where the processor lacks such a mode. A nested object costs one read of a register.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;
#if defined(__SSE__)
  ScopedFlushDenormals() : before_(_mm_getcsr()) {
    if ((before_ & kFlush) != kFlush) _mm_setcsr(before_ | kFlush);
  }
  ~ScopedFlushDenormals() {
    if ((before_ & kFlush) != kFlush) _mm_setcsr((_mm_getcsr() & ~kFlush) | (before_ & kFlush));
  }

 private:
  static constexpr unsigned kFlush = 0x8040;  // flush to zero, denormals are zero
  const unsigned before_;
#else
  ScopedFlushDenormals() {}
#endif
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_DENORMALS_H_
