// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package kernels

// #include "cpu.h"
// #include "level_lists.h"
import "C"

import "unsafe"

// StructSizes returns the bytes of each shared struct in Go and in C, for the tests. These are
// outside the package: with tests inside, go test compiles all of the C++ again for them.
func StructSizes() map[string][2]uintptr {
	return map[string][2]uintptr{
		"Pattern":     {unsafe.Sizeof(Pattern{}), C.sizeof_lbm_pattern},
		"Entry":       {unsafe.Sizeof(Entry{}), C.sizeof_lbm_block},
		"Case":        {unsafe.Sizeof(Case{}), C.sizeof_lbm_case},
		"Sums":        {unsafe.Sizeof(Sums{}), C.sizeof_lbm_sums},
		"Links":       {unsafe.Sizeof(Links{}), C.sizeof_lbm_links},
		"Numbers":     {unsafe.Sizeof(Numbers{}), C.sizeof_lbm_numbers},
		"Conversion":  {unsafe.Sizeof(Conversion{}), C.sizeof_lbm_conversion},
		"ScalarWalls": {unsafe.Sizeof(ScalarWalls{}), C.sizeof_lbm_scalar_walls},
	}
}
