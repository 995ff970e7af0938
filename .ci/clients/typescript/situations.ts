// How to bring about the answers of each call.
import { check, must, password, signUp, type Client, type Game } from "./client.js";
import type { components } from "./schema.js";

/** A request, as far as it differs from the usual: the host's, about a lobby of theirs, with nothing in it. */
export interface Request {
  token?: string; // "" for none
  stranger?: boolean; // by who has no part in the game
  over?: boolean; // about a game that is over
  id?: string;
  seat?: number;
  invitation?: string;
  query?: string;
  body?: unknown;
  raw?: string; // the body as it is
  direct?: boolean; // not through the proxy
  headers?: Record<string, string>;
}

type User = Awaited<ReturnType<typeof signUp>>;

type Options = Omit<components["schemas"]["CreateGameRequest"], "rules">;

async function open(host: User, more: Options = {}): Promise<Game> {
  return must(await host.client.POST("/v1/games", { body: { rules: { players: 3, length: "five" }, ...more } }));
}

const at = (id: string) => ({ params: { path: { id } } });

export class Situations {
  private constructor(
    private readonly proxy: string,
    private readonly server: string, // behind it, where situations are prepared
    private readonly host: User,
    private readonly guests: User[],
    private readonly stranger: User,
    private readonly lobby: Game,
    private readonly over: Game,
  ) {}

  static async make(proxy: string, server: string): Promise<Situations> {
    const [host, guest, other, stranger] = [await signUp(server), await signUp(server), await signUp(server), await signUp(server)];
    const over = await open(host);
    must(await host.client.DELETE("/v1/games/{id}", at(over.id)));
    return new Situations(proxy, server, host, [guest, other], stranger, await open(host), over);
  }

  /** A request that meets a refusal which doesn't follow from the document. */
  async refused(name: string): Promise<Request | undefined> {
    switch (name) {
      case "register 409":
        return { token: "", body: { username: this.host.username, password } };
      case "login 401":
        return { token: "", body: { username: this.host.username, password: "another password" } };
      case "refresh 401":
        return { token: "", body: { refresh_token: "never given out" } };
      case "takeVacation 409":
        return { body: { days: 366 } };
      case "renewInviteCode 409":
      case "renewInviteCode 412": {
        const { id } = await open(this.host, { visibility: "private" });
        if (name.endsWith("412")) return { id, headers: { "If-Match": '"999999"' } };
        must(await this.host.client.DELETE("/v1/games/{id}", at(id)));
        return { id };
      }
      case "invite 409":
        return { over: true, body: { username: this.stranger.username } };
      case "joinGame 403":
        return { token: await this.blocked(), id: (await open(this.host)).id };
      case "joinByCode 403":
        return { token: await this.blocked(), body: { invite_code: await this.code() } };
      case "takeBackInvitation 403": {
        const game = await open(this.host);
        return { stranger: true, id: game.id, invitation: await this.invited(game, this.guests[0]!) };
      }
      case "acceptInvitation 403": {
        const guest = await signUp(this.server);
        const id = await this.invited(await open(this.host), guest);
        await this.host.client.PUT("/v1/me/blocks/{user_id}", { params: { path: { user_id: guest.id } } });
        return { id, token: guest.token };
      }
      case "acceptInvitation 409": {
        const id = await this.invited(await open(this.host), this.stranger);
        must(await this.stranger.client.POST("/v1/me/invitations/{id}/accept", at(id)));
        return { id, token: this.stranger.token };
      }
      case "acceptInvitation 412":
        return { id: await this.invited(await open(this.host), this.stranger), token: this.stranger.token, headers: { "If-Match": '"999999"' } };
      case "blockUser 403":
        return { id: this.host.id };
      case "unblockUser 404":
        return { id: "nobody" };
      case "joinByCode 409":
        return { body: { invite_code: await this.code() } };
      case "joinByCode 412":
        return { token: this.stranger.token, body: { invite_code: await this.code() }, headers: { "If-Match": '"999999"' } };
    }
    return undefined;
  }

  /** A request that succeeds, in a situation made for it; of most calls the document's own example does. */
  async fit(operation: string, example: unknown): Promise<Request> {
    switch (operation) {
      case "register":
        return { token: "", body: { username: `walk-${process.pid}-${Date.now() % 1e9}`, password } };
      case "login":
        return { token: "", body: { username: this.host.username, password } };
      case "refresh":
        return { token: "", body: { refresh_token: (await signUp(this.server)).refresh } };
      case "logout":
        return { token: (await signUp(this.server)).token };
      case "changePassword":
        return { token: (await signUp(this.server)).token, body: { current: password, new: `${password}!` } };
      case "deleteMe":
        return { token: (await signUp(this.server)).token, body: { password } };
      case "listEvents":
        return { over: true }; // a live stream of it ends
      case "getLeaderboard":
        return { query: "players=3" };
      case "cancelGame":
      case "seatBot":
        return { id: (await open(this.host)).id, body: example };
      case "joinGame":
        return { id: (await open(this.host)).id, token: this.stranger.token, body: example };
      case "joinByCode":
        return { token: this.stranger.token, body: { invite_code: await this.code() } };
      case "renewInviteCode":
        return { id: (await open(this.host, { visibility: "private" })).id };
      case "leaveGame":
        return { id: await this.joined(await open(this.host), 1), seat: 1 };
      case "startGame":
        return { id: await this.joined(await open(this.host, { auto_start: false }), 2) };
      case "invite":
        return { id: (await open(this.host)).id, body: { username: this.stranger.username } };
      case "takeBackInvitation": {
        const game = await open(this.host);
        return { id: game.id, invitation: await this.invited(game, this.stranger) };
      }
      case "acceptInvitation":
      case "declineInvitation":
        return { id: await this.invited(await open(this.host), this.stranger), token: this.stranger.token, body: example };
      case "rematch": {
        const id = await this.joined(await open(this.host), 2);
        for (const { client } of [this.host, ...this.guests]) must(await client.POST("/v1/games/{id}/end-vote", { ...at(id), body: { agree: true } }));
        return { id };
      }
      case "blockUser":
      case "unblockUser":
        return { id: (await signUp(this.server)).id };
      case "resign":
      case "resumeGame":
      case "reclaimSeat":
      case "voteEnd":
        return { id: await this.joined(await open(this.host), 2), body: example };
      case "votePause":
        return { id: await this.joined(await open(this.host, { clock: { kind: "per_turn", seconds: 86_400 } }), 2), body: example };
      case "nameTrump":
        return this.turn((game) => game.you?.can.trump.map((suit) => ({ suit })));
      case "placeBid":
      case "setPremove":
        return this.turn((game) => game.you?.can.bid.map((tricks) => ({ tricks })));
      case "playCard":
        return this.turn((game) => game.you?.can.play.map((card) => ({ card })));
    }
    return { body: example };
  }

  /** The token of somebody whom the host has blocked. */
  private async blocked(): Promise<string> {
    const { id, token } = await signUp(this.server);
    await this.host.client.PUT("/v1/me/blocks/{user_id}", { params: { path: { user_id: id } } });
    return token;
  }

  /** The invite code of a new private game of the host's. */
  private async code(): Promise<string> {
    const { invite_code } = await open(this.host, { visibility: "private" });
    check(invite_code !== null, "a private game has no invite code");
    return invite_code;
  }

  /** Invites somebody into a lobby of the host's, and returns the invitation's id. */
  private async invited(game: Game, whom: User): Promise<string> {
    return must(await this.host.client.POST("/v1/games/{id}/invitations", { ...at(game.id), body: { username: whom.username } })).id;
  }

  /** Seats guests and returns the game's id. */
  private async joined(game: Game, guests: number): Promise<string> {
    for (const guest of this.guests.slice(0, guests)) must(await guest.client.POST("/v1/games/{id}/players", at(game.id)));
    return game.id;
  }

  /** Plays games until somebody may make one of the wanted moves, and returns that move. */
  private async turn(wanted: (game: Game) => object[] | undefined): Promise<Request> {
    for (;;) {
      const id = await this.joined(await open(this.host), 2);
      for (let moved = true; moved; ) {
        moved = false;
        for (const { client, token } of [this.host, ...this.guests]) {
          const game = must(await client.GET("/v1/games/{id}", at(id)));
          const [move] = wanted(game) ?? [];
          if (move) return { id, token, body: move };
          moved = (await bid(client, game)) || moved;
        }
      }
    }
  }

  /** Sends a request and returns what is wrong with its answer. */
  async fault(method: string, path: string, request: Request, status: number): Promise<string | undefined> {
    const about = request.over ? this.over.id : this.lobby.id;
    const id = request.id ?? (path.startsWith("/v1/users/") ? this.host.id : about);
    const inPath = { id, user_id: id, seat: String(request.seat ?? 0), invitation: request.invitation ?? id };
    const address = Object.entries(inPath).reduce((all, [name, value]) => all.replace(`{${name}}`, value), path) + (request.query ? `?${request.query}` : "");
    const token = request.token ?? (request.stranger ? this.stranger : this.host).token;
    const body = request.raw ?? (request.body === undefined ? null : JSON.stringify(request.body));
    const answer = await fetch((request.direct ? this.server : this.proxy) + address, {
      method,
      body,
      headers: {
        ...(token !== "" && { Authorization: `Bearer ${token}` }),
        ...(request.body !== undefined && { "Content-Type": "application/json" }),
        ...request.headers,
      },
    });
    const text = await answer.text();
    const violations = answer.headers.get("sl-violations") ?? (text.includes("stoplight.io/prism") ? text : null);
    if (violations !== null) return `${address}: ${violations}`;
    if (answer.status !== status) return `${address} ${body?.slice(0, 300)}: ${answer.status} ${text.slice(0, 1000)}`;
    return undefined;
  }
}

/** Bids if it is the player's turn to. */
async function bid(client: Client, game: Game): Promise<boolean> {
  const tricks = game.you?.can.bid[0];
  if (tricks === undefined) return false;
  must(await client.POST("/v1/games/{id}/bids", { ...at(game.id), body: { tricks } }));
  return true;
}
