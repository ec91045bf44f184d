// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package device

// Recorder is a device that records work once and launches it many times, without host time per
// kernel. Found by type assertion.
type Recorder interface {
	// Capture records what body queues on s, and on streams that body joins to s by events, without
	// running it. Body leaves every such stream joined back to s (s waits for its last event), and
	// neither waits for the device nor allocates. Between Capture and the graph's launches no
	// recorded address or number may change: a graph contains both.
	Capture(s Stream, body func() error) (Graph, error)
}

// Graph is recorded work.
type Graph interface {
	// Launch queues the work on s, in the order of the stream: as one piece, however many streams
	// it was recorded from. s reports errors, like errors of kernels.
	Launch(s Stream)
	// Close frees the recording; its launches must be complete.
	Close()
}
