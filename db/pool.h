// A few read-only connections that threads borrow for one query at a time. Thread-safe.
//
//   ReadPool pool(url, 4);
//   StatusOr<Result> r = pool.Exec("read_leader", {});
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "db/bind.h"
#include "db/connection.h"

namespace pinka::db {

class ReadPool {
 public:
  // Connects when first used; `size` at least 1.
  ReadPool(std::string url, int size);
  ~ReadPool();

  // Waits for a free connection. One that turns out to be dead is made anew, once.
  // kAnew: planned for these parameters, for queries with optional filters.
  enum class Plan { kKept, kAnew };
  StatusOr<Result> Exec(std::string_view query, const Params& params = {}, Plan plan = Plan::kKept);

  // All rows of a query, as T: anything with a Bind.
  template <class T>
  StatusOr<std::vector<T>> Rows(std::string_view query, const Params& params = {},
                                Plan plan = Plan::kKept) {
    StatusOr<Result> result = Exec(query, params, plan);
    if (!result.ok()) return result.status();
    std::vector<T> rows;
    if (Status status = RowBinder::Read(*result, &rows); !status.ok()) return status;
    return rows;
  }

 private:
  std::unique_ptr<Connection> Borrow();
  void GiveBack(std::unique_ptr<Connection> connection);

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Connection>> free_;
};

}  // namespace pinka::db
