// Suggests the known word that an unknown one is like.
#ifndef DFRUN_SRC_SPEC_SCHEMA_NEAR_KEY_H_
#define DFRUN_SRC_SPEC_SCHEMA_NEAR_KEY_H_

#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// Finds the candidate that another program may call `text`: with words more or less (batch_size, batch), or with its
// initials (lr, learning_rate). Empty if there is none.
std::string KeyOfWords(std::string_view text, const std::vector<std::string>& candidates);

// Returns ", did you mean 'near'?", or nothing if no candidate is near. Says which character of the text is none that
// one writes.
std::string DidYouMean(std::string_view text, const std::vector<std::string>& candidates);

// Suggests a key as DidYouMean() does, and by KeyOfWords() where none is near by its letters.
std::string DidYouMeanKey(std::string_view text, const std::vector<std::string>& known);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_NEAR_KEY_H_
