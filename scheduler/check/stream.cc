#include "scheduler/check/stream.h"

namespace pinka::check {

Stream::Stream(db::Connection& connection, const std::string& name)
    : connection_(connection), next_("check_next_" + name) {
  status_ = connection_.Exec("check_open_" + name).status();
}

bool Stream::Fetch() {
  if (!status_.ok() || end_) return false;
  StatusOr<db::Result> result = connection_.Exec(next_);
  if (!result.ok()) {
    status_ = result.status();
    return false;
  }
  result_ = *std::move(result);
  row_.emplace(result_);
  end_ = result_.empty();
  return !end_;
}

bool Stream::Next() {
  if (row_ && row_->Next()) return true;
  return Fetch() && row_->Next();
}

}  // namespace pinka::check
