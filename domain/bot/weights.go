package bot

const (
	sated, hungry, starving, unknown = .25, .6, 1, .6
	beforeBid                        = 0
)

var (
	ofTrump      = factors{1.770, 1.630, 2.679, -0.012, 0.370, 0.000, -3.028}
	beside       = factors{0.955, 1.567, 2.551, -0.374, -0.139, 0.000, -3.316}
	withoutTrump = factors{0.766, 1.797, 3.324, -0.281, 0.118, 0.000, -4.251}
	ofWizard     = factors{6.165, 0.000, -4.062, 0.000, 0.000, 0.000, -3.734}
)
