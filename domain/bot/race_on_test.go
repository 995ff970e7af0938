//go:build race

package bot_test

// raced tells that the race detector is on: games take ten times as long.
const raced = true
