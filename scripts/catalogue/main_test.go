package main

import (
	"os"
	"testing"
)

func TestUpToDate(t *testing.T) {
	got, err := os.ReadFile("../../kernels/catalogue.h")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text() {
		t.Error("kernels/catalogue.h is not what package model says: run go generate ./kernels")
	}
}
