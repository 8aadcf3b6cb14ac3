// The page of TensorBoard's plugin "custom_scalars" that a run brings along: loss, accuracy, speed, ranks.
#ifndef DFRUN_SRC_EVENTS_SCALAR_LAYOUT_H_
#define DFRUN_SRC_EVENTS_SCALAR_LAYOUT_H_

#include <string>
#include <vector>

namespace dfrun {

// The Summary with the page of these scalars. `qualities`: tags that tell how good the model is, beside its loss.
// `others`: the further tags of the training; X/min, X/mean and X/max among them, which ranks differ in, are one chart
// of X with its margin.
std::string ScalarLayoutSummary(const std::vector<std::string>& qualities, const std::vector<std::string>& others);

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_SCALAR_LAYOUT_H_
