package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"mago/openapi"
)

// routes is the one list of what the server answers to.
func (s *Server) routes() {
	e := s.echo
	get(e, "/healthz", s.healthz)
	get(e, "/readyz", s.readyz)
	get(e, "/metrics", echo.WrapHandler(s.metrics.handler()))
	get(e, "/openapi.json", echo.WrapHandler(openapi.Spec()))
	docs := echo.WrapHandler(openapi.Docs())
	for _, path := range openapi.DocsPaths() {
		get(e, path, docs)
	}
	get(e, "/docs/problems", s.problemsPage)
	get(e, "/.well-known/jwks.json", s.getJWKS)

	signedIn := s.authenticated
	e.POST("/v1/auth/register", s.register, s.byAddress(func(l *limiter) *buckets { return l.register }))
	e.POST("/v1/auth/login", s.login, s.byAddress(func(l *limiter) *buckets { return l.login }))
	e.POST("/v1/auth/refresh", s.refresh, s.byAddress(func(l *limiter) *buckets { return l.refresh }))
	e.POST("/v1/auth/logout", s.logout, signedIn)
	get(e, "/v1/me", s.getMe, signedIn)
	e.PATCH("/v1/me", s.updateMe, signedIn)
	e.DELETE("/v1/me", s.deleteMe, signedIn, s.askingPassword())
	e.POST("/v1/me/password", s.changePassword, signedIn, s.askingPassword())
	get(e, "/v1/me/invitations", s.listInvitations, signedIn)
	e.POST("/v1/me/invitations/:id/accept", s.acceptInvitation, signedIn, s.oneSeatAtATime)
	e.POST("/v1/me/invitations/:id/decline", s.declineInvitation, signedIn)
	get(e, "/v1/me/blocks", s.listBlocks, signedIn)
	e.PUT("/v1/me/blocks/:user_id", s.blockUser, signedIn)
	e.DELETE("/v1/me/blocks/:user_id", s.unblockUser, signedIn)
	get(e, "/v1/me/vacation", s.getVacation, signedIn)
	e.PUT("/v1/me/vacation", s.takeVacation, signedIn)
	e.DELETE("/v1/me/vacation", s.endVacation, signedIn)
	get(e, "/v1/me/sync", s.syncGames, signedIn)
	get(e, "/v1/users/:id", s.getUser, signedIn)
	get(e, "/v1/users/:id/stats", s.getUserStats, signedIn)
	get(e, "/v1/leaderboard", s.getLeaderboard, signedIn)

	e.POST("/v1/games", s.createGame, signedIn, s.oneSeatAtATime)
	get(e, "/v1/games", s.listGames, signedIn)
	get(e, "/v1/games/:id", s.getGame, signedIn)
	e.PATCH("/v1/games/:id", s.updateGame, signedIn)
	e.DELETE("/v1/games/:id", s.cancelGame, signedIn)
	e.POST("/v1/games/:id/players", s.joinGame, signedIn, s.guessingInvites(), s.oneSeatAtATime)
	e.POST("/v1/join", s.joinByCode, signedIn, s.guessingInvites(), s.oneSeatAtATime)
	e.POST("/v1/games/:id/invite-code", s.renewInviteCode, signedIn)
	e.DELETE("/v1/games/:id/players/:seat", s.leaveGame, signedIn)
	e.PUT("/v1/games/:id/client-seed", s.setClientSeed, signedIn)
	e.POST("/v1/games/:id/start", s.startGame, signedIn)
	e.POST("/v1/games/:id/bots", s.seatBot, signedIn)
	e.POST("/v1/games/:id/resign", s.resign, signedIn)
	e.POST("/v1/games/:id/seats/:seat/reclaim", s.reclaimSeat, signedIn)
	e.POST("/v1/games/:id/end-vote", s.voteEnd, signedIn)
	e.POST("/v1/games/:id/pause-vote", s.votePause, signedIn)
	e.POST("/v1/games/:id/resume", s.resume, signedIn)
	e.POST("/v1/games/:id/trump", s.nameTrump, signedIn)
	e.POST("/v1/games/:id/bids", s.placeBid, signedIn)
	e.POST("/v1/games/:id/plays", s.playCard, signedIn)
	get(e, "/v1/games/:id/invitations", s.listSentInvitations, signedIn)
	e.POST("/v1/games/:id/invitations", s.invite, signedIn)
	e.DELETE("/v1/games/:id/invitations/:invitation", s.takeBackInvitation, signedIn)
	e.POST("/v1/games/:id/rematch", s.rematch, signedIn, s.oneSeatAtATime)
	get(e, "/v1/games/:id/premove", s.getPremove, signedIn)
	e.PUT("/v1/games/:id/premove", s.setPremove, signedIn)
	e.DELETE("/v1/games/:id/premove", s.dropPremove, signedIn)
	get(e, "/v1/games/:id/events", s.listEvents, signedIn)
}

// get routes HEAD as well: net/http then leaves the body out.
func get(e *echo.Echo, path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) {
	e.Match([]string{http.MethodGet, http.MethodHead}, path, h, m...)
}
