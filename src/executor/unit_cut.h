// Which nodes of a partition are recorded together (src/framework/step_recorder.h), on a device that records.
//
// A node can be recorded where its kernel only enqueues on the device, and what the host must know for that (sizes,
// axes, the addresses of variables) is the same in every step of the same shapes. Constants and variables are no work:
// each unit has its own nodes of them.
//
// A unit is as large as can be: nodes stand in different units where one waits for the other by way of a node that is
// not recorded, or one is left out of steps whose updates are withheld (src/graph/update_gate.h) and the other is not.
// A Recv, and what reads a participant of a collective, is behind all Sends of as many crossings or fewer
// (src/graph/crossings.h): so what a Send gives may come back by it, and a unit that sends waits for values of fewer
// crossings alone, so that units of different devices do not wait for each other.
#ifndef DFRUN_SRC_EXECUTOR_UNIT_CUT_H_
#define DFRUN_SRC_EXECUTOR_UNIT_CUT_H_

#include <string>
#include <vector>

#include "src/framework/device.h"
#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// The op that stands for a unit. Attr `unit`: which one.
inline constexpr const char* kRecordedUnitOp = "_Recorded";

struct UnitDraft {
  std::string name;
  Graph graph;                 // its nodes; feeds are its inputs and fetches its outputs, by their order
  std::vector<bool> uploaded;  // by input: it comes in host memory, and its readers want it in the device's
};

// A node that works on the device and is not recorded.
struct NotRecorded {
  std::string node;
  std::string op;
  std::string why;  // a part of a sentence: "it ..."
};

struct UnitCut {
  Graph graph;  // of what is not recorded, and a node for each unit
  std::vector<UnitDraft> units;
  std::vector<NotRecorded> rest;
};

// `partition`: with memory copies (memory_copies.h), shapes inferred. A partition with conditionals or loops has no
// units. Errors name the node.
Result<UnitCut> CutUnits(const Graph& partition, const Device& device, const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_UNIT_CUT_H_
