// Package forecast reports what a run of a case will take, before anything is allocated: memory of
// a rank (forecast.go; lists.go for what is not a number for each cell) and what outputs leave on
// the disk (volume.go).
package forecast
