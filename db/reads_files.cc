#include "db/reads_files.h"

#include "db/columns_jobs.h"

namespace pinka::db {

namespace {
struct Number {
  int64_t value = 0;
};
struct Text {
  std::string value;
};
}  // namespace

template <class Binder, RowOf<Number> R>
void Bind(Binder& b, R& row) {
  b(row.value);
}
template <class Binder, RowOf<Text> R>
void Bind(Binder& b, R& row) {
  b(row.value);
}

StatusOr<std::vector<FileSetRow>> FileSetsOf(ReadPool& pool, JobId job,
                                             std::optional<int32_t> index) {
  Params params;
  params.Int(job.value()).Int32(index.value_or(-1));
  return pool.Rows<FileSetRow>("file_sets_of", params);
}

StatusOr<std::optional<FileSetRow>> NewestCheckpoint(ReadPool& pool, const TaskId& task) {
  Params params;
  params.Int(task.job.value()).Int32(task.index);
  auto rows = pool.Rows<FileSetRow>("newest_checkpoint", params);
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

StatusOr<int64_t> BytesKeptOfOwner(ReadPool& pool, JobId job) {
  Params params;
  params.Int(job.value());
  auto rows = pool.Rows<Number>("bytes_kept_of", params);
  if (!rows.ok()) return rows.status();
  return rows->empty() ? 0 : rows->front().value;
}

StatusOr<std::vector<std::string>> LiveTrees(ReadPool& pool, Timestamp now) {
  Params params;
  params.At(now);
  auto rows = pool.Rows<Text>("live_trees", params);
  if (!rows.ok()) return rows.status();
  std::vector<std::string> roots;
  for (Text& row : *rows) roots.push_back(std::move(row.value));
  return roots;
}

}  // namespace pinka::db
