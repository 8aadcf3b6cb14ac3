#include "src/plan/step_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/units.h"
#include "src/plan/min_cut.h"

namespace dfrun {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Rounds of the search for the best price of work. Any price gives a bound, so that rounding costs only tightness.
constexpr int kPriceRounds = 60;
// Least cuts are found for so many ranks. One of a rank that is left out would be a bound as well.
constexpr int kMaxCuts = 8;
// No task, unit or rank.
constexpr int kAbsent = -1;

// The work and memory of a unit on the host's devices and on the others, whichever of these are fastest.
struct Choice {
  double host_s = 0;
  double other_s = kInfinity;
  double bytes = 0;
};

// Two classes of devices in place of all: those of the first class, and all others as one. A unit has on the others its
// least work of them. Each placement is one on these two, with no more work and with as much memory, so that a bound
// for two classes is one for all.
struct TwoClasses {
  double hosts = 0;
  double others = 0;
  double other_bytes = 0;
  std::vector<Choice> units;
};

TwoClasses Merge(const StepUnits& step) {
  TwoClasses two;
  two.hosts = step.classes.empty() ? 0 : step.classes[0].devices;
  for (size_t c = 1; c < step.classes.size(); ++c) {
    two.others += step.classes[c].devices;
    two.other_bytes += step.classes[c].bytes;
  }
  for (const StepUnit& unit : step.units) {
    Choice choice{.host_s = unit.seconds[0], .other_s = kInfinity, .bytes = unit.bytes};
    for (size_t c = 1; c < unit.seconds.size(); ++c) choice.other_s = std::min(choice.other_s, unit.seconds[c]);
    two.units.push_back(choice);
  }
  return two;
}

// Weak duality of the linear program that lets a unit be split among devices. Let T be the time of any placement, W_h
// and W_o the work on hosts and others, n_h and n_o the numbers of devices, and M the memory of the others. A device
// does one node at a time, so W_h <= n_h T and W_o <= n_o T. For prices h, o >= 0 with h n_h + o n_o = 1, and p >= 0:
//
//   T >= h W_h + o W_o >= h W_h + o W_o + p (bytes on others - M)
//      = sum over units of (h host_s, or o other_s + p bytes, as it is placed) - p M
//     >= sum over units of min(h host_s, o other_s + p bytes) - p M.
//
// The value is concave in the prices. For fixed h and o the best p is where units, in the order of how much they gain
// by bytes, have filled the memory, as in the fractional knapsack problem (Dantzig, 1957).
double Priced(double price, double seconds) {
  return std::isfinite(seconds) ? price * seconds : kInfinity;
}

double DualValue(const TwoClasses& two, double host_price, double other_price, double* memory_price) {
  std::vector<std::pair<double, double>> gains;  // gain by byte, and bytes
  double wanted_bytes = 0;
  for (const Choice& unit : two.units) {
    const double gain = Priced(host_price, unit.host_s) - Priced(other_price, unit.other_s);
    if (unit.bytes <= 0 || !(gain > 0)) continue;
    wanted_bytes += unit.bytes;
    gains.emplace_back(gain / unit.bytes, unit.bytes);
  }
  double price = 0;
  if (wanted_bytes > two.other_bytes) {
    std::sort(gains.begin(), gains.end(), std::greater<>());
    double filled = 0;
    for (const auto& [gain, bytes] : gains) {
      filled += bytes;
      if (filled <= two.other_bytes) continue;
      price = std::isfinite(gain) ? gain : 0;
      break;
    }
  }
  *memory_price = price;
  double value = price > 0 ? -price * two.other_bytes : 0;
  for (const Choice& unit : two.units) {
    const double least =
        std::min(Priced(host_price, unit.host_s), Priced(other_price, unit.other_s) + price * unit.bytes);
    if (std::isfinite(least)) value += least;
  }
  return value;
}

// The longest chain of tasks by their fastest times, with its first and last task. Tasks in a circle are left out.
struct Chain {
  double seconds = 0;
  int first = kAbsent;
  int last = kAbsent;
};

Chain LongestChain(const StepGraph& step, const std::vector<double>& fastest_s) {
  const auto tasks = static_cast<size_t>(step.num_tasks());
  std::vector<size_t> waits(tasks, 0);
  std::vector<int> ready;
  for (int task = 0; task < step.num_tasks(); ++task) {
    waits[task] = step.InputsOf(task).size();
    if (waits[task] == 0) ready.push_back(task);
  }
  std::vector<double> begins_s(tasks, 0);
  std::vector<int> first(tasks, kAbsent);  // first task of the longest chain to it that takes time
  Chain longest;
  while (!ready.empty()) {
    const int task = ready.back();
    ready.pop_back();
    if (first[task] == kAbsent && fastest_s[task] > 0) first[task] = task;
    const double ends_s = begins_s[task] + fastest_s[task];
    if (ends_s > longest.seconds) longest = {ends_s, first[task], task};
    for (int output = step.first_output[task]; output < step.first_output[task + 1]; ++output) {
      for (const int reader : step.ReadersOf(output)) {
        if (ends_s > begins_s[reader]) {
          begins_s[reader] = ends_s;
          first[reader] = first[task];
        }
        if (--waits[reader] == 0) ready.push_back(reader);
      }
    }
  }
  return longest;
}

// The unit's task that takes longest, by which a unit is named.
int LongestTask(const StepUnits& units, int unit) {
  int longest = kAbsent;
  for (size_t task = 0; task < units.unit_of.size(); ++task) {
    if (units.unit_of[task] != unit) continue;
    if (longest == kAbsent || units.fastest_s[task] > units.fastest_s[longest]) longest = static_cast<int>(task);
  }
  return longest;
}

// The bytes that leave a rank in any placement are at least the least cut between what is bound to it and what is bound
// to others: the nodes on the rank are one side of a cut, and a value that one of them makes and that is read elsewhere
// is sent at least once. The bytes that come to it are a cut the other way round.
double LeastBytes(const StepUnits& step, int rank, bool leave) {
  MinCut cut;
  std::vector<int> vertex;
  for (const StepUnit& unit : step.units) {
    const bool is_source = (unit.rank == rank) == leave;
    vertex.push_back(unit.rank == kAbsent ? cut.AddVertex() : is_source ? MinCut::kSource : MinCut::kSink);
  }
  for (const UnitValue& value : step.values) {
    if (value.bytes <= 0 || vertex[value.from] == MinCut::kSink) continue;
    const int sent = cut.AddVertex();
    cut.AddEdge(vertex[value.from], sent, value.bytes);
    for (const int reader : value.readers) {
      if (vertex[reader] != MinCut::kSource) cut.AddEdge(sent, vertex[reader], kInfinity);
    }
  }
  return cut.Solve();
}

}  // namespace

// Tasks that wait for each other do so wherever they are. A chain of them takes at least the sum of their fastest
// times, without any message.
PlacementBound ChainBound(const StepGraph& step, const StepUnits& units) {
  const Chain chain = LongestChain(step, units.fastest_s);
  std::string reason = "the longest chain of nodes that wait for each other";
  if (chain.last != kAbsent && units.name_of)
    reason += StrCat(", from '", units.name_of(chain.first), "' to '", units.name_of(chain.last), "'");
  return {chain.seconds, reason};
}

// The proof stands above DualValue().
PlacementBound WorkBound(const StepUnits& units) {
  const TwoClasses two = Merge(units);
  if (two.hosts + two.others <= 0) return {};
  const bool memory_binds = two.other_bytes < kInfinity;
  double memory_price = 0;
  const auto value = [&](double other_price) {
    const double host_price = (1 - other_price * two.others) / two.hosts;
    return DualValue(two, std::max(host_price, 0.0), other_price, &memory_price);
  };
  if (two.others <= 0) return {value(0), "all work on all devices"};
  double low = 0;
  double high = 1 / two.others;
  for (int round = 0; round < kPriceRounds; ++round) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (value(a) < value(b) ? low : high) = value(a) < value(b) ? a : b;
  }
  const double best = value((low + high) / 2);
  return {best, memory_binds && memory_price > 0 ? "all work on all devices, within their memory"
                                                 : "all work on all devices"};
}

// A unit is on one device of one class, which does its nodes one after the other.
PlacementBound UnitBound(const StepUnits& units) {
  double most_s = 0;
  int longest = kAbsent;
  for (size_t u = 0; u < units.units.size(); ++u) {
    const std::vector<double>& seconds = units.units[u].seconds;
    const double least_s = *std::min_element(seconds.begin(), seconds.end());
    if (!std::isfinite(least_s) || least_s <= most_s) continue;
    most_s = least_s;
    longest = static_cast<int>(u);
  }
  if (longest == kAbsent) return {};
  const int task = LongestTask(units, longest);
  return {most_s, StrCat("the nodes that share a device with '", units.name_of ? units.name_of(task) : "", "'")};
}

// Bytes that leave a rank, or come to it, take at least their time on all links by which they can.
PlacementBound CutBound(const StepUnits& units) {
  std::set<int> ranks;
  for (const StepUnit& unit : units.units) {
    if (unit.rank != kAbsent) ranks.insert(unit.rank);
  }
  PlacementBound bound;
  if (ranks.size() < 2) return bound;
  int left = kMaxCuts;
  for (const int rank : ranks) {
    if (left-- == 0) break;
    for (const bool leave : {true, false}) {
      const double bandwidth = leave ? units.leaving_bytes_per_s : units.entering_bytes_per_s;
      const double bytes = bandwidth > 0 ? LeastBytes(units, rank, leave) : 0;
      if (bytes <= bound.cost * bandwidth) continue;
      bound = {bytes / bandwidth, StrCat("the ", BytesText(static_cast<int64_t>(bytes)), " that must ",
                                         leave ? "leave" : "come to", " rank ", rank, ", which nodes are bound to")};
    }
  }
  return bound;
}

PlacementBound BoundOfStep(const StepGraph& step, const StepUnits& units) {
  PlacementBound best = WorkBound(units);
  for (PlacementBound& bound :
       std::vector<PlacementBound>{ChainBound(step, units), UnitBound(units), CutBound(units)}) {
    if (bound.cost > best.cost) best = std::move(bound);
  }
  return best;
}

}  // namespace dfrun
