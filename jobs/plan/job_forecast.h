// The forecast of a job on a number of ranks, and its forms for people and programs.
#ifndef DFRUN_JOBS_PLAN_JOB_FORECAST_H_
#define DFRUN_JOBS_PLAN_JOB_FORECAST_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/plan/device_memory.h"
#include "jobs/plan/step_forecast.h"

namespace dfrun::jobs {

struct JobForecast {
  int ranks = 0;
  StepForecast of_step;
  std::map<std::string, std::string> placement;  // device by node, for programs
  std::vector<std::string> placed;               // lines for people
  std::vector<DeviceMemoryPlan> memory;
  std::vector<std::string> warnings;
  int64_t samples = 0;     // samples of a step; 0: not known
  int replicas_apart = 0;  // replicas that run for themselves; a step is then one of each
};

// The text of at least one forecast: of several a table, with their efficiencies beside the first.
// Thread safety: functions without state.
std::string TextOfForecasts(const std::vector<JobForecast>& forecasts);
// A JSON object of one forecast, an array of several.
std::string JsonOfForecasts(const std::vector<JobForecast>& forecasts);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_JOB_FORECAST_H_
