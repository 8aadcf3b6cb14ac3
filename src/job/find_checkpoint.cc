#include "src/job/find_checkpoint.h"

#include <filesystem>
#include <optional>

#include "src/base/text.h"
#include "src/checkpoint/store.h"
#include "src/graph/graph_def/file_kind.h"
#include "src/job/best_steps.h"

namespace dfrun {
namespace {

constexpr std::string_view kBest = "best";

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

std::string StoreOf(const std::string& run) {
  return run + "/checkpoints";
}

Result<CheckpointStore::Checkpoint> Newest(const std::string& asked, const std::string& run) {
  DF_ASSIGN(std::optional<CheckpointStore::Checkpoint> newest, CheckpointStore(StoreOf(run), 0).FindNewest());
  if (newest) return *std::move(newest);
  return Error(Code::kBadSpec, asked, ": the run directory has no committed checkpoint in ", StoreOf(run));
}

Result<int64_t> BestStep(const std::string& asked, const std::string& run) {
  DF_ASSIGN(const CheckpointStore::Checkpoint newest, Newest(asked, run));
  const Result<int64_t> step = BestSteps::StepIn(newest.manifest.state);
  if (step.ok()) return step;
  return Error(Code::kUsage, asked, ": ", newest.directory, " knows no best step (", step.status().message(),
               "): 'checkpoint: {best: {metric: eval/loss, mode: min}}' of a spec has a training keep one");
}

Result<std::string> FindTagged(const std::string& asked, const std::string& run, std::string_view tag) {
  std::optional<int64_t> step;
  if (tag == kBest) {
    DF_ASSIGN(step, BestStep(asked, run));
  } else {
    step = ParseAs<int64_t>(tag);
    if (!step || *step < 0) {
      return Error(Code::kUsage, asked, ": '", tag, "' is no step; write ", run, "@best, ", run,
                   "@100 for step 100, or ", run, " for the newest checkpoint");
    }
  }
  const Result<CheckpointStore::Checkpoint> found = CheckpointStore(StoreOf(run), 0).FindStep(*step);
  if (found.ok()) return found->directory;
  return Status(
      found.status().code(),
      StrCat(asked, ": ", tag == kBest ? StrCat("the best step is ", *step, ", but ") : "", found.status().message()));
}

}  // namespace

std::string RunOfCheckpointName(const std::string& name) {
  const size_t at = name.rfind('@');
  return at == std::string::npos || at == 0 || Exists(name) ? name : name.substr(0, at);
}

Result<std::string> FindCheckpoint(std::string_view asker, const std::string& name) {
  const std::string asked = StrCat(asker, " ", name);
  const std::string path = RunOfCheckpointName(name);
  const Result<FileIdentity> identity = IdentifyFile(path);
  if (!identity.ok()) return NoInput(asked, ": ", identity.status().message());
  const bool is_run = identity->kind == FileKind::kRunDirectory;
  if (path != name && is_run) return FindTagged(asked, path, std::string_view(name).substr(path.size() + 1));
  if (path != name) {
    return Error(Code::kBadSpec, asked, ": ", path, " is ", identity->what, ", and behind the name of a run alone '@' ",
                 "chooses a checkpoint");
  }
  if (identity->kind == FileKind::kCheckpoint) return path;
  if (is_run) {
    DF_ASSIGN(const CheckpointStore::Checkpoint newest, Newest(asked, path));
    return newest.directory;
  }
  const bool is_model = identity->kind == FileKind::kSavedModel || identity->kind == FileKind::kProtobuf;
  return Error(Code::kBadSpec, asked, ": this is ", identity->what, ", no checkpoint of dfrun",
               is_model ? ", and the values of its variables are not read; give them one by one by --assign" : "",
               "; a checkpoint is a directory like RUN/checkpoints/step-100, or RUN for its newest, RUN@best, RUN@100");
}

}  // namespace dfrun
