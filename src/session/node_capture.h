// Captures: a node that a check of values has found, with what it read and made, in one HDF5 file, so that it can be
// run again alone (dfrun replay).
//
// The datasets of the file:
//   - graph: text, a GraphDef of the node and, for each input, a Placeholder, or a VariableV2 where the node changes it
//   - node: the node's name; its inputs are in the order of its signature
//   - inputs/I: the value of input I; outputs/O: of output O, but of a ref, which is a variable
//   - found: what the check said; step, rank, device, version: where it was
//   - position: only of a random node, how far it was in its sequence of numbers
#ifndef DFRUN_SRC_SESSION_NODE_CAPTURE_H_
#define DFRUN_SRC_SESSION_NODE_CAPTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/executor/step/numerics_check.h"
#include "src/graph/graph.h"
#include "src/session/local_executable.h"

namespace dfrun {

// Bytes of the values of a capture, at most.
inline constexpr int64_t kMaxCaptureBytes = int64_t{1} << 30;

// The order to write a capture, as the master gives it to the ranks.
struct CaptureRequest {
  std::string path;     // path of the file, which is replaced
  std::string found;    // the message of the check, by which the rank knows that it is the one
  int64_t step = 0;     // the number of the job's step, from 1 on
  std::string version;  // version of dfrun
  std::optional<int64_t> position = {};
};

// A finding as a rank keeps it until it is asked for.
struct KeptFinding {
  std::string message = {};  // "": there is none
  SeenNode node = {};
  std::string graph = {};  // dataset `graph`; "": `error` says why there is none
  std::string error = {};
};

// Keeps the finding of a check of a step of `part`. A part without graphs gives one without a graph.
KeptFinding KeepFinding(const NumericsCheck::Finding& finding, const LocalExecutable& part);

// Writes the capture if `kept` is what is asked for. FailedPrecondition where its values were not kept, else errors of
// the file; there is none then, and an old one stays.
Status WriteCapture(const KeptFinding& kept, const CaptureRequest& request, int rank);

// A capture as it is read.
struct NodeCapture {
  Graph graph;
  NodeId node = -1;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;  // not initialised: not captured
  std::string found;
  std::string device;
  std::string version;
  int64_t step = 0;
  int64_t rank = 0;
  std::optional<int64_t> position;
};

// Reads the file, by a child process as any HDF5 file that may be anyone's. NoInput where there is none; BadSpec where
// it is no capture, or one of a node that this program does not know.
Result<NodeCapture> ReadCapture(const std::string& path);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_NODE_CAPTURE_H_
