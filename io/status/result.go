// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

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

// ModelledWall is a run's account of one wall of type wall_model: its surface, and the flow there in the last step.
type ModelledWall struct {
	Name     string     `json:"name"`     // [boundary.NAME] or [body.NAME]
	Cells    int        `json:"cells"`    // ghost cells
	Area     float64    `json:"area"`     // in the case's unit
	Without  float64    `json:"without"`  // share of the area without a model
	NoSlip   float64    `json:"no_slip"`  // share of the modelled area where y+ is so small that it is a no-slip wall
	HalfMin  float64    `json:"half_min"` // y+ at half a cell
	HalfMean float64    `json:"half_mean"`
	HalfMax  float64    `json:"half_max"`
	Friction [3]float64 `json:"friction"` // force of the fluid by the law of the wall, in the case's unit
	Share    float64    `json:"share"`    // mean momentum that its links exchange, in parts of the law's; 0: not known, or beyond 0.6 to 1.6, where it is not friction
	Factor   float64    `json:"factor"`   // of the slope of the velocity, which keeps the share at 1; 0: not corrected
}

// Number is one quantity of a result.
type Number struct {
	Quantity string `json:"quantity"` // as in [expect.force.NAME], "strouhal" or "frequency"
	Of       string `json:"of,omitempty"`
	Unit     string `json:"unit,omitempty"`
	Meaning  string `json:"meaning,omitempty"`
	// Value is the mean of the samples or, of a Strouhal number or a frequency, the number itself; null where too little was
	// recorded or the series still drifts, which Note explains; of a frequency Note has its uncertainty.
	Value *float64 `json:"value"`
	Half  *float64 `json:"half"` // half the width of the 95 % interval: of the mean, or of block means if Note says so
	Note  string   `json:"note,omitempty"`
	// Doubt is the kind of the warning in Note: why a frequency may not be the flow's.
	Doubt string `json:"doubt,omitempty"`
}
