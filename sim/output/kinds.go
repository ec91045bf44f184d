package output

// kinds are what a case can ask for. Checkpoints come last, so that they hold the rows of
// their own step; at the end of a run Set.Last turns that round.
func kinds() []func(*Set) []Output {
	return []func(*Set) []Output{
		probeOutputs, lineOutputs, forceOutputs, seriesOutputs, planeOutputs, profileSumsOutputs, profileOutputs, spectrumSumsOutputs, spectrumOutputs,
		averageSums, fieldOutputs, averageOutputs, pictureOutputs, checkpointOutputs,
	}
}
