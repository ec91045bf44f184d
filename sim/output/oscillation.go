// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/internal/finding"
	"lbmsim/internal/stats"
)

// Frequencies come from the spectrum of the record of a force. Counted upward crossings of its mean confirm them: they miss weak
// oscillations and count noise.

// leastOscillation is the least amplitude of a force that counts as of the flow, as a share of the largest number of its kind.
const leastOscillation = 1e-4

// Where the counted frequency differs by more, another peak is as high, or most of the variance is not of the oscillation, check the
// record before using the number.
const (
	confirmed  = 0.1
	comparable = 0.5
	buried     = 0.1 // of the variance
)

// shifted is the largest relative shift of the frequency of a standing sound wave by bodies in the domain: about their blockage.
const shifted = 0.02

// oscillation is the frequency of a number, or its Strouhal number.
type oscillation struct {
	value, half float64         // and half the width of its 95 % interval; NaN: unknown
	amplitude   float64         // of a sine with its power
	note        string          // its uncertainty, or why it is unknown
	doubt       finding.Finding // why it may not be the frequency of the flow
}

// oscillation returns the oscillation of a number from its record.
func (f *forces) oscillation(number string, strouhal bool, c *config.Case) (o oscillation) {
	i := slices.IndexFunc(f.list, func(s config.ForceSeries) bool { return s.Name == number })
	o.value, o.half = math.NaN(), math.NaN()
	if f.uneven {
		o.note = "the samples are not equally spaced, so there is no spectrum: set every in units of time, and keep it after a restart"
		return o
	}
	peak, found := f.course[i].Peak()
	if !found {
		o.note = "no oscillation above the noise of the record: try a longer run, a smaller every, or an earlier start"
		return o
	}
	units := c.Units
	factor := 1 / (max(1, f.Schedule.Period) * units.Time)
	counted, countedHalf := f.series[i].Frequency(), f.series[i].FrequencyHalf()
	if strouhal {
		of := f.Strouhal * units.Time // the outputs' frequencies
		factor, counted, countedHalf = of*factor, of*counted, of*countedHalf
	}
	o.value, o.half, o.amplitude = factor*peak.Frequency, factor*peak.Half, peak.Amplitude
	o.note = fmt.Sprintf("%.3g periods", peak.Periods)
	if peak.Pieces == 1 {
		if half := math.Abs(counted-o.value) + countedHalf; half < o.half {
			o.half = half
			o.note += ", interval from their scatter"
		} else {
			o.note += ", too few for an interval: +- is half the resolution of the record"
		}
	}
	if peak.Share > comparable {
		o.note += fmt.Sprintf(", and %.4g with %.0f %% of its amplitude", factor*peak.Second, 100*peak.Share)
	}
	o.doubt = f.doubt(number, o, peak, counted, c)
	return o
}

// doubt returns the most serious reason why the peak of a spectrum may not be a frequency of the flow.
func (f *forces) doubt(number string, o oscillation, peak stats.Peak, counted float64, c *config.Case) (none finding.Finding) {
	if share := o.amplitude / f.largest(number); share < leastOscillation {
		return finding.WeakOscillation.Says("%s varies by only %.1g of its largest value, so its frequency may come from rounding or acoustic waves: does the flow oscillate yet? Plot the series", number, share)
	}
	perStep := peak.Frequency / max(1, f.Schedule.Period)
	within := max(o.half/o.value, peak.Resolution()/2, shifted)
	if sound, near := config.NearSound(c, perStep, within*perStep); near {
		return finding.StandingSound.Says("the spectrum of %s peaks at %.4g, and sound standing %s has %.4g: the same within %.2g %%, half the resolution of the spectrum at least. It may be sound and not the wake: vortices keep their frequency in a domain of another size (docs/forces.md)",
			number, o.value, sound.Where, o.value*sound.Frequency/perStep, 100*within)
	}
	if off := counted/o.value - 1; math.Abs(off) > confirmed {
		return finding.UnconfirmedFrequency.Says("the spectrum of %s peaks at %.4g, but counting its oscillations gives %.4g: some are weak, or noise, acoustic waves or another frequency interfere; plot the series (docs/forces.md)", number, o.value, counted)
	}
	i := slices.IndexFunc(f.list, func(s config.ForceSeries) bool { return s.Name == number })
	if share := peak.Variance / math.Pow(f.series[i].Deviation(), 2); share < buried {
		return finding.BuriedOscillation.Says("the spectrum of %s peaks at %.4g, but with %.2g %% of the variance since start: noise or a transient is larger; run longer, or move start", number, o.value, 100*share)
	}
	return none
}

// largest returns the size of the largest number of the same kind: for a lift, the size of the drag.
func (f *forces) largest(number string) (size float64) {
	own := f.list[slices.IndexFunc(f.list, func(s config.ForceSeries) bool { return s.Name == number })]
	for i, s := range f.list {
		if s.Alike(own) {
			size = max(size, math.Abs(f.series[i].Estimate().Mean)+f.series[i].Deviation())
		}
	}
	return size
}

// mayShed reports whether a number is a force across or along the flow.
func (f *forces) mayShed(number string) bool {
	if f.Coefficient > 0 {
		return number == "lift" || number == "drag"
	}
	return strings.HasPrefix(number, "force_")
}
