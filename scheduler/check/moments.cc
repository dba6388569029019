#include "scheduler/check/moments.h"

#include "fmt/format.h"
#include "scheduler/check/stream.h"

namespace pinka::check {
namespace {

Moment ReadMoment(db::Row& row) {
  Moment m;
  m.at = row.At();
  m.what = static_cast<What>(row.Int());
  m.attempt = {row.Int(), row.Int32(), row.Int32()};
  m.n = row.Int32();
  m.lot = row.Int();
  m.amount = row.Int();
  m.posted = row.Int();
  m.unit_ms = row.Int();
  m.member = row.Int();
  m.project = row.Int();
  m.tier = row.Int();
  m.units = row.Int32();
  m.limit_ms = row.Int();
  m.rate = row.Int();
  m.edited = row.Bool();
  m.asset = row.Int();
  return m;
}

// Tells which lines were certainly drawn when their hold was made.
class Sureness {
 public:
  void Mark(std::span<Moment> instant) {
    for (Moment& m : instant) {
      if (m.what != What::kLine) continue;
      m.sure = m.n == 0 || !m.edited;
      if (!m.sure) unsure_.insert({m.attempt, m.n});
    }
    // After the lines: a hold may be made, cut and released in one instant.
    for (Moment& m : instant) {
      if (m.what == What::kCut) m.sure = !unsure_.contains({m.attempt, m.n});
    }
    for (Moment& m : instant) {
      if (m.what == What::kRelease) m.sure = unsure_.erase({m.attempt, m.n}) == 0;
    }
  }

 private:
  std::set<std::pair<AttemptKey, int32_t>> unsure_;
};

}  // namespace

std::string Text(const AttemptKey& key) {
  return fmt::format("{}_{}.{}", key.job, key.index, key.number);
}

Status ForEachInstant(db::Connection& connection,
                      const std::function<void(std::span<const Moment>)>& instant) {
  Stream stream(connection, "moments");
  Sureness sureness;
  std::vector<Moment> moments;
  const auto flush = [&] {
    if (moments.empty()) return;
    sureness.Mark(moments);
    instant(moments);
    moments.clear();
  };
  while (stream.Next()) {
    const Moment m = ReadMoment(stream.row());
    if (!moments.empty() && moments.front().at != m.at) flush();
    moments.push_back(m);
  }
  flush();
  return stream.status();
}

}  // namespace pinka::check
