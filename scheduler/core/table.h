// A table of rows in memory that remembers which rows a batch touched, so that each is written
// once, in its final form.
//
//   Table<JobId, JobRow> jobs;   // KeyOf(row) is found by argument-dependent lookup
//   jobs.Edit(id).state = …;     // touched
//   jobs.Drop(id);               // leaves memory, stays in the database
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"

namespace pinka {

template <class Key, class Row>
class Table {
 public:
  const Row* Find(const Key& key) const {
    auto it = rows_.find(key);
    return it == rows_.end() ? nullptr : &it->second;
  }
  const Row& Get(const Key& key) const {
    const Row* row = Find(key);
    PINKA_CHECK(row != nullptr, "no such row");
    return *row;
  }
  // The row, marked as touched. It must exist.
  Row& Edit(const Key& key) {
    auto it = rows_.find(key);
    PINKA_CHECK(it != rows_.end(), "no such row");
    touched_.insert(key);
    return it->second;
  }
  // Inserts or replaces, marked as touched.
  Row& Put(const Key& key, Row row) {
    touched_.insert(key);
    return rows_.insert_or_assign(key, std::move(row)).first->second;
  }
  // At load: not touched.
  void Load(const Key& key, Row row) { rows_.insert_or_assign(key, std::move(row)); }
  // A row that was touched in this batch may not be dropped in it: the write would be lost.
  void Drop(const Key& key) {
    PINKA_CHECK(!touched_.contains(key), "a touched row may not be dropped");
    rows_.erase(key);
  }
  bool Touched(const Key& key) const { return touched_.contains(key); }
  size_t touched() const { return touched_.size(); }
  std::vector<Row> TakeTouched() {
    std::vector<Row> out;
    out.reserve(touched_.size());
    for (const Key& key : touched_) out.push_back(rows_.at(key));
    touched_.clear();
    return out;
  }
  const std::map<Key, Row>& rows() const { return rows_; }

 private:
  std::map<Key, Row> rows_;
  std::set<Key> touched_;
};

}  // namespace pinka
