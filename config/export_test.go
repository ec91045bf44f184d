// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package config

// Tables of the case file, for tests from outside.
var Tables = caseLanguage().Tables
