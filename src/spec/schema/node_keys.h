// The keys of a node that is written as a mapping; those of an op's attrs and inputs are the op's.
#ifndef DFRUN_SRC_SPEC_SCHEMA_NODE_KEYS_H_
#define DFRUN_SRC_SPEC_SCHEMA_NODE_KEYS_H_

#include <vector>

#include "src/spec/schema/key_def.h"

namespace dfrun {

// The keys of every node.
const std::vector<KeyDef>& NodeKeys();

// Further keys of the forms that the language itself reads.
const std::vector<KeyDef>& VariableKeys();
const std::vector<KeyDef>& CondKeys();
const std::vector<KeyDef>& WhileKeys();

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_NODE_KEYS_H_
