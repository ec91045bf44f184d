// Package config reads a case file and resolves it: TOML text with physical
// units becomes a Case in lattice units. Load reports all errors of the text at
// once, each with its place and reason; units are converted in one file.
package config
