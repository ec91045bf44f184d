package device

// Recorder is a device that records work once and launches it many times, without
// the host's time for each kernel. Found by type assertion.
type Recorder interface {
	// Capture records what body queues on s, and on streams that body joins to s by
	// events, without running it. Body leaves every such stream joined back to s (s
	// waits for its last event), and neither waits for the device nor allocates.
	// Between Capture and the graph's launches nothing may change what was recorded:
	// a graph knows buffers by their addresses and numbers by their values.
	Capture(s Stream, body func() error) (Graph, error)
}

// Graph is recorded work.
type Graph interface {
	// Launch queues the work on s, in the order of the stream: as one piece, however
	// many streams it was recorded from. Errors come out of s, as those of kernels.
	Launch(s Stream)
	// Close frees the recording; no launch of it is in the queues any more.
	Close()
}
