// The simulated world's time: what is to happen, ordered by (time, sequence), so that one seed
// gives one history. Nothing happens between events; `now` moves from one to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/random.h"
#include "base/time.h"

namespace pinka::sim {

class EventHeap {
 public:
  explicit EventHeap(Timestamp start) : now_(start) {}
  Timestamp now() const { return now_; }
  bool empty() const { return events_.empty(); }

  void After(Duration span, std::function<void()> what) {
    events_.emplace(std::pair(now_ + span, next_++), std::move(what));
  }
  // The next event; there is one.
  void RunNext() {
    auto event = events_.extract(events_.begin());
    now_ = event.key().first;
    event.mapped()();
  }

 private:
  Timestamp now_;
  uint64_t next_ = 0;
  std::map<std::pair<Timestamp, uint64_t>, std::function<void()>> events_;
};

// What goes wrong, in percent of occasions; all zero once the world has calmed down.
struct Faults {
  int lose = 8;         // a message
  int repeat = 6;       // a message comes twice
  int delay = 15;       // a message takes up to a minute, so that later ones overtake it
  int lost_before = 3;  // a commit
  int lost_after = 3;   // the answer to a commit that landed
  int bad_start = 3;    // a launch that fails
  bool crashes = true;  // of scheduler, agents, supervisors and nodes
};

// Everything that happens by chance, drawn from one seed, with what has happened counted.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  bool Percent(int n) { return random_.Below(100) < static_cast<uint64_t>(n); }
  bool Fault(int percent) {
    if (!Percent(percent)) return false;
    ++count;
    return true;
  }
  int64_t Between(int64_t low, int64_t high) {  // inclusive
    return low + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(high - low + 1)));
  }
  Duration Upto(Duration most) { return Duration::Micros(Between(0, most.micros())); }

  Faults faults;
  int64_t count = 0;  // of faults

 private:
  SeededRandom random_;
};

// A network between two parties: it loses, repeats, delays and so reorders.
class Network {
 public:
  Network(EventHeap& heap, Chance& chance) : heap_(heap), chance_(chance) {}
  void Send(std::function<void()> deliver) {
    if (chance_.Fault(chance_.faults.lose)) return;
    if (chance_.Fault(chance_.faults.repeat)) heap_.After(Travel(), deliver);
    heap_.After(Travel(), std::move(deliver));
  }

 private:
  Duration Travel() {
    const bool slow = chance_.Fault(chance_.faults.delay);
    return Duration::Millis(1) + chance_.Upto(slow ? Duration::Seconds(60) : Duration::Millis(50));
  }

  EventHeap& heap_;
  Chance& chance_;
};

}  // namespace pinka::sim
