#include "src/job/step_metrics.h"

#include <algorithm>
#include <cmath>

#include "src/spec/schedule.h"

namespace dfrun {
namespace {

// Digits beyond these are noise.
constexpr double kShareDigits = 1e6;
constexpr double kRateDigits = 1e3;

double Rounded(double value, double digits) {
  return std::round(value * digits) / digits;
}

const InputSpec* InputOf(const JobSpec& job) {
  return job.train && job.train->input >= 0 ? &job.inputs[static_cast<size_t>(job.train->input)] : nullptr;
}

}  // namespace

StepMetrics::StepMetrics(const JobSpec& job, std::vector<std::string> fetched, DType rate, Now now)
    : train_(job.train ? &*job.train : nullptr),
      input_(InputOf(job)),
      fetched_(std::move(fetched)),
      rate_(rate),
      now_(now) {}

void StepMetrics::Begin(int64_t step, int64_t samples, std::vector<WaitedTime> waited) {
  first_step_ = logged_step_ = step;
  first_samples_ = samples;
  waited_ = std::move(waited);
}

void StepMetrics::Log(int64_t step, std::vector<WaitedTime> waited) {
  if (train_ == nullptr) return;
  schedule_.clear();
  timings_.clear();
  AddSchedule(step);
  AddRate(step);
  AddWaiting(waited);
  logged_step_ = step;
  steps_time_ = {};
  if (!waited.empty()) waited_ = std::move(waited);
}

void StepMetrics::Add(NamedTensors& to, const char* name, const Tensor& value) const {
  if (std::find(fetched_.begin(), fetched_.end(), name) == fetched_.end()) to.emplace_back(name, value);
}

void StepMetrics::AddSchedule(int64_t step) {
  if (input_ != nullptr) {
    const int64_t samples = first_samples_ + (step - first_step_) * input_->batch;
    Add(schedule_, "epoch", Tensor::Scalar(static_cast<double>(samples) / static_cast<double>(input_->num_samples)));
  }
  const double rate = LearningRateAt(train_->learning_rate, step - 1);
  Add(schedule_, "learning_rate",
      rate_ == DType::kDouble ? Tensor::Scalar(rate) : Tensor::Scalar(static_cast<float>(rate)));
}

void StepMetrics::AddRate(int64_t step) {
  const double seconds = std::chrono::duration<double>(steps_time_).count();
  if (input_ == nullptr || seconds <= 0) return;
  const auto samples = static_cast<double>((step - logged_step_) * input_->batch);
  Add(timings_, "samples_per_s", Tensor::Scalar(Rounded(samples / seconds, kRateDigits)));
}

void StepMetrics::AddWaiting(const std::vector<WaitedTime>& waited) {
  std::vector<double> shares;
  for (size_t rank = 0; rank < std::min(waited.size(), waited_.size()); ++rank) {
    const int64_t time_ns = waited[rank].clock_ns - waited_[rank].clock_ns;
    if (waited_[rank].clock_ns == 0 || time_ns <= 0) continue;
    const auto waited_ns = static_cast<double>(waited[rank].waited_ns - waited_[rank].waited_ns);
    shares.push_back(std::clamp(waited_ns / static_cast<double>(time_ns), 0.0, 1.0));
  }
  if (shares.empty()) return;
  double sum = 0;
  for (const double share : shares) sum += share;
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  const auto add = [&](const char* name, double share) {
    Add(timings_, name, Tensor::Scalar(Rounded(share, kShareDigits)));
  };
  add("waiting/min", *least);
  add("waiting/mean", sum / static_cast<double>(shares.size()));
  add("waiting/max", *most);
}

}  // namespace dfrun
