// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

import "lbmsim/config/language"

// TauText writes a relaxation time: close to 1/2 its distance from there, since five digits hide what matters.
func TauText(tau float64) string {
	if tau-0.5 < 1e-4 {
		return "1/2 + " + language.Short(tau-0.5)
	}
	return language.Short(tau)
}
