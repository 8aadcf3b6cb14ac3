// What this host's processor is called.
#ifndef DFRUN_SRC_BASE_CPU_MODEL_H_
#define DFRUN_SRC_BASE_CPU_MODEL_H_

#include <string>

namespace dfrun {

// As Linux names the model; "unknown" where it does not.
std::string CpuModel();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CPU_MODEL_H_
