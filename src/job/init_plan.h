// The variables of a job that `init_from` gives their first values, and those that it does not.
#ifndef DFRUN_SRC_JOB_INIT_PLAN_H_
#define DFRUN_SRC_JOB_INIT_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "src/checkpoint/weights/weight_source.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Thread safety: one thread at a time.
class InitPlan {
 public:
  // kDtypeDiffers: the file's dtype has values that the variable's does not hold.
  enum class Fate { kTaken, kShapeDiffers, kDtypeDiffers, kAbsent, kExcluded, kNew };
  struct Row {
    size_t variable = 0;  // index in JobSpec::variables
    std::string name;
    DType dtype = DType::kInvalid;
    PartialShape shape = {};
    Fate fate = Fate::kAbsent;
    size_t entry = 0;        // index in the entries of the source, where it has the variable
    std::string there = {};  // the entry's name
    DType there_dtype = DType::kInvalid;
    std::string there_type = {};  // where that is no dtype
    Shape there_shape = {};
  };

  // Opens what `init_from` names and finds the variables that the job reads in it; reads no values. `other`: the form
  // of the model for the other mode, or null. NoInput where nothing is there, DataLoss where it is damaged; BadSpec
  // where it has no values, or where a rename does not fit.
  static Result<InitPlan> Make(const JobSpec& job, const Graph& graph, const LoadedSpec* other);

  // "the checkpoint runs/a/checkpoints/step-400".
  const std::string& source() const { return source_->what(); }
  // A row for each variable that the job reads, in the spec's order.
  const std::vector<Row>& rows() const { return rows_; }
  // BadSpec, at the place in the spec, where a variable that shall be taken cannot be; it names the first ten.
  Status CheckWhole() const;
  // A sentence and a table with a line a variable, at most `most` of them. Each line ends with a line feed.
  std::string Table(size_t most) const;
  // The value of a JSON member: an object with the source and an array of the rows.
  std::string ToJson() const;
  // The value that a variable takes, in its own dtype.
  Result<Tensor> Read(size_t variable);

 private:
  InitPlan(std::string where, std::unique_ptr<WeightSource> source)
      : where_(std::move(where)), source_(std::move(source)) {}
  std::string NearestThere(const Row& row) const;

  std::string where_;  // "spec.yaml:9:26: "
  std::unique_ptr<WeightSource> source_;
  std::vector<Row> rows_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_INIT_PLAN_H_
