module lbmsim

go 1.23

require github.com/btracey/mpi v0.0.0-20180226170127-03df54ac074b

require (
	github.com/BurntSushi/toml v1.6.0 // indirect
	gonum.org/v1/hdf5 v0.0.0-20210714002203-8c5d23bc6946
)
