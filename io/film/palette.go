package film

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
)

// shade is a colour and how many pixels have it.
type shade struct {
	rgb    [3]uint8
	pixels int
}

// reduced returns frames with one palette for all, their upper left corner at 0.
func reduced(frames []image.Image) []*image.Paletted {
	flat := make([]*image.RGBA, len(frames))
	counts := map[[3]uint8]int{}
	for k, f := range frames {
		flat[k] = image.NewRGBA(image.Rectangle{Max: f.Bounds().Size()})
		draw.Draw(flat[k], flat[k].Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(flat[k], flat[k].Rect, f, f.Bounds().Min, draw.Over)
		runs(flat[k].Pix, func(rgb [3]uint8, lo, hi int) { counts[rgb] += hi - lo })
	}
	var colours color.Palette
	index := map[[3]uint8]uint8{}
	for i, box := range boxes(counts, 256) {
		colours = append(colours, mean(box.shades))
		for _, s := range box.shades {
			index[s.rgb] = uint8(i)
		}
	}
	list := make([]*image.Paletted, len(flat))
	for k, f := range flat {
		list[k] = image.NewPaletted(f.Rect, colours)
		runs(f.Pix, func(rgb [3]uint8, lo, hi int) {
			for i, c := lo, index[rgb]; i < hi; i++ {
				list[k].Pix[i] = c
			}
		})
	}
	return list
}

// runs calls use for each run of pixels lo <= i < hi of one colour: a look into a map for each pixel would take most of the time.
func runs(pix []uint8, use func(rgb [3]uint8, lo, hi int)) {
	for lo := 0; 4*lo < len(pix); {
		rgb, hi := [3]uint8(pix[4*lo:]), lo+1
		for 4*hi < len(pix) && [3]uint8(pix[4*hi:]) == rgb {
			hi++
		}
		use(rgb, lo, hi)
		lo = hi
	}
}

// box is a set of colours that become one, how far they are from their mean in a channel, summed, and that mean. The channel is the
// one with the largest sum.
type box struct {
	shades  []shade
	channel int
	off     float64
	middle  float64
}

// boxes divides colours into as many as most sets of similar ones by median cut (Heckbert, Computer Graphics 16 (1982) 297). The
// set with the largest sum of squares is cut next, at its mean, which leaves smaller errors than the median.
func boxes(counts map[[3]uint8]int, most int) []box {
	var all []shade
	for rgb, n := range counts {
		all = append(all, shade{rgb, n})
	}
	slices.SortFunc(all, func(a, b shade) int { return slices.Compare(a.rgb[:], b.rgb[:]) }) // the order of a map is random
	list := []box{newBox(all)}
	for len(list) < most {
		worst := 0
		for i := range list {
			if list[i].off > list[worst].off {
				worst = i
			}
		}
		b := list[worst]
		if b.off == 0 { // each set is one colour
			break
		}
		slices.SortStableFunc(b.shades, func(p, q shade) int { return cmp.Compare(p.rgb[b.channel], q.rgb[b.channel]) })
		cut := slices.IndexFunc(b.shades, func(s shade) bool { return float64(s.rgb[b.channel]) > b.middle })
		list[worst] = newBox(b.shades[:cut])
		list = append(list, newBox(b.shades[cut:]))
	}
	return list
}

// newBox returns the set of some colours. A colour weighs by the root of its pixels: calm areas get more colours than a
// letter's edge, and small bright ones keep theirs.
func newBox(shades []shade) box {
	b := box{shades: shades}
	if len(shades) == 1 {
		return b
	}
	for c := range 3 {
		var n, sum, squares float64
		for _, s := range shades {
			w, v := math.Sqrt(float64(s.pixels)), float64(s.rgb[c])
			n, sum, squares = n+w, sum+w*v, squares+w*v*v
		}
		if off := squares - sum*sum/n; off > b.off {
			b.channel, b.off, b.middle = c, off, sum/n
		}
	}
	return b
}

// mean returns the colour of a set, by its pixels.
func mean(shades []shade) color.Color {
	var sum [3]int
	n := 0
	for _, s := range shades {
		for c := range sum {
			sum[c] += s.pixels * int(s.rgb[c])
		}
		n += s.pixels
	}
	var m [3]uint8
	for c := range m {
		m[c] = uint8((sum[c] + n/2) / n)
	}
	return color.RGBA{m[0], m[1], m[2], 255}
}
