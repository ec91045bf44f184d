// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package boundary

// SetGroupsOfPiece changes the number of groups in a piece of an interface and returns the function that restores it.
func SetGroupsOfPiece(n int) (restore func()) {
	was := groupsOfPiece
	groupsOfPiece = n
	return func() { groupsOfPiece = was }
}
