#include "agent/record/kept.h"

#include "agent/record/fields.h"

namespace pinka {

std::string Encode(const Kept& kept) {
  Fields f;
  f.AddInt("generations", kept.generations);
  f.AddInt("newest", kept.newest);
  f.AddInt("checkpoint_ms", kept.checkpoint_ms);
  f.AddInt("done", kept.done ? 1 : 0);
  f.Add("message", kept.message);
  return f.Encode("kept");
}

StatusOr<Kept> DecodeKept(std::string_view bytes) {
  StatusOr<Fields> f = Fields::Decode("kept", bytes);
  if (!f.ok()) return f.status();
  Kept kept;
  kept.generations = f->GetInt("generations", 0);
  kept.newest = f->GetInt("newest", -1);
  kept.checkpoint_ms = f->GetInt("checkpoint_ms", 0);
  kept.done = f->GetInt("done", 0) != 0;
  kept.message = f->Get("message");
  return kept;
}

}  // namespace pinka
