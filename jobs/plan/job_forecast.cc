#include "jobs/plan/job_forecast.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "jobs/json.h"
#include "jobs/text_table.h"
#include "src/base/counted.h"
#include "src/base/text.h"
#include "src/base/units.h"

namespace dfrun::jobs {
namespace {

// The efficiency below which more ranks are said to be of little use.
constexpr double kGoodEfficiency = 0.8;

double Seconds(const JobForecast& forecast) {
  return forecast.of_step.step.seconds;
}

double Gap(const JobForecast& forecast) {
  const double bound = forecast.of_step.bound.cost;
  return bound > 0 ? std::max(Seconds(forecast) / bound - 1, 0.0) : 0;
}

// The part of the time of a step in which its devices compute, on average and the busiest.
std::pair<double, double> BusyParts(const JobForecast& forecast) {
  double sum = 0;
  double most = 0;
  for (const double busy_s : forecast.of_step.step.busy_s) {
    sum += busy_s;
    most = std::max(most, busy_s);
  }
  const double whole = std::max(Seconds(forecast), 1e-12);
  return {sum / whole / static_cast<double>(std::max<size_t>(forecast.of_step.devices.size(), 1)), most / whole};
}

// How much more the busiest device computes than one on the mean; 1 where none computes.
double Imbalance(const JobForecast& forecast) {
  const auto [mean, most] = BusyParts(forecast);
  return mean > 0 ? most / mean : 1;
}

struct NamedLink {
  std::string_view name;
  int64_t messages = 0;
  int64_t bytes = 0;
};

// The links that carry messages.
std::vector<NamedLink> LinksOf(const JobForecast& forecast) {
  std::vector<NamedLink> links;
  for (const PairClass pair : kPairClasses) {
    const PlacedLinkUse& use = forecast.of_step.step.links[static_cast<size_t>(pair)];
    if (use.messages > 0) links.push_back({PairClassName(pair), use.messages, std::llround(use.bytes)});
  }
  return links;
}

NamedLink AllLinks(const JobForecast& forecast) {
  NamedLink all;
  for (const NamedLink& link : LinksOf(forecast)) {
    all.messages += link.messages;
    all.bytes += link.bytes;
  }
  return all;
}

// "341 us".
std::string TimeText(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds);
}

std::string TextOfOne(const JobForecast& forecast) {
  const StepForecast& of = forecast.of_step;
  std::string text = StrCat("step:   ", TimeText(of.step.seconds));
  if (forecast.replicas_apart > 0) text += StrCat(" for one of each of ", forecast.replicas_apart, " replicas");
  if (forecast.samples > 0)
    text += fmt::format(", {:.0f} samples a second", static_cast<double>(forecast.samples) / of.step.seconds);
  text += StrCat("\nbound:  ", TimeText(of.bound.cost), fmt::format("\ngap:    {:.1f} %", 100 * Gap(forecast)),
                 "\nreason: ", of.bound.reason, "\n");
  const double waits_s = of.step.seconds - of.step.path_tasks_s - of.step.path_messages_s;
  text += StrCat("path:   ", Counted(static_cast<int64_t>(of.step.path.size()), "node"), ", of which ",
                 TimeText(of.step.path_tasks_s), " of nodes and ", TimeText(of.step.path_messages_s), " of messages",
                 waits_s > 1e-9 ? StrCat(", ", TimeText(waits_s), " between them") : "", "\n");
  for (const NamedLink& link : LinksOf(forecast)) {
    text +=
        StrCat("link:   ", link.name, ", ", Counted(link.messages, "message"), " with ", BytesText(link.bytes), "\n");
  }
  const auto [mean, most] = BusyParts(forecast);
  text += fmt::format("busy:   {:.0f} % of the step on the mean of {}, {:.0f} % on the busiest; imbalance {:.2f}\n",
                      100 * mean, Counted(static_cast<int64_t>(of.devices.size()), "device"), 100 * most,
                      Imbalance(forecast));
  for (const std::string& line : forecast.placed) text += line + "\n";
  for (const std::string& line : DescribePlans(forecast.memory)) text += line + "\n";
  for (const std::string& warning : forecast.warnings) text += StrCat("warning: ", warning, "\n");
  for (const auto& [name, count] : of.loops) {
    text += StrCat("loop:   '", name, "', ", count.is_exact ? "" : "at most ", Counted(count.turns, "turn"), "\n");
  }
  if (of.has_loops) text += "note: nodes of other loops, and of both sides of conditionals, count once\n";
  return text;
}

// How much of the speed of the first number of ranks each rank of another has.
double Efficiency(const JobForecast& first, const JobForecast& other) {
  return Seconds(first) * first.ranks / (Seconds(other) * other.ranks);
}

std::string TextOfSeveral(const std::vector<JobForecast>& forecasts) {
  std::vector<std::vector<std::string>> rows = {
      {"ranks", "step", "efficiency", "bound", "gap", "messages", "bytes", "busy", "imbalance"}};
  const JobForecast* weak = nullptr;
  for (const JobForecast& forecast : forecasts) {
    const NamedLink links = AllLinks(forecast);
    const double efficiency = Efficiency(forecasts[0], forecast);
    if (weak == nullptr && efficiency < kGoodEfficiency) weak = &forecast;
    rows.push_back({StrCat(forecast.ranks), TimeText(Seconds(forecast)), fmt::format("{:.2f}", efficiency),
                    TimeText(forecast.of_step.bound.cost), fmt::format("{:.0f} %", 100 * Gap(forecast)),
                    StrCat(links.messages), BytesText(links.bytes),
                    fmt::format("{:.0f} %", 100 * BusyParts(forecast).first),
                    fmt::format("{:.2f}", Imbalance(forecast))});
  }
  std::string text = TextTable(rows);
  if (weak != nullptr)
    text += fmt::format("efficiency falls below {} at {}\n", kGoodEfficiency, Counted(weak->ranks, "rank"));
  return text;
}

std::string JsonOf(const JobForecast& first, const JobForecast& forecast) {
  const StepForecast& of = forecast.of_step;
  const std::string links = Join(LinksOf(forecast), ", ", [](const NamedLink& link) {
    return StrCat(JsonString(std::string(link.name)), ": {\"messages\": ", link.messages, ", \"bytes\": ", link.bytes,
                  "}");
  });
  const std::string loops = Join(of.loops, ", ", [](const auto& loop) {
    return StrCat(JsonString(loop.first), ": {\"turns\": ", loop.second.turns,
                  ", \"is_exact\": ", loop.second.is_exact ? "true" : "false", "}");
  });
  const std::string placement = Join(forecast.placement, ", ", [](const auto& node) {
    return StrCat(JsonString(node.first), ": ", JsonString(node.second));
  });
  return StrCat("{\"ranks\": ", forecast.ranks, ", \"cost\": ", JsonNumber(Seconds(forecast)),
                ", \"bound\": ", JsonNumber(of.bound.cost), ", \"gap\": ", JsonNumber(Gap(forecast)),
                ", \"reason\": ", JsonString(of.bound.reason), ", \"path_nodes_s\": ", JsonNumber(of.step.path_tasks_s),
                ", \"path_messages_s\": ", JsonNumber(of.step.path_messages_s),
                ", \"busy\": ", JsonNumber(BusyParts(forecast).first), ", \"loops\": {", loops,
                "}, \"imbalance\": ", JsonNumber(Imbalance(forecast)),
                ", \"efficiency\": ", JsonNumber(Efficiency(first, forecast)),
                ", \"memory\": ", ToJson(forecast.memory), ", \"links\": {", links, "}, \"placement\": {", placement,
                "}}");
}

}  // namespace

std::string TextOfForecasts(const std::vector<JobForecast>& forecasts) {
  return forecasts.size() == 1 ? TextOfOne(forecasts[0]) : TextOfSeveral(forecasts);
}

std::string JsonOfForecasts(const std::vector<JobForecast>& forecasts) {
  if (forecasts.size() == 1) return JsonOf(forecasts[0], forecasts[0]) + "\n";
  return StrCat("[", Join(forecasts, ",\n ", [&](const JobForecast& f) { return JsonOf(forecasts[0], f); }), "]\n");
}

}  // namespace dfrun::jobs
