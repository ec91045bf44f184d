package bench

import (
	"encoding/binary"
	"math"

	"lbmsim/model"
)

func encode(v float64, p model.Precision) []byte {
	if p == model.Float32 {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
}
