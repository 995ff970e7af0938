package bot

// Engine is the version of the players in this package: one engine makes the same choice for the same level, view, seed and samples wherever and
// whenever it runs. It changes with anything that may change a choice of any level.
const Engine = "2"

// HurriedEngine is recorded for moves that the rule of thumb made for a seat of a higher level: the server had too much to do, or the bot failed.
const HurriedEngine = Engine + "-easy"
