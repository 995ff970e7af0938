package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU returns how long the calling thread has computed. (getrusage knows it too, but for a thread that runs only up to the last tick.)
func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// pinThread keeps a goroutine on its thread until what it returns is called.
func pinThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
