// The frames that two ranks exchange when they watch each other: a fixed head and a payload. Integers are in this
// machine's byte order, since all ranks run one build.
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
  kHello = 1,  // first frame of a connection, from both ends: the token
  kBeat = 2,   // the sender lives; carries how late its thread was woken lately, in ms, and the thread's HostThread
  kBye = 3,    // the sender leaves in order
  // To all: the origin has not heard from this rank, whose HostThread it carries; the rank answers, and ranks that see
  // the thread
  kSuspect = 4,
  kDead = 5,     // to all: this rank is dead; carries what was observed
  kAsk = 6,      // to all: a question of rank 0
  kRequest = 7,  // to all, for rank 0: requests that rank 0 asks
  kEnd = 8,      // to all: the origin ends the job with this exit code
  kAlive = 9,    // to the origin of a kSuspect: the suspected rank lives
  kAnswer = 10,  // to the origin of a kAsk: the answer
  kSeen = 11     // to the origin of a kSuspect: the state of the rank's thread, which a rank of its host has read
};

// A random token that rank 0 chooses. A connection that does not have it does not belong to this job.
using Token = std::array<char, 16>;

struct FrameHead {
  uint32_t bytes = 0;  // size of the payload
  uint8_t type = 0;
  uint8_t version = 1;
  uint16_t magic = 0x6466;
  int32_t rank = 0;    // rank that sends the frame
  int32_t origin = 0;  // rank that began it; in an answer, the rank that asked
  uint64_t epoch = 0;
  uint64_t sequence = 0;  // the origin's count of its frames to all; 0 for other frames
};
static_assert(sizeof(FrameHead) == 32);

struct Frame {
  FrameHead head;
  std::string payload;

  FrameType type() const { return static_cast<FrameType>(head.type); }
  // Returns whether each rank forwards the frame once, so that it reaches all.
  bool is_to_all() const { return type() >= FrameType::kSuspect && type() <= FrameType::kEnd; }
  bool is_answer() const { return type() >= FrameType::kAlive && type() <= FrameType::kSeen; }
  std::string Encode() const;
};

// Limit of a payload: a connection that claims more is closed.
constexpr size_t kMaxPayload = size_t{4} << 20;
constexpr size_t kHelloBytes = sizeof(FrameHead) + sizeof(Token);

// Removes the first whole frame from `bytes` and returns it; nullopt if it has not arrived whole yet. Sets `is_sound`
// to false if the bytes are no frame.
std::optional<Frame> TakeFrame(std::string& bytes, bool* is_sound);

// Returns a payload: the bytes of `value`, then text.
template <class T>
std::string Pack(const T& value, std::string_view text = {}) {
  std::string payload(sizeof(T), '\0');
  std::memcpy(payload.data(), &value, sizeof(T));
  return payload.append(text);
}
// Removes a T from the beginning of the payload and returns it; returns a zero T if the payload is too short.
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
