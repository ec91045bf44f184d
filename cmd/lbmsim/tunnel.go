// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lbmsim/comm"
	"lbmsim/config"
	"lbmsim/config/language"
	"lbmsim/device"
	"lbmsim/internal/study"
	"lbmsim/internal/tunnel"
	"lbmsim/io/status"
	"lbmsim/model"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/domain"
)

// tunnelFlags are the flags of `lbmsim tunnel`.
type tunnelFlags struct {
	run                          runFlags
	size                         tunnelSizes
	unit, ground, fluid          string
	rotate                       string
	yaw                          float64
	cells, grids                 int
	wheels                       []string
	repair, dry, uniform, resume bool
	caseFile                     string
	args                         []string // of the command
	stands                       *standing
}

// tunnelSizes are the flags that are quantities with a unit.
type tunnelSizes struct{ speed, clearance, length, area, time string }

func tunnelCommand() *cobra.Command {
	var f tunnelFlags
	c := &cobra.Command{
		Use:   "tunnel FILE.stl --speed SPEED",
		Short: "Run a surface in a wind tunnel: drag with an interval, and a report",
		Long: `tunnel puts the body of an STL file into a wind tunnel, runs it, and reports drag,
lift, side force and moments with their 95 % intervals:

  lbmsim tunnel car.stl --speed "40 m/s" --dry-run      print the setup
  mpirun -np 4 lbmsim tunnel car.stl --speed "40 m/s"
  lbmsim tunnel wing.stl --speed "60 m/s" --ground none --unit mm
  mpirun -np 4 lbmsim tunnel car.stl --speed "40 m/s" --time "30 min"

The flow is along +x and z is upwards; --rotate rotates the body. An STL file has no units: check
the size that is printed first.

The domain, refinement boxes, walls and outputs are written to a case file, NAME_tunnel.toml,
which can be edited and run by lbmsim like any other. The run ends when the drag is
known to 1 %. The report is printed, and written to the output folder as report.txt, report.json and
report.html, a self-contained page. Its first line is the drag, or the reason to doubt it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("expected one STL file, got %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.size.time != "" && c.Flags().Changed("cells") {
				return usageError{errors.New("--time chooses the number of cells: use --time or --cells")}
			}
			f.args = os.Args[slices.Index(os.Args, c.Name())+1:]
			return runTunnel(args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.size.speed, "speed", "", "`SPEED` of the flow, such as \"40 m/s\" or \"144 km/h\" (required)")
	flags.StringVar(&f.unit, "unit", "", "`UNIT` of the file, such as mm or \"2.54 cm\" (default m)")
	flags.StringVar(&f.ground, "ground", "moving", "`GROUND` below the body: moving, fixed, or none")
	flags.StringVar(&f.size.clearance, "clearance", "", "`HEIGHT` of the lowest point above the ground (default: as in the file, where the ground is z = 0 and the body is above it; otherwise 0)")
	flags.StringVar(&f.rotate, "rotate", "", "rotate the body by `ANGLES` in degrees about x, then y, then z, such as \"90 0 180\"")
	flags.Float64Var(&f.yaw, "yaw", 0, "then rotate it by this `ANGLE` in degrees about z, relative to the flow")
	flags.StringVar(&f.fluid, "fluid", "air", "`FLUID` at 20 C: air or water")
	flags.StringVar(&f.size.length, "length", "", "reference `LENGTH` of Re and moments (default: of the body)")
	flags.StringVar(&f.size.area, "area", "", "reference `AREA` of the coefficients (default: frontal area)")
	flags.IntVar(&f.cells, "cells", 120, "`CELLS` of the finest level along the body")
	flags.StringVar(&f.size.time, "time", "", "instead of --cells: as many cells as this `TIME` allows, such as \"30 min\", measured on these ranks")
	flags.BoolVar(&f.uniform, "uniform", false, "uniform cells in the whole domain, without refinement boxes")
	flags.IntVar(&f.grids, "grids", 1, "`NUMBER` of grids, each coarser by a factor of 1.5, to show the error of the finest")
	flags.StringArrayVar(&f.wheels, "wheels", nil, "STL `FILE` of a wheel rolling on the road, about y; repeatable")
	flags.BoolVar(&f.repair, "repair", false, "close surfaces that are not watertight")
	flags.BoolVar(&f.dry, "dry-run", false, "print the setup; write only the case file and, for a surface with defects, a picture next to it")
	flags.StringVar(&f.caseFile, "case", "", "write the case to this `FILE` (default: NAME_tunnel.toml in this folder)")
	flags.StringVar(&f.run.output, "output", "", "`FOLDER` for all outputs (default: out/NAME_tunnel)")
	flags.BoolVar(&f.run.overwrite, "overwrite", false, "replace the case file, and results of another run in the folder")
	flags.BoolVar(&f.resume, "resume", false, "continue a tunnel run that was interrupted: from the last checkpoint, skipping completed grids")
	setFlag(c, &f.run.set)
	deviceFlags(c, &f.run)
	return c
}

// quoted quotes arguments for a shell.
func quoted(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\"'$\\*?[]#&|;<>(){}!`~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.ReplaceAll(strings.Join(words, " "), "\n", " ")
}

// runTunnel creates the case and runs it on the started ranks.
func runTunnel(path string, f tunnelFlags) error {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "_tunnel"
	f.caseFile = cmp.Or(f.caseFile, name+".toml")
	f.run.output = cmp.Or(f.run.output, filepath.Join("out", name))
	if err := f.check(); err != nil {
		return usageError{err}
	}
	if f.dry && f.size.time == "" {
		plans, err := f.plans(path)
		if err == nil {
			err = f.write(plans[len(plans)-1])
		}
		if err == nil {
			err = f.writePicture()
		}
		if err != nil {
			return usageError{err}
		}
		f.wrote()
		return nil
	}
	now, err := newReporters("text", false)
	if err != nil {
		return err
	}
	next := func() (*reporters, error) { // each run has its own
		now, err = newReporters("text", false)
		return now, err
	}
	return onRanks(func(c comm.Comm, dev *device.Device) error { return f.onRank(c, path, next, dev) },
		func(err error) { now.Fail(err) }, func(text string) { now.status.Lost(text) })
}

// wrote reports what to do with the case of a dry run.
func (f *tunnelFlags) wrote() {
	fmt.Fprintf(stdout, "\nwrote %s; run it by the same command without --dry-run, or by lbmsim %[1]s\n", f.caseFile)
}

// check refuses meaningless flags.
func (f *tunnelFlags) check() error {
	switch {
	case f.size.speed == "":
		return errors.New(`--speed is missing: --speed "40 m/s"`)
	case f.cells < 16 || f.cells > 100000:
		return fmt.Errorf("--cells %d: must be from 16 to 100000; 120 is a first look, 240 and more a result", f.cells)
	case f.grids < 1 || f.grids > 4:
		return fmt.Errorf("--grids %d: must be from 1 to 4", f.grids)
	case f.run.threads < 0:
		return fmt.Errorf("--threads %d: must be at least 1, or 0 for a share of the cores", f.run.threads)
	case float64(f.cells) < leastCells*math.Pow(coarser, float64(f.grids-1)):
		return fmt.Errorf("--grids %d: the coarsest would have %.0f cells along the body, fewer than %d: at least --cells %.0f", f.grids, float64(f.cells)/math.Pow(coarser, float64(f.grids-1)), leastCells, math.Ceil(leastCells*math.Pow(coarser, float64(f.grids-1))))
	case math.IsNaN(f.yaw) || math.Abs(f.yaw) > 360:
		return fmt.Errorf("--yaw %g: must be an angle in degrees", f.yaw)
	case f.yaw != 0 && len(f.wheels) > 0:
		return errors.New("--wheels with --yaw: wheels roll along the flow only")
	case f.resume && f.size.time != "":
		return f.resumesInATime()
	case f.resume && f.run.overwrite:
		return errors.New("--overwrite starts over, --resume continues: use one of them")
	}
	for _, set := range f.run.set {
		for _, assumed := range []string{"domain.", "fluid.", "boundary.", "body.", "refine.", "output.force." + tunnel.Force + "."} {
			key, _, _ := strings.Cut(set, "=")
			if key = strings.TrimSpace(key); strings.HasPrefix(key, assumed) && !slices.Contains([]string{"start", "every"}, key[strings.LastIndex(key, ".")+1:]) {
				return fmt.Errorf("--set %s: the report relies on this key: use the flags of tunnel, or edit the case and run it by lbmsim run", key)
			}
		}
	}
	return nil
}

// leastCells are those along the body on the coarsest grid.
const leastCells = 12

// onRank runs one rank's part: the case of each grid from the coarsest on, then the report. Rank 0 alone reads surfaces.
func (f *tunnelFlags) onRank(c comm.Comm, path string, next func() (*reporters, error), opened *device.Device) error {
	signals := catch(c, false)
	if f.size.time != "" {
		if err := f.fit(c, path, gpus(), opened); err != nil {
			return err
		}
	}
	plans := make([]*tunnel.Plan, f.grids)
	var err error
	if c.Rank() == 0 {
		if plans, err = f.plans(path); err == nil {
			err = f.write(plans[f.grids-1])
		}
		if err == nil && !f.dry {
			err = f.makeRoom()
		}
		if err == nil {
			err = f.writePicture()
		}
	}
	if err := comm.Agree(c, err); err != nil {
		return sim.Agreed(sim.ExitUsage, err)
	}
	if f.dry {
		if c.Rank() == 0 {
			f.wrote()
		}
		return nil
	}
	var grids []measuredGrid
	for k, p := range plans {
		done, err := f.everywhere(c, func() bool { return f.resume && f.complete(k) })
		if err == nil && !done {
			err = f.runGrid(c, k, p, signals, next, opened)
		}
		if _, agreed := sim.ExitCode(err); err != nil && !agreed {
			return err // unknown to other ranks
		}
		failed := err
		if c.Rank() == 0 {
			grids, err = f.measured(k, plans, grids, failed)
		}
		if failed != nil {
			return failed
		}
		if err := comm.Agree(c, err); err != nil {
			return sim.Agreed(sim.ExitFailure, err)
		}
		if done, err = f.everywhere(c, func() bool { return f.complete(k) }); err != nil || !done {
			return err // stopped: --resume goes on here
		}
	}
	return nil
}

// everywhere sends rank 0's answer to all ranks.
func (f *tunnelFlags) everywhere(c comm.Comm, of func() bool) (bool, error) {
	answer := []byte{0}
	if c.Rank() == 0 && of() {
		answer[0] = 1
	}
	answer, err := comm.Broadcast(c, answer)
	return err == nil && answer[0] == 1, err
}

// complete reports whether the run of a grid has ended as its case asks for.
func (f *tunnelFlags) complete(k int) bool {
	s, err := status.Read(f.folder(k))
	return err == nil && sim.Complete(s.Reason)
}

// reports are the files of a report.
func reportFiles() []string { return []string{"report.txt", "report.json", "report.html"} }

// hasRoom refuses folders with results of another run.
func (f *tunnelFlags) hasRoom() error {
	for k := range f.grids {
		dir := f.folder(k)
		if _, err := status.Read(dir); err == nil && !f.run.overwrite && !f.resume {
			return fmt.Errorf("%s has results of another run: --overwrite replaces them, --resume continues a run that was interrupted, --output FOLDER writes elsewhere", dir)
		}
	}
	return nil
}

// makeRoom does so before the first grid computes, and removes reports that become outdated.
func (f *tunnelFlags) makeRoom() error {
	if err := f.hasRoom(); err != nil {
		return err
	}
	for k := range f.grids {
		dir := f.folder(k)
		for _, name := range append(reportFiles(), surfacePicture) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// runGrid runs the case of one grid. Rank 0 has the plan.
func (f *tunnelFlags) runGrid(c comm.Comm, k int, p *tunnel.Plan, signals *signals, next func() (*reporters, error), opened *device.Device) error {
	reports, err := next()
	if err != nil {
		return err
	}
	var text []byte
	if c.Rank() == 0 {
		text = []byte(p.Case())
		if f.grids > 1 {
			fmt.Fprintf(stdout, "\ngrid %d of %d: %d cells along the body\n", k+1, f.grids, p.Wanted.Cells)
		}
	}
	if text, err = comm.Broadcast(c, text); err != nil {
		return err
	}
	var shelf domain.Shelf
	flow, err := loadCase(f.caseFile, text, shelf.Extents(c), f.run.set...)
	if err != nil { // the same bytes give the same error everywhere
		return &sim.Error{Code: sim.ExitUsage, Err: err}
	}
	flow.OutputDir, flow.Resume = f.folder(k), resumeCommand(f.args, f.cells)
	reports.status.Folder(flow.OutputDir)
	run := f.run
	if f.resume {
		run.restart = sim.Auto
	}
	return runLoaded(c, flow, &shelf, run, signals, reports, opened)
}

// folder returns the output folder of a grid: the finest has the requested one.
func (f *tunnelFlags) folder(k int) string {
	if k == f.grids-1 {
		return f.run.output
	}
	return filepath.Join(f.run.output+"_grids", strconv.Itoa(k+1))
}

// coarser is the ratio of the grids of a report.
const coarser = 1.5

// plans reads the surfaces, prints the findings, and returns the plans of all grids from the coarsest on.
func (f *tunnelFlags) plans(path string) ([]*tunnel.Plan, error) {
	s, err := f.read(path)
	if err != nil {
		return nil, err
	}
	plans := make([]*tunnel.Plan, f.grids)
	for k := range plans {
		at := s.wanted
		at.Cells = int(math.Round(float64(f.cells) / math.Pow(coarser, float64(f.grids-1-k))))
		if plans[k], err = tunnel.New(s.body, at); err != nil {
			return nil, err
		}
	}
	if err := s.examine(plans); err != nil {
		return nil, err
	}
	for _, d := range plans[f.grids-1].Decision {
		why := ""
		if d.Why != "" {
			why = "   " + d.Why
		}
		fmt.Fprintf(stdout, "  %-16s %s%s\n", d.What, d.Value, why)
	}
	return plans, nil
}

// wanted reads the flags that are quantities and words.
func (f *tunnelFlags) wanted(path string) (w tunnel.Wanted, err error) {
	quantity := func(to *float64, name, text string, dim model.Dimension) {
		if text != "" && err == nil {
			*to, err = language.ReadQuantity(name, text, dim, language.Above(0))
		}
	}
	quantity(&w.Speed, "--speed", f.size.speed, model.Velocity)
	quantity(&w.Length, "--length", f.size.length, model.Length)
	quantity(&w.Area, "--area", f.size.area, model.Area)
	if err != nil {
		return w, err
	}
	w.Name, w.Command, w.Uniform = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), "lbmsim tunnel "+quoted(f.args), f.uniform
	at := -1
	for i, g := range tunnel.Grounds() {
		if g == f.ground {
			w.Ground, at = tunnel.Ground(i), i
		}
	}
	if at < 0 {
		return w, fmt.Errorf("--ground %s: must be one of %s", f.ground, strings.Join(tunnel.Grounds(), ", "))
	}
	for _, of := range tunnel.Fluids() {
		if of.Name == f.fluid {
			w.Fluid = of
		}
	}
	if w.Fluid.Name == "" {
		return w, fmt.Errorf("--fluid %s: must be air or water; change the case file for others", f.fluid)
	}
	turn, err := angles(f.rotate)
	if err != nil {
		return w, err
	}
	turn[2] += f.yaw
	unit := cmp.Or(f.unit, "1 m")
	if !strings.ContainsAny(unit[:1], "0123456789.+") {
		unit = "1 " + unit
	}
	if _, err := language.ReadQuantity("--unit", unit, model.Length, language.Above(0)); err != nil {
		return w, err
	}
	w.Parts = []tunnel.Part{{Name: "body", File: path, Unit: unit, Rotate: turn, Repair: f.repair}}
	if len(f.wheels) > 0 && w.Ground != tunnel.Moving {
		return w, errors.New("--wheels: wheels roll on --ground moving only")
	}
	for i, file := range f.wheels {
		p := tunnel.Part{Name: fmt.Sprintf("wheel_%d", i+1), File: file, Unit: unit, Rotate: turn, Repair: f.repair, Spins: true, Axis: [3]float64{0, -1, 0}}
		w.Parts = append(w.Parts, p)
	}
	return w, nil
}

// angles reads three angles in degrees.
func angles(text string) (a [3]float64, err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
	if len(words) == 0 {
		return a, nil
	}
	if len(words) != 3 {
		return a, fmt.Errorf("--rotate %q: must be three angles, about x, y and z", text)
	}
	for i, w := range words {
		if a[i], err = strconv.ParseFloat(w, 64); err != nil || math.IsNaN(a[i]) || math.IsInf(a[i], 0) {
			return a, fmt.Errorf("--rotate %q: %q is not an angle in degrees", text, w)
		}
	}
	return a, nil
}

// write writes the case file, which it replaces only on request.
func (f *tunnelFlags) write(p *tunnel.Plan) error {
	text := []byte(p.Case())
	if _, err := config.Load(f.caseFile, text, f.run.set...); err != nil {
		return err
	}
	if err := f.mayWrite(p); err != nil {
		return err
	}
	return os.WriteFile(f.caseFile, text, 0o666)
}

// relative returns the path of a file as seen from a folder.
func relative(folder, file string) (string, error) {
	if filepath.IsAbs(file) {
		return file, nil
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// measuredGrid is the drag on a grid; NaN where it is unknown.
type measuredGrid struct{ drag, half float64 }

// measured reads the results of grid k, and writes the report of the grids so far beside them. failed is the error that the run has
// ended with.
func (f *tunnelFlags) measured(k int, plans []*tunnel.Plan, grids []measuredGrid, failed error) ([]measuredGrid, error) {
	s, err := status.Read(f.folder(k))
	if err != nil {
		if failed != nil { // before it had a status
			return grids, nil
		}
		return grids, err
	}
	if failed != nil {
		s.Phase, s.Error = status.Failed, report.Failure(failed)
	}
	now := measuredGrid{math.NaN(), math.NaN()}
	for _, r := range s.Results {
		for _, n := range r.Numbers {
			if r.Output == tunnel.Force && n.Quantity == "drag" && n.Value != nil && n.Half != nil && n.Note == "" && failed == nil {
				now = measuredGrid{*n.Value, *n.Half}
			}
		}
	}
	grids = append(grids, now)
	var all *tunnel.Grids
	if k > 0 {
		all = acrossGrids(plans, grids)
	}
	r := tunnel.NewReport(plans[k], s, all)
	forces, err := partForces(f.folder(k), plans[k].Parts)
	if err != nil {
		return grids, err
	}
	r.ByPart(plans[k], forces)
	return grids, f.report(r, f.folder(k))
}

// acrossGrids compares the drag on several grids.
func acrossGrids(plans []*tunnel.Plan, grids []measuredGrid) *tunnel.Grids {
	g := &tunnel.Grids{}
	var drags []float64
	for i, m := range grids {
		g.Cells, drags = append(g.Cells, plans[i].Wanted.Cells), append(drags, m.drag)
		if math.IsNaN(m.drag) {
			g.Notes = append(g.Notes, fmt.Sprintf("no drag of known error with %d cells along the body", plans[i].Wanted.Cells))
		}
	}
	if g.Notes != nil {
		return g
	}
	g.Drag = drags
	a := study.Analyse("drag", drags, coarser, 2, false, model.Float32)
	g.Notes = a.Warnings
	finite := func(n study.Number) *float64 {
		if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return &v
		}
		return nil
	}
	g.Order, g.Extrapolated, g.Error = finite(a.Used), finite(a.Extrapolated), finite(a.GCI)
	last, before := grids[len(grids)-1], grids[len(grids)-2]
	g.Noise = (last.half + before.half) / math.Abs(last.drag)
	return g
}

// report prints a report and writes it into the run's folder.
func (f *tunnelFlags) report(r *tunnel.Report, folder string) error {
	text := r.Text()
	fmt.Fprintf(stdout, "\n%s", text)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	var page bytes.Buffer
	images, unseen := surfaceImages(folder)
	if f.stands != nil && f.stands.picture != nil {
		images = append(images, tunnel.Image{Caption: defectsTitle, PNG: f.stands.picture})
	}
	if err := r.Page(&page, append(pictures(folder), images...)); err != nil {
		return err
	}
	for i, content := range [][]byte{[]byte(text), append(data, '\n'), page.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, reportFiles()[i]), content, 0o666); err != nil {
			return err
		}
	}
	if unseen != nil {
		return fmt.Errorf("the report has no pictures of the surface: %w", unseen)
	}
	fmt.Fprintf(stdout, "  report %s\n", filepath.Join(folder, "report.html"))
	return nil
}

// pictures returns the last picture of each kind of a run.
func pictures(folder string) (list []tunnel.Image) {
	for _, name := range tunnel.Pictures() {
		files, _ := fs.Glob(os.DirFS(folder), name+"_*.png") // the pattern is well-formed
		if len(files) == 0 {
			continue
		}
		last := files[len(files)-1]
		if png, err := os.ReadFile(filepath.Join(folder, last)); err == nil {
			list = append(list, tunnel.Image{Caption: last, PNG: png})
		}
	}
	return list
}
