package status

// Result is a run's measurement of one [output.force.NAME], whether or not its case expects a value.
type Result struct {
	Output  string  `json:"output"`  // NAME
	File    string  `json:"file"`    // the table
	Samples int64   `json:"samples"` // since start
	Since   float64 `json:"since"`   // start, in the case's unit of time
	Note    string  `json:"note,omitempty"`
	// Numbers are means, and a frequency where there is an oscillation.
	Numbers []Number `json:"numbers,omitempty"`
}

// Number is one quantity of a result.
type Number struct {
	Quantity string `json:"quantity"` // as in [expect.force.NAME], "strouhal" or "frequency"
	Of       string `json:"of,omitempty"`
	Unit     string `json:"unit,omitempty"`
	Meaning  string `json:"meaning,omitempty"`
	// Value is the mean of the samples or, of a Strouhal number or a frequency, the number itself; null where too little was
	// recorded or the series still drifts, of which Note has more; of a frequency Note has how well it is known.
	Value *float64 `json:"value"`
	Half  *float64 `json:"half"` // half the width of the 95 % interval
	Note  string   `json:"note,omitempty"`
}
