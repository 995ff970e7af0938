// What the types must tell apart. This file is compiled, not run: an error that is expected and doesn't come is one.
import type { Game, GameEvent, Problem } from "./client.js";

export function about(event: GameEvent): string {
  switch (event.type) {
    case "card_played":
      return `${event.data.seat} plays ${event.data.card.toUpperCase()}`;
    case "dealt":
      return event.data.hands.map((hand) => hand.join(" ")).join(", ");
    case "bid_placed":
      // @ts-expect-error a hidden bid is null
      event.data.tricks.toFixed();
      return event.data.tricks === null ? "a hidden bid" : event.data.tricks.toFixed();
    case "trump_set":
      // @ts-expect-error there is no such way
      if (event.data.by === "chance") return "";
      return event.data.suit ?? "no trump";
    // @ts-expect-error there is no such type
    case "card_eaten":
      return "";
  }
  // @ts-expect-error not all that is left has cards
  event.data.card;
  // @ts-expect-error the salt of what is hidden is null
  event.salt.length;
  return event.type;
}

export function advice(problem: Problem): string {
  switch (problem.code) {
    case "not_your_turn":
      return "wait";
    case "stale":
      return `look again at ${problem.version ?? "the game"}`;
    case "invalid":
      return problem.errors?.map((e) => `${e.pointer} ${e.detail}`).join() ?? "";
    // @ts-expect-error there is no such code
    case "no_luck":
      return "";
  }
  return problem.title;
}

export function trump(game: Game): string {
  // @ts-expect-error outside of a round there is none
  game.round.trump;
  // @ts-expect-error a spectator has no hand
  game.you.hand;
  // @ts-expect-error a free seat has no user
  game.seats[0]!.user.id;
  return game.round?.trump ?? "none";
}
