// The table of the baseline instruction set.
#include "cpu/isa_baseline.h"
#include "cpu/table.h"
