-- The most memory of a card that an attempt was seen to use; of several cards, of the fullest.
ALTER TABLE attempts ADD COLUMN peak_gpu_memory bigint NOT NULL DEFAULT 0
  CHECK (peak_gpu_memory >= 0);
