// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package finding

// Warnings of the case file alone.
var (
	MachNumber = add(Kind{"mach_number", Case, "largest velocity of the case over the speed of sound of the lattice", "0.1 (0.3 is refused)",
		"compressibility errors grow with Ma^2: 1 % at 0.1"})
	CellReynolds = add(Kind{"cell_reynolds", Case, "velocity times spacing over viscosity", "by model, see [models](models.md)",
		"gradients may be under-resolved and the run unstable"})
	TauNearHalf = add(Kind{"tau_near_half", Case, "relaxation time", "0.505, by model",
		"grid-scale damping is almost zero"})
	WeakViscosity = add(Kind{"weak_viscosity", Case, "decay per step of a standing wave as long as the domain, in float32 without a viscosity law or an inlet, if tau is below 0.51", "5e-7 (`bgk`), 1e-8 (`trt`), 2.5e-7 (others)",
		"float32 may round away more than 1 % of the viscosity, see [precision](precision.md)"})
	TauLarge = add(Kind{"tau_large", Case, "relaxation time", "2",
		"errors grow with tau^2, and half-way walls shift, except with `trt`"})
	Streaks = add(Kind{"streaks", Case, "tau of a model without bulk viscosity behind a velocity inlet", "by model, see [models](models.md)",
		"streamwise streaks grow in long runs"})
	UniformNoise = add(Kind{"uniform_noise", Case, "velocity in cells per step at the tau and the bulk viscosity of the case", "map of [models](models.md)",
		"noise grows even in uniform flow with this model"})
	OpenFaceTau = add(Kind{"open_face_tau", Case, "tau beside an open face", "by model, see [models](models.md)",
		"the model was unstable beside such a face"})
	Diffusivity = add(Kind{"diffusivity", Case, "relaxation time of the temperature", "0.5015",
		"fronts are almost undamped and overshoot"})
	EddiesWithoutHeat = add(Kind{"eddies_without_heat", Case, "tau with Smagorinsky's eddy viscosity and a temperature", "the largest tau for which the stress gives the eddy viscosity",
		"there is no eddy heat flux"})
	EddyHeatLimit = add(Kind{"eddy_heat_limit", Case, "shear rate up to which Smagorinsky's model has an eddy heat flux, (1 - tau)/(6 C^2), over twice the largest velocity", "1",
		"the stress does not give a larger eddy viscosity, so the heat flux is too small"})
	Boussinesq = add(Kind{"boussinesq", Case, "expansion times the largest temperature difference from the reference, of walls and of the start", "0.3",
		"the Boussinesq approximation is valid for small changes of density"})
	ReferenceFar = add(Kind{"reference_far", Case, "distance of wall temperatures from the reference, times the cells of a face", "digits of the sum of a heat flux",
		"the heat flux loses its digits"})
	StillAir = add(Kind{"still_air", Case, "`expansion` and `gravity` of a temperature", "one of them is 0",
		"temperature differences drive no flow"})
	BelowZero = add(Kind{"below_zero", Case, "lowest temperature in K, of walls and of the start, unless the case gives a reference of 0 K", "0 K",
		"temperatures in degrees Celsius, or differences"})
	DiffusivityFixed = add(Kind{"diffusivity_fixed", Case, "a temperature with a viscosity law", "any",
		"the diffusivity does not follow the viscosity"})
	TurbulencePeriodic = add(Kind{"turbulence_periodic", Case, "width of a periodic domain over `turbulence_length`", "fewest waves that represent the spectrum",
		"waves must fit into the domain"})
	TurbulenceWalled = add(Kind{"turbulence_walled", Case, "width between impermeable faces over `turbulence_length`", "fewest waves that represent the spectrum",
		"waves must fit between the faces; the rms is lower"})
	TurbulenceStrong = add(Kind{"turbulence_strong", Case, "share of the inlet where three times the rms exceeds the mean velocity", "0",
		"fluid leaves through the inlet at times; Taylor's hypothesis does not hold"})
	TurbulenceShort = add(Kind{"turbulence_short", Case, "share of the spectrum in waves too short for the grid", "see [turbulence](turbulence.md)",
		"the remaining waves are amplified and the spectrum is narrower"})
	EveryBelowStep = add(Kind{"every_below_step", Case, "`every` of an output over the time step", "1",
		"it is written at every step"})
	NeverDue = add(Kind{"never_due", Case, "first time at which an output is due", "the last step",
		"it is never written, or only at the start or the end"})
	PeriodicBody = add(Kind{"periodic_body", Case, "bounds of a body across a periodic face", "any overlap",
		"the body is cut there and does not continue on the other side"})
	ManyOutputs = add(Kind{"many_outputs", Case, "files and bytes of an output", "100,000 files, 10 TiB",
		"such folders are slow to list and copy; usually `every` is wrong"})
	ExpressionUnchecked = add(Kind{"expression_unchecked", Case, "points at which an expression may be infinite or not a number", "2^18 evaluated points",
		"not every point was evaluated"})
	UnbalancedTable = add(Kind{"unbalanced_table", Case, "velocity faces with factors from a file and no outlet", "any",
		"the mean density drifts without limit if the fluxes do not balance"})
	ObliqueLift = add(Kind{"oblique_lift", Case, "cosine between `drag_direction` and `lift_direction`", "0.01 (0.99 is refused)",
		"each coefficient contains a part of the other"})
	ThinDomain = add(Kind{"thin_domain", Case, "cells between two no-slip faces", "3",
		"they do not resolve a velocity profile"})
	ReversedInlet = add(Kind{"reversed_inlet", Case, "flux into the domain through the faces of given velocity, where other faces are open and none of them has a temperature or a direction for inflow", "all of it outwards",
		"the flow is reversed and enters through a face meant as outlet"})
	NoThroughflow = add(Kind{"no_throughflow", Case, "normal velocity of a face of given velocity", "0 while the velocity is not",
		"no fluid passes there"})
	OutflowPulsation = add(Kind{"outflow_pulsation", Case, "pressure rho c u' with which an outflow responds to a pulsating inlet, over rho U^2/2", "1",
		"an outflow responds like an infinite duct"})
)

// Warnings that need the shape of every body: in cases with surfaces or images they are checked once
// the files have been read, in `check` and in the run.
var (
	MovesAcross = add(Kind{"moves_across", Files, "fraction of a body's surface that its motion moves out of the body, by more than a voxel where it is an image", "5 %",
		"the body stays in place, so fluid would pass through a surface that the motion displaces"})
	CoveredFace = add(Kind{"covered_face", Files, "share of an open face behind a body", "any",
		"no fluid passes there"})
	SwallowedBody = add(Kind{"swallowed_body", Files, "cells of a body outside all others; of those not replaced by a later body, the cells at the fluid", "0; 0",
		"the body has no effect"})
	ThinBody = add(Kind{"thin_body", Files, "fraction of the lattice links crossing a body that connect two fluid cells; places without a path of 10 cells around it", "5 %; any",
		"a body thinner than the spacing has holes: fluid leaks between its cells. Sharp edges leak 1 to 4 % on every grid"})
	Unresolved = add(Kind{"unresolved_body", Files, "volume and faces of the solid cells, against the surface in one part; fractions of the area with a wall thickness or a gap width below a cell", "5 % and 10 %; 5 %",
		"cells do not resolve the body: forces, gaps and areas are wrong"})
	Porous = add(Kind{"porous", Files, "solid share of the cells of the domain, from a sample of them, and Lambda of the model", "15 %, and 0.02 from 3/16; 0.1 where no body has half-way walls",
		"the wall position depends on the viscosity, and so do permeability and drag"})
	Unalike = add(Kind{"unalike", Files, "axes of a mean over cells, with fields of fluctuations, along which faces or bodies end", "any",
		"the stresses contain the variation of the mean flow"})
	UnresolvedWalls = add(Kind{"unresolved_walls", Files, "cells in the boundary layer of a wall with a force output, and y+ of the first one where it is turbulent, from plate and channel correlations", "4 cells, y+ 5",
		"friction and separation from smooth walls are unreliable"})
	ReferenceValues = add(Kind{"reference_values", Files, "reference velocity of coefficients over the largest of the case; reference area, in 2D length, over the faces, in 2D sides, of the box around the bodies", "a factor of 30; of 10",
		"a unit is wrong, and coefficients are far outside the range of any body"})
	CutWake = add(Kind{"cut_wake", Files, "distance from a body to an outlet or its sponge in body heights, from Re 20 on", "4; 2 for a body narrower than its stream",
		"vortex shedding stops at 1.5 diameters and is 7 % slow at 2, 4 % at 2.5, 1 % at 3.5 (cylinder, Re 100)"})
	PlaneWake = add(Kind{"plane_wake", Files, "Reynolds number, based on height, of a 2D body with a force output, at most twice as long as high", "200",
		"wakes of bluff bodies are three-dimensional above 160 to 190, and 2D overestimates their forces"})
	TableMach = add(Kind{"table_mach", Files, "Mach number with the largest factor of a boundary's files", "0.1 (0.3 is refused)",
		"compressibility errors grow with Ma^2"})
	Repaired = add(Kind{"repaired", Files, "triangles added by `repair = true`", "any",
		"the computed surface differs from the file"})
	DiskSpace = add(Kind{"disk_space", Files, "bytes of all outputs over the free space of the disk", "1",
		"the run would end when the disk is full"})
	FlowTime = add(Kind{"flow_time", Files, "ramps, tables, turbulence and expressions of time with `[initial] from`", "any, with a flow of a step above 0",
		"time starts at 0: they start over while the flow does not"})
	FlowBodies = add(Kind{"flow_bodies", Files, "keys of `[body]` that differ from the case of `[initial] from`", "any",
		"fluid cells that were solid start from extrapolated values, or at rest"})
	FlowCoverage = add(Kind{"flow_coverage", Files, "share of the domain that the box of `[initial] from` covers", "100 %",
		"the rest starts from the nearest values, or from `[initial]`"})
	FlowSeam = add(Kind{"flow_seam", Files, "length of a periodic axis over its length in the run of `[initial] from`", "a whole number",
		"the initial flow has a jump where its periods do not fit"})
	FlowUnits = add(Kind{"flow_units", Files, "units of this case and of the case of `[initial] from`", "SI and lattice units",
		"lengths and velocities are related by characteristic numbers only"})
	FlowPassedOver = add(Kind{"flow_passed_over", Files, "newer checkpoints in the folder of `[initial] from` that cannot be read", "any",
		"the run starts from an earlier step"})
	FlowReplaced = add(Kind{"flow_replaced", Files, "a flow of `[initial] from` in the output folder of the case", "any (the run is refused)",
		"the run would replace it"})
	FlowRest = add(Kind{"flow_rest", Start, "fluid cells more than a cell inside a former solid of `[initial] from`", "1",
		"they start at rest"})
)

// Warnings of the start of a run.
var (
	CurvedModel = add(Kind{"curved_model", Start, "share of the area of a wall of type wall_model with a radius of curvature below 40 cells", "20 %",
		"the pressure beside curved surfaces is uncertain, and the friction of bodies has not been validated"})
	UnmodelledWall = add(Kind{"unmodelled_wall", Start, "share of the area of a wall of type wall_model that has no model: at edges; in gaps and corners, or without fluid to interpolate in", "30 %; 5 %",
		"there it is a no-slip wall on a grid that does not resolve it"})
	IdleCores = add(Kind{"idle_cores", Start, "threads of the ranks on a node over its cores", "1, and half",
		"cores idle, or threads share cores"})
	DeviceChoice = add(Kind{"device_choice", Start, "device of `device = \"auto\"`", "none",
		"a GPU was found but is not used, or the build has no kernels for the best instruction set"})
	FlagUnused = add(Kind{"flag_unused", Start, "command-line options of another device", "any",
		"the option has no effect"})
	RequeueBlind = add(Kind{"requeue_blind", Start, "`--requeue-self` without `wall_time` and with `end_margin = \"off\"`", "any",
		"a job killed before its checkpoint is on disk is not requeued"})
	HostSums = add(Kind{"host_sums", Start, "statistics that the device cannot sum", "any",
		"they are summed on the host, which is slower"})
	OutputWaits = add(Kind{"output_waits", Start, "memory for asynchronous output", "any that is missing",
		"steps wait for every output of fields"})
	EmptySpectrum = add(Kind{"empty_spectrum", Start, "lines of a spectrum without a solid cell", "0",
		"the spectrum is NaN there"})
	NoWall = add(Kind{"no_wall", Start, "cells beside no-slip walls among the cells of a probe, line or expectation of a field at walls, such as `wall_shear_stress`", "0",
		"the stress is 0 in all other cells"})
	DrySurface = add(Kind{"dry_surface", Start, "triangles of an `[output.surface.NAME]` without fluid, or without the wall model, before them", "any",
		"their values are NaN and missing in surface integrals"})
	OldFiles = add(Kind{"old_files", Start, "files with a different layout in the folder", "any",
		"animations jump where the new files start"})
	InputCopy = add(Kind{"input_copy", Start, "copies of input files in the output folder", "any that fails",
		"`lbmsim reproduce` cannot repeat the run"})
	StaleOrder = add(Kind{"stale_order", Start, "files `*.now` from before the start", "any",
		"they are removed and ignored"})
	CheckpointPassed = add(Kind{"checkpoint_passed", Start, "checkpoints that cannot be used", "any",
		"an older one is used"})
	NothingLeft = add(Kind{"nothing_left", Start, "step of the checkpoint over the last step", "1",
		"no step is left to compute"})
	IndexRebuilt = add(Kind{"index_rebuilt", Start, "index of a series of files, and the files that it is rebuilt from", "any damage",
		"readers find the files through it; unreadable files are skipped"})
	TableRestarted = add(Kind{"table_restarted", Start, "header and rows of a table against the checkpoint", "any difference",
		"the old table is kept under another name and a new one starts"})
	WallsRestarted = add(Kind{"walls_restarted", Start, "groups of walls with a model, and densities of bodies, against an older checkpoint", "any difference",
		"the corrections of friction and mass start over, and forces adjust for some thousand steps"})
)

// Warnings while a run computes.
var (
	DensityDrift = add(Kind{"density_drift", Run, "drift of the mean density since the start, beyond the effect of face pressures and the weight of the fluid", "`warn_density_drift` = 1 %",
		"unbalanced fluxes, or a closed outlet"})
	StartMass = add(Kind{"start_mass", Run, "the same drift, if acoustic waves of the start explain it: at the end of the run, and after a `start` of means", "`warn_density_drift` = 1 %",
		"a start from rest between open faces fills the domain with a wave of the density Ma rho, which outlets reflect: forces and means contain its pressure"})
	Speed = add(Kind{"speed", Run, "largest speed over the largest velocity of the case", "`warn_speed` = 2",
		"an oscillation, noise, or a narrow passage"})
	GridScale = add(Kind{"grid_scale", Run, "grid-scale fraction of the kinetic energy, except rounding; not for a flow that has decayed below a thousandth of the largest speed of the run", "`warn_grid_scale` = 0.02",
		"the flow is noisy or under-resolved"})
	InflowTemperature = add(Kind{"inflow_temperature", Run, "inflow as a fraction of the flow through a face of type `pressure` or `outflow` without a `temperature`", "`warn_inflow` = 0.01",
		"fluid enters with the temperature of the adjacent cells"})
	InflowDirection = add(Kind{"inflow_direction", Run, "the same fraction of a face of type `pressure` without a `direction`, if most of it enters at more than 45 degrees from the normal", "`warn_inflow` = 0.01",
		"fluid enters with the tangential velocity of the adjacent cells"})
	Overshoot = add(Kind{"temperature", Run, "overshoot of the temperature over the imposed range", "`warn_temperature` = 0.5",
		"fronts are under-resolved"})
	Unstable = add(Kind{"unstable", Run, "values that are not finite", "any",
		"the run is recomputed to find the first bad cell"})
	NoSamples = add(Kind{"no_samples", Run, "samples of an average when it is written", "0",
		"there is nothing to write yet"})
	FileSkipped = add(Kind{"file_skipped", Run, "files that could not be written, with `on_error = \"go_on\"`", "any",
		"the run continues without the file"})
	RowsWait = add(Kind{"rows_wait", Run, "rows of tables that cannot be written", "any",
		"they are kept in memory"})
	TableUncut = add(Kind{"table_uncut", Run, "rows of tables after the first bad step of an unstable run", "any that stay on disk",
		"their state is already wrong"})
	FileSlow = add(Kind{"file_slow", Run, "time for which a rank waits for the disk", "30 s, then doubling",
		"the disk may hang"})
	NoCheckpoint = add(Kind{"no_checkpoint", Run, "requested checkpoint without [checkpoint]", "any",
		"none is written"})
	NoPicture = add(Kind{"no_picture", Run, "requested picture without [output.picture] or [output.view.NAME]", "any",
		"none is written"})
	NoAverages = add(Kind{"no_averages", Run, "requested restart of averages in the last step, or without an output that has averages", "any",
		"nothing is discarded"})
	AveragesRestarted = add(Kind{"averages_restarted", Run, "orders to restart averages", "any",
		"means of the whole run do not include the earlier samples"})
	StatusUnwritten = add(Kind{"status_unwritten", Run, "writes of status.json that fail", "any",
		"`lbmsim status` shows an old state"})
)

// Warnings of the end of a run.
var (
	WeakOscillation = add(Kind{"weak_oscillation", End, "amplitude of a series with a requested frequency, over its largest value", "1e-4",
		"the frequency may come from rounding or acoustic waves"})
	UnconfirmedFrequency = add(Kind{"unconfirmed_frequency", End, "frequency of the counted oscillations of a series over the peak of its spectrum, which is the reported value", "10 %",
		"some oscillations are weak, or noise, acoustic waves or another frequency interfere"})
	StandingSound = add(Kind{"standing_sound", End, "frequency of a force against c/(2L) n, n up to 3, of each two faces that reflect sound (c/(4L) (2n-1) where one gives the pressure, c/L n where periodic)", "equal within half the resolution of the spectrum, or 2 %",
		"sound in the domain oscillates, not the wake"})
	BuriedOscillation = add(Kind{"buried_oscillation", End, "variance of a force by the peak of its spectrum, over all since start", "10 %",
		"noise or a transient is larger than the oscillation"})
	CoefficientSize = add(Kind{"coefficient_size", End, "mean coefficients of drag and lift, by the Reynolds number of their reference values", "1000, and 1000/Re below Re 1",
		"the reference velocity or size has a wrong unit"})
	ModelledPlus = add(Kind{"modelled_plus", End, "y+ at which a wall of type wall_model reads the velocity, over its area, in the last step", "30 over half of it",
		"the law of the wall is read in the buffer layer, where a finer grid needs no model"})
	NotConverged = add(Kind{"not_converged", End, "[run] stop_when at the last step", "not met",
		"the means are less certain than requested"})
)
