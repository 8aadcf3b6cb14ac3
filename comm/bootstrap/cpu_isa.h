// The level of instruction set that oneDNN may use. Ranks must agree on one, so that results have the same bits on
// every node.
#ifndef DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
#define DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_

namespace dfrun::comm {

// Returns this CPU's level: 0 for the lowest.
int CpuIsaLevel();
// Sets ONEDNN_MAX_CPU_ISA unless the user did. Must be called before oneDNN's first primitive.
void HoldOneDnnTo(int level);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
