// Lists of element types, for the registration of kernels and for VisitDType:
//   CPU_KERNEL("Neg", cpu::Unary<fn::Neg>, DF_FLOATS, DF_SIGNED);
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_ELEMENT_TYPES_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_ELEMENT_TYPES_H_

#include <complex>
#include <cstdint>

#include "src/framework/values/dtype.h"

#define DF_FLOATS bfloat16, float16, float, double
#define DF_COMPLEX std::complex<float>, std::complex<double>
#define DF_SIGNED int8_t, int16_t, int32_t, int64_t
#define DF_UNSIGNED uint8_t, uint16_t, uint32_t, uint64_t
#define DF_INTEGERS DF_SIGNED, DF_UNSIGNED
#define DF_REAL DF_FLOATS, DF_INTEGERS
#define DF_NUMBERS DF_REAL, DF_COMPLEX
#define DF_QUANTIZED qint8, quint8, qint16, quint16, qint32

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_ELEMENT_TYPES_H_
