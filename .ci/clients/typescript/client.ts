// The API's client as an app would make it: types from openapi.json, requests by openapi-fetch.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type Game = components["schemas"]["Game"];
export type GameEvent = components["schemas"]["Event"];
export type Problem = components["schemas"]["Problem"];
export type Rules = components["schemas"]["RulesRequest"];
export type Client = ReturnType<typeof createClient<paths, Json>>;

/** What this client asks for and is refused with: the events have other forms as well. */
type Json = "application/json" | "application/problem+json";

export const password = "a horse of four colours";

export function connect(base: string, token?: string): Client {
  return createClient<paths, Json>({ baseUrl: base, headers: token ? { Authorization: `Bearer ${token}` } : {} });
}

let users = 0;

/** Makes an account with a name of its own. */
export async function signUp(base: string): Promise<{ client: Client; token: string; refresh: string; id: string; username: string }> {
  const username = `ts-${process.pid}-${Date.now() % 1e9}-${users++}`;
  const tokens = must(await connect(base).POST("/v1/auth/register", { body: { username, password } }));
  return { client: connect(base, tokens.access_token), token: tokens.access_token, refresh: tokens.refresh_token, id: tokens.user.id, username };
}

/** Returns the body of an answer, or throws the problem. */
export function must<T>(answer: { data?: T; error?: unknown; response: Response }): NonNullable<T> {
  if (answer.error !== undefined || answer.data === undefined || answer.data === null) {
    const { response, error } = answer;
    throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)} ${response.headers.get("sl-violations") ?? ""}`);
  }
  return answer.data;
}

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
