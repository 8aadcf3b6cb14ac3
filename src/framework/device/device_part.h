// Parts of the program that bring types of devices: libraries beside the program's own that register devices and their
// kernels where they are loaded, so that one program serves hosts with such hardware and hosts without.
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_PART_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_PART_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/registry.h"
#include "src/base/status.h"
#include "src/framework/device/device_report.h"

namespace dfrun {

// Loads the parts libdfrun_*.so of the folder that the environment variable DFRUN_DEVICE_PARTS names, else of the
// folder of the library with this function. Call it before main() asks a registry. An error names the part and has the
// loader's text.
Status LoadDeviceParts();

// A function by which a part reports on itself and on its findings on this host: lines of a word and a text.
using PartReport = std::vector<std::pair<std::string, std::string>> (*)();
Registry<PartReport>& PartReports();

namespace internal {
struct PartReportRegistration {
  PartReportRegistration(std::string part, PartReport report) { PartReports().Add(std::move(part), report); }
};
}  // namespace internal

// A function by which a part surveys this host without taking a device into use: devices by their descriptions, the
// reason why there is none of a type, and warnings. It serves commands that start no job.
using PartSurvey = DevicesReport (*)();
Registry<PartSurvey>& PartSurveys();

namespace internal {
struct PartSurveyRegistration {
  PartSurveyRegistration(std::string part, PartSurvey survey) { PartSurveys().Add(std::move(part), survey); }
};
}  // namespace internal

#define DEVICE_PART_SURVEY(part, survey)                                                                           \
  [[maybe_unused]] static const ::dfrun::internal::PartSurveyRegistration DF_CONCAT(df_part_survey_, __COUNTER__)( \
      part, survey)

#define DEVICE_PART_REPORT(part, report)                                                                           \
  [[maybe_unused]] static const ::dfrun::internal::PartReportRegistration DF_CONCAT(df_part_report_, __COUNTER__)( \
      part, report)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_PART_H_
