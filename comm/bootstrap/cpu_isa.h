// The level of instruction set that oneDNN may use. Ranks must agree on one, so that results have the same bits on
// every node.
#ifndef DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
#define DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_

namespace dfrun::comm {

// Returns the level that oneDNN would use here, this CPU's or the lower one that ONEDNN_MAX_CPU_ISA names: 0 for the
// lowest. A value of the variable that is no level's name counts for nothing.
int CpuIsaLevel();
// Sets ONEDNN_MAX_CPU_ISA. Must be called before oneDNN's first primitive.
void HoldOneDnnTo(int level);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_CPU_ISA_H_
