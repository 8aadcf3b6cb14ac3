#include "src/job/progress.h"

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "src/base/printable.h"
#include "src/base/terminal.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval(100);
// The first steps take longer than others: a rate is told after so many, or after so many seconds.
constexpr int64_t kStepsOfRate = 20;
constexpr double kSecondsOfRate = 10;

// Prints the results that are numbers.
std::string Print(const JobResults& results) {
  std::string text;
  for (const auto& [name, value] : results.values) {
    if (!IsNumber(value)) continue;
    char number[48];
    std::snprintf(number, sizeof number, "%.6g", ToDouble(value));
    text += "  " + PrintableLine(name) + " " + number;
  }
  return text;
}

std::string PrintDuration(double seconds) {
  char text[48];
  const auto whole = std::lround(seconds);
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
  } else {
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace

Progress::Progress(std::FILE* out, Now now)
    : out_(out),
      now_(now),
      is_terminal_(IsTerminal(out)),
      has_colour_(is_terminal_ && std::getenv("NO_COLOR") == nullptr) {}

// A job goes on though nobody can read how it does, and has not failed for that.
Progress::~Progress() {
  if (IsTaken(out_)) {
    EndUpdatingLine();
    std::fflush(out_);
  }
  std::clearerr(out_);
}

void Progress::EndUpdatingLine() {
  if (updating_) std::fputc('\n', out_);
  updating_ = false;
}

void Progress::Line(const std::string& text) {
  if (!IsTaken(out_)) return;
  EndUpdatingLine();
  std::fprintf(out_, "%s\n", text.c_str());
  std::fflush(out_);
}

void Progress::OnMessage(const std::string& text) {
  Line("dfrun: " + PrintableText(text));
}

void Progress::OnBegin(int64_t step, int64_t /*steps*/) {
  first_step_ = step;
  first_time_ = now_();
}

std::string Progress::PrintRate(int64_t step, int64_t steps, Clock::time_point now) const {
  const double elapsed_s = std::chrono::duration<double>(now - first_time_).count();
  const int64_t done = step - first_step_;
  if (done <= 0 || elapsed_s <= 0 || (done < kStepsOfRate && elapsed_s < kSecondsOfRate)) return "";
  const double rate = static_cast<double>(done) / elapsed_s;
  char number[48];
  std::snprintf(number, sizeof number, rate < 1000 ? "  %.4g steps/s" : "  %.0f steps/s", rate);
  std::string text = number;
  if (step < steps) text += "  " + PrintDuration(static_cast<double>(steps - step) / rate) + " left";
  return text;
}

Status Progress::OnStep(const JobResults& results) {
  const auto [step, steps] = std::pair(results.step, results.steps);
  const Clock::time_point now = now_();
  const bool due =
      now - printed_ >= (is_terminal_ ? Clock::duration(kTerminalInterval) : Clock::duration(kLogInterval));
  if (!due && step != steps) return Status();
  printed_ = now;
  const std::string text = StrCat("step ", step, "/", steps, PrintRate(step, steps, now), Print(results));
  if (!is_terminal_) {
    Line(text);
    return Status();
  }
  if (!IsTaken(out_)) return Status();
  std::fprintf(out_, "\r\x1b[K%s", text.c_str());
  std::fflush(out_);
  updating_ = true;
  return Status();
}

Status Progress::OnEvaluation(const JobResults& results) {
  const char* on = has_colour_ ? "\x1b[1m" : "";
  const char* off = has_colour_ ? "\x1b[0m" : "";
  Line(StrCat(on, "step ", results.step, Print(results), off));
  return Status();
}

}  // namespace dfrun
