package api

// What follows describes the API as a whole to swag.
//
// @title Mago
// @version 1
// @description The card game Wizard (Galician: Mago) for 3 to 6 players, kept in an event stream that anyone can check.
// @description
// @description Errors are problem documents (RFC 9457); programs look at their code. Ids are UUIDv7, times RFC 3339 in UTC
// @description with three decimals. JSON is read strictly: unknown and repeated names, null and 1.0 for an integer are refused.
// @BasePath /
// @schemes http https
//
// @securityDefinitions.apikey BearerAuth
// @in header
// @name Authorization
// @description An access token: Bearer, a blank, and the token.
