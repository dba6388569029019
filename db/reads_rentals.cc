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

}  // namespace pinka::db
