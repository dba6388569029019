-- What a lab knows of cards beside the catalogue, and tiers whose advice refuses.

CREATE TABLE cards (
  name          text PRIMARY KEY CHECK (name <> ''),
  low           bigint NOT NULL CHECK (low >= 0),  -- an hour of one card; 0: not known
  high          bigint NOT NULL CHECK (high = 0 OR high >= low),
  priced_on     text NOT NULL,
  good_for      text NOT NULL,
  observation   text NOT NULL,
  observed_on   text NOT NULL,
  memory_mib    bigint NOT NULL CHECK (memory_mib >= 0),
  fp32_gflops   bigint NOT NULL CHECK (fp32_gflops >= 0),
  fp16_gflops   bigint NOT NULL CHECK (fp16_gflops >= 0),
  bandwidth_gbs bigint NOT NULL CHECK (bandwidth_gbs >= 0),
  power_w       bigint NOT NULL CHECK (power_w >= 0),
  bf16          boolean NOT NULL,
  absent        boolean NOT NULL,
  -- A price or an observation without its day says little.
  CONSTRAINT cards_prices_have_a_day CHECK (low = 0 OR priced_on <> ''),
  CONSTRAINT cards_observations_have_a_day CHECK (observation = '' OR observed_on <> '')
);

ALTER TABLE tiers ADD COLUMN advice_refuses boolean NOT NULL DEFAULT false;
