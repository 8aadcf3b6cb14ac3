// Instruction units that oneDNN can use on this machine, built in or not.
#ifndef DFRUN_KERNELS_DEVICE_ONEDNN_UNITS_H_
#define DFRUN_KERNELS_DEVICE_ONEDNN_UNITS_H_

namespace dfrun {

// True where oneDNN multiplies bfloat16 by an instruction of this machine, and not by several. Any thread.
bool OneDnnMultipliesBfloat16();
// True where oneDNN multiplies bfloat16 by tile registers (AMX): a row of a product then has other bits by the number of
// rows. Any thread.
bool OneDnnUsesTiles();

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_ONEDNN_UNITS_H_
