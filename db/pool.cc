#include "db/pool.h"

namespace pinka::db {

ReadPool::ReadPool(std::string url, int size) {
  for (int i = 0; i < size; ++i) {
    free_.push_back(std::make_unique<Connection>(url, "session_reads"));
  }
}

ReadPool::~ReadPool() = default;

std::unique_ptr<Connection> ReadPool::Borrow() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !free_.empty(); });
  std::unique_ptr<Connection> connection = std::move(free_.back());
  free_.pop_back();
  return connection;
}

void ReadPool::GiveBack(std::unique_ptr<Connection> connection) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(connection));
  freed_.notify_one();
}

StatusOr<Result> ReadPool::Exec(std::string_view query, const Params& params, Plan plan) {
  std::unique_ptr<Connection> connection = Borrow();
  auto ask = [&] {
    return plan == Plan::kKept ? connection->Exec(query, params)
                               : connection->ExecPlanned(query, params);
  };
  bool was_connected = connection->connected();
  StatusOr<Result> result = ask();
  if (was_connected && absl::IsUnavailable(result.status())) result = ask();
  GiveBack(std::move(connection));
  return result;
}

}  // namespace pinka::db
