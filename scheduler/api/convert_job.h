// What the database and the board know of a job, as the message that one caller may see.
#pragma once

#include <string>
#include <vector>

#include "db/reads_jobs.h"
#include "pinka/v1/job.pb.h"
#include "scheduler/api/auth.h"
#include "scheduler/api/openness.h"
#include "scheduler/core/board.h"
#include "scheduler/core/file_set.h"

namespace pinka::api {

// The caller's view of one job: an owner or an admin sees all parts but an admin never the values
// of variables; everybody else what the lab's openness shows.
class View {
 public:
  View(const Principal& who, MemberId owner, Openness openness)
      : own_(who.member == owner), admin_(who.admin), openness_(openness) {}
  bool Sees(JobPart part) const {
    if (own_) return true;
    if (part == JobPart::kEnv) return false;
    return admin_ || OthersMaySee(openness_, part);
  }
  bool own() const { return own_; }

 private:
  bool own_;
  bool admin_;
  Openness openness_;
};

// The line of a list.
void FillJob(const db::JobLine& line, const View& view, const Board& board, v1::Job* out);
// The whole: tasks, attempts, and the payload's parts.
void FillJobDetail(const db::JobDetail& detail, const View& view, const Board& board, v1::Job* out);
// Which generations of each attempt of a filled job are kept.
void FillCheckpoints(const std::vector<FileSetRow>& sets, v1::Job* out);
// argv, names of variables and, with `values`, the variables. Nothing where the bytes are no
// payload.
void FillPayload(const std::string& bytes, const View& view, bool values, v1::Job* out);

// The payload of an old job as the spec of a new one.
bool SpecFromPayload(const std::string& bytes, v1::JobSpec* out);

v1::TaskState::Value ToProto(TaskState state);
v1::AttemptState::Value ToProto(AttemptState state);

}  // namespace pinka::api
