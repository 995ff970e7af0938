// Runs everything here against a server: run.js BINARY DOCUMENT. Games are played on the server itself and through Prism, a proxy that validates
// each request and each answer by the document; the walk goes through a second Prism that lets wrong requests pass.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { check, type Rules } from "./client.js";
import { play } from "./game.js";
import { walk } from "./walk.js";

const [binary, file] = process.argv.slice(2);
check(binary !== undefined && file !== undefined, "run.js BINARY DOCUMENT");

const started: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), "mago-clients-"));

function start(command: string, args: string[], output: "pipe" | "ignore"): ChildProcess {
  const child = spawn(command, args, { stdio: ["ignore", output, "inherit"] });
  started.push(child);
  return child;
}

async function serve(): Promise<string> {
  const data = `sqlite:${join(folder, "mago.db")}`;
  const server = start(binary!, ["serve", "--addr", "127.0.0.1:0", "--database-url", data, "--limits", "off", "--log-level", "error"], "pipe");
  for await (const line of createInterface(server.stdout!)) {
    const said = /http:\/\/\S+/.exec(line);
    if (said) return said[0];
  }
  throw new Error("the server doesn't say where it listens");
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

/**
 * Writes the document as Prism needs it. Prism adds null to the values of what is nullable, and what then has null twice is nothing it understands;
 * and what it doesn't understand it lets pass without a word. An impossible document asks for a member in every JSON answer that none has.
 */
function documentFor(impossible: boolean): string {
  const document = JSON.parse(readFileSync(file!, "utf8"), (_, value) => {
    if (value?.nullable === true && Array.isArray(value.enum)) value.enum = value.enum.filter((v: unknown) => v !== null);
    return value;
  });
  if (impossible) {
    for (const operation of Object.values<object>(document.paths).flatMap((item) => Object.values(item))) {
      for (const response of Object.values<{ content?: Record<string, { schema: object }> }>(operation.responses)) {
        const json = response.content?.["application/json"];
        if (json) json.schema = { allOf: [json.schema, { type: "object", required: ["no_such_member"] }] };
      }
    }
  }
  const name = join(folder, impossible ? "impossible.json" : "openapi.json");
  writeFileSync(name, JSON.stringify(document));
  return name;
}

async function prism(upstream: string, document: string, ...options: string[]): Promise<string> {
  const port = await freePort();
  const program = join(import.meta.dirname, "../node_modules/.bin/prism");
  const proxy = start(program, ["proxy", document, upstream, "--errors", "--host", "127.0.0.1", "--port", String(port), "--verboseLevel", "silent", ...options], "ignore");
  for (const base = `http://127.0.0.1:${port}`; proxy.exitCode === null; ) {
    if (await fetch(`${base}/healthz`).catch(() => undefined)) return base;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error("Prism has ended");
}

const games: Rules[] = [
  { players: 3, length: "five", bidding: "open" },
  { players: 4, length: "five", bidding: "secret", foresight: true },
];

async function timed(what: string, task: () => Promise<string>): Promise<void> {
  const began = Date.now();
  const done = await task();
  console.log(`${what}: ${done}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

try {
  const server = await serve();
  const document = documentFor(false);
  const lenient = ["--validate-request", "false"];
  const [strict, open, impossible] = await Promise.all([prism(server, document), prism(server, document, ...lenient), prism(server, documentFor(true), ...lenient)]);
  for (const rules of games) {
    for (const [how, base] of [["directly", server], ["through Prism", strict]] as const) {
      await timed(`a ${rules.bidding} game of ${rules.players} ${how}`, async () => `${await play(base, rules)} moves`);
    }
  }
  await timed("every answer of every call through Prism", () => walk(open, server, file, false));
  await timed("refused by Prism where the document asks for the impossible", () => walk(impossible, server, file, true));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const child of started) child.kill();
  rmSync(folder, { recursive: true });
}
