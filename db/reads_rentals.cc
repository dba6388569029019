#include "db/reads_rentals.h"

#include "db/columns_rentals.h"

namespace pinka::db {

template <class Binder, RowOf<RentalLine> R>
void Bind(Binder& b, R& row) {
  Bind(b, row.row);
  b(row.node);
  b(row.tier);
}

StatusOr<std::vector<RentalLine>> ReadRentals(ReadPool& pool, RentalId one, bool closed_too) {
  Params params;
  params.Int(one.value()).Bool(closed_too);
  return pool.Rows<RentalLine>("list_rentals", params);
}

StatusOr<std::vector<RentalRow>> RentalsBetween(ReadPool& pool, const std::string& provider,
                                                Timestamp from, Timestamp to) {
  Params params;
  params.Text(provider).At(from).At(to);
  return pool.Rows<RentalRow>("rentals_between", params);
}

}  // namespace pinka::db
