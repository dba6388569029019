ALTER TABLE attempts DROP COLUMN peak_gpu_memory;
