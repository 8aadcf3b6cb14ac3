// Levels of instruction sets that oneDNN distinguishes. Ranks must agree on one, so that bits do not depend on the
// node.
#ifndef DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
#define DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_

namespace dfrun::comm {

// This CPU's level: 0 for the lowest.
int CpuIsaLevel();
// Sets ONEDNN_MAX_CPU_ISA, unless the user did. To be called before oneDNN's first primitive.
void HoldOneDnnTo(int level);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
