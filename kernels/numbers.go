package kernels

// Numbers is what the kernels of all devices are told of a step beside the state
// (lbm_numbers of numbers.h; a test holds the two equal).
type Numbers struct {
	Omega, OmegaMinus float64
	Force             [3]float64
	Lambda, OmegaBulk float64
	Law               [4]float64
	// Of a scalar.
	ScalarKeep, ScalarTau, ScalarEddy float64
	Buoyancy                          [3]float64
	Model, Kind                       int32 // numbers in model.Collisions and model.ViscosityLaws
}
