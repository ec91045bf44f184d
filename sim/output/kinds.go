// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

// kinds returns the constructors of all outputs. A constructor of statistics gives the sums to the outputs that write them.
// Checkpoints come last, so that they count the rows of their own step; at the end of a run Set.Last reverses that.
func kinds() []func(*Set) []Output {
	return []func(*Set) []Output{
		probeOutputs, lineOutputs, forceOutputs, seriesOutputs, planeOutputs, surfaceOutputs, profileOutputs, spectrumOutputs,
		averageOutputs, fieldOutputs, pictureOutputs, viewOutputs, checkpointOutputs,
	}
}
