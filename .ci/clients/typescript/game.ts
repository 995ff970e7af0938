// Three players play whole games with the generated client, by what the view says they may do, and find the result in the events.
import { check, must, signUp, type Client, type Game, type GameEvent, type Rules } from "./client.js";

const header = (round: Game, more: Record<string, string> = {}) => ({ "If-Match": `"${round.version}"`, ...more });

/** Makes the first move that a player may make, twice with one key; false if there is none. */
async function move(player: Client, id: string): Promise<boolean> {
  const path = { id };
  const view = must(await player.GET("/v1/games/{id}", { params: { path } }));
  if (!view.you || !view.round) return false;
  const { can } = view.you;
  const round = view.round.number;
  const params = { path, header: header(view, { "Idempotency-Key": crypto.randomUUID() }) };
  const [suit] = can.trump;
  const [tricks] = can.bid;
  const [card] = can.play;
  const send = async () => {
    if (suit === "dwarves" || suit === "elves" || suit === "giants" || suit === "humans") return player.POST("/v1/games/{id}/trump", { params, body: { suit, round } });
    if (tricks !== undefined) return player.POST("/v1/games/{id}/bids", { params, body: { tricks, round } });
    if (card !== undefined && view.trick) return player.POST("/v1/games/{id}/plays", { params, body: { card, round, trick: view.trick.number } });
    return undefined;
  };
  const first = await send();
  if (!first) return false;
  const after = must(first);
  const again = await send();
  check(again !== undefined && must(again).version === after.version, "the same key has made another move");
  check(again.response.headers.get("Idempotency-Replayed") === "true", "the second answer doesn't say that it is one");
  return true;
}

async function refusals(players: Client[], id: string): Promise<void> {
  for (const player of players) {
    const params = { path: { id } };
    const view = must(await player.GET("/v1/games/{id}", { params }));
    if (view.status !== "playing" || view.you?.can.bid.length) continue;
    const { error } = await player.POST("/v1/games/{id}/bids", { params, body: { tricks: 0 } });
    check(error !== undefined, "a bid out of turn is accepted");
    check(error.code === "not_your_turn" || error.code === "already_bid" || error.code === "wrong_phase", `it is refused as ${error.code}`);
    check(error.version === view.version, "the refusal names another version");
  }
}

/** Counts what the events say and holds it against the view. */
function recount(view: Game, events: GameEvent[]): void {
  let [cards, dealt, totals]: [number, number, number[]] = [0, 0, []];
  let winners: number[] | undefined;
  events.forEach((e, i) => {
    check(e.version === i + 1 && e.salt !== null, `event ${e.version} is out of order or not whole`);
    switch (e.type) {
      case "dealt":
        dealt += e.data.hands.flat().length;
        check(!e.data.hands.flat().includes("??"), "a card is still hidden");
        break;
      case "card_played":
        cards++;
        break;
      case "bid_placed":
        check(e.data.tricks !== null, "a bid is still hidden");
        break;
      case "round_scored":
        totals = e.data.totals;
        break;
      case "game_finished":
        winners = e.data.winners;
        break;
    }
  });
  check(cards === dealt && cards > 0, `${cards} of ${dealt} cards were played`);
  check(String(totals) === String(view.seats.map((s) => s.total)), `the totals are ${totals} in the events`);
  check(winners !== undefined && String(winners) === String(view.result?.winners), `the winners are ${winners} in the events`);
}

/** Plays a game to its end and returns how many moves it took. */
export async function play(base: string, rules: Rules): Promise<number> {
  const players = await Promise.all(Array.from({ length: rules.players }, async () => (await signUp(base)).client));
  const [host, ...others] = players;
  check(host !== undefined, "a game needs players");
  const { id } = must(await host.POST("/v1/games", { body: { name: "From TypeScript", rules, visibility: "private" } }));
  const params = { path: { id } };
  const { invite_code } = must(await host.GET("/v1/games/{id}", { params }));
  check(invite_code !== null, "a private game has no invite code");
  for (const other of others) {
    must(await other.POST("/v1/games/{id}/players", { params, body: { invite_code, client_seed: "ts" } }));
  }
  let moves = 0;
  for (let moved = true; moved; ) {
    moved = false;
    for (const player of players) {
      if (!(await move(player, id))) continue;
      moved = true;
      if (moves++ % 20 === 0) await refusals(players, id);
    }
  }
  const view = must(await host.GET("/v1/games/{id}", { params }));
  check(view.status === "finished", `nobody may move, and the game is ${view.status}`);
  const { items } = must(await host.GET("/v1/games/{id}/events", { params: { path: { id }, query: { limit: 1000 } } }));
  recount(view, items);
  return moves;
}
