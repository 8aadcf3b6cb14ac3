#include "src/job/capture_writer.h"

#include <filesystem>
#include <utility>

#include "src/job/numerics_finding.h"

namespace dfrun {

void CaptureWriter::Write(const Status& found, int64_t step) {
  const Status written = TryToWrite(found, step);
  if (written.ok()) {
    target_.tell(StrCat("the node that made it is in ", target_.path,
                        " with its inputs; it runs alone by: dfrun replay ", target_.path));
  } else {
    target_.tell(StrCat("warning: the node that made it is not captured: ", written.message()));
  }
}

Status CaptureWriter::TryToWrite(const Status& found, int64_t step) {
  CaptureRequest request{.path = std::filesystem::absolute(target_.path).string(),
                         .found = found.message(),
                         .step = step,
                         .version = target_.version};
  DF_ASSIGN(request.position, PositionOf(NodeInFinding(found)));
  return session_.WriteCapture(request);
}

// How far a random node was when the step began; nothing for another node.
Result<std::optional<int64_t>> CaptureWriter::PositionOf(const std::string& node) {
  for (const KeptState& kept : parts_.kept) {
    const Graph& graph = session_.graph();
    const NodeId reader = kept.of == node && kept.parts.size() == 1 ? graph.Find(kept.parts[0].name) : -1;
    if (reader < 0 || graph.node(reader).op->name != "RandomPosition") continue;
    DF_ASSIGN(const Session::Handle rewind, session_.Prepare(parts_.rewind));
    DF_TRY(session_.RunStep(rewind, {}, {}));
    DF_ASSIGN(const std::vector<Tensor> position, session_.Run({}, {kept.parts[0].name}));
    return std::optional<int64_t>(position[0].scalar<int64_t>());
  }
  return std::optional<int64_t>();
}

}  // namespace dfrun
