// Package bot is players that the server plays for. A player sees the redacted View of its seat and nothing else, never the
// state of a game, and chooses by it alone: the same view, the same choice.
package bot
