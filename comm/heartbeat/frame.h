// What travels between two ranks that watch each other: frames of a fixed head and a payload, in this machine's byte
// order, for all ranks run one build.
#ifndef DFRUN_COMM_HEARTBEAT_FRAME_H_
#define DFRUN_COMM_HEARTBEAT_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace dfrun::comm {

enum class FrameType : uint8_t {
  kHello = 1,    // first on a connection, by both ends: the token
  kBeat = 2,     // the sender lives: how late its thread was woken lately, in ms
  kBye = 3,      // the sender leaves in order
  kSuspect = 4,  // to all: the origin hears nothing of this rank; who is it answers
  kDead = 5,     // to all: this rank is dead, and what was seen of it
  kAsk = 6,      // to all: a question of rank 0
  kRequest = 7,  // to all, for rank 0: ask
  kEnd = 8,      // to all: the origin ends the job with this exit code
  kAlive = 9,    // to the origin of a kSuspect
  kAnswer = 10   // to the origin of a kAsk
};

// Random, of rank 0: who does not have it is no rank of this job.
using Token = std::array<char, 16>;

struct FrameHead {
  uint32_t bytes = 0;  // of the payload
  uint8_t type = 0;
  uint8_t version = 1;
  uint16_t magic = 0x6466;
  int32_t rank = 0;    // that sends it
  int32_t origin = 0;  // that began it; of an answer, that asked
  uint64_t epoch = 0;
  uint64_t sequence = 0;  // of what is to all: the origin's count
};
static_assert(sizeof(FrameHead) == 32);

struct Frame {
  FrameHead head;
  std::string payload;

  FrameType type() const { return static_cast<FrameType>(head.type); }
  // "to all": each rank hands it on once.
  bool is_to_all() const { return type() >= FrameType::kSuspect && type() <= FrameType::kEnd; }
  bool is_answer() const { return type() == FrameType::kAlive || type() == FrameType::kAnswer; }
  std::string Encode() const;
};

// No frame is longer: who claims more is cut off.
constexpr size_t kMaxPayload = size_t{4} << 20;
constexpr size_t kHelloBytes = sizeof(FrameHead) + sizeof(Token);

// Takes the first whole frame out of `bytes`; nothing where there is none yet. `is_sound` becomes false where what is
// there is no frame.
std::optional<Frame> TakeFrame(std::string& bytes, bool* is_sound);

// A payload that is a T and then text.
template <class T>
std::string Pack(const T& value, std::string_view text = {}) {
  std::string payload(sizeof(T), '\0');
  std::memcpy(payload.data(), &value, sizeof(T));
  return payload.append(text);
}
// The T at the payload's beginning, which is taken off; zero where it is too short.
template <class T>
T Unpack(std::string_view* payload) {
  T value{};
  if (payload->size() >= sizeof(T)) {
    std::memcpy(&value, payload->data(), sizeof(T));
    payload->remove_prefix(sizeof(T));
  }
  return value;
}

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_FRAME_H_
