// The model name of this host's processor.
#ifndef DFRUN_SRC_BASE_HOST_CPU_MODEL_H_
#define DFRUN_SRC_BASE_HOST_CPU_MODEL_H_

#include <string>

namespace dfrun {

// Returns the name by which Linux knows the model; "unknown" where it has none.
std::string CpuModel();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HOST_CPU_MODEL_H_
