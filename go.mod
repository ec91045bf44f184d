module lbmsim

go 1.23

require github.com/btracey/mpi v0.0.0-20180226170127-03df54ac074b
