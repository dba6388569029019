// All reads of the api: see the headers by noun.
#pragma once

#include "db/pool.h"
#include "db/reads_files.h"
#include "db/reads_jobs.h"
#include "db/reads_lab.h"
#include "db/reads_ledger.h"
#include "db/reads_packages.h"
#include "db/reads_pool.h"
#include "db/reads_statement.h"
#include "db/reads_usage.h"
