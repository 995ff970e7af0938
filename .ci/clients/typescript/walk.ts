// Makes every call of the document, with every answer below 500 that it may have, and needs each to come as described. What comes through Prism and
// is not as described comes as Prism's own error. Most mistakes follow from the document; what a call needs to succeed is in situations.ts.
import { readFileSync } from "node:fs";
import { check } from "./client.js";
import { Situations, type Request } from "./situations.js";

interface Operation {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, { content?: Record<string, { examples?: object }> }>;
}

interface Call {
  method: string;
  path: string;
  operation: Operation;
  example: unknown;
}

/** Answers that a client can't bring about here. */
const unreached = new Set([
  "429", // limits are off
  "503", // the database is well
  "syncGames 410", // a token of last month
]);

function calls(file: string): Call[] {
  const document = JSON.parse(readFileSync(file, "utf8"));
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const name = operation.requestBody?.content["application/json"]?.schema.$ref.split("/").pop();
      return { method: method.toUpperCase(), path, operation, example: name && document.components.schemas[name].example };
    }),
  );
}

/** The requests that are wrong in themselves, by what the document says of a call, and the status each must meet. */
function mistakes(call: Call): Record<string, Request> {
  const { operation, example } = call;
  const has = (name: string) => operation.parameters?.some((p) => p.name === name);
  const json = { "Content-Type": "application/json" };
  const query = operation.parameters?.find((p) => p.in === "query" && p.name !== "cursor")?.name;
  return {
    ...(operation.security.length && { 401: { token: "not.a.token" } }),
    400: { raw: "{", headers: json, direct: true }, // Prism reads JSON itself
    404: { id: "0198a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b", body: example },
    406: { headers: { Accept: "image/png" } },
    409: { over: true, body: example },
    412: { body: example, headers: { "If-Match": '"999999"' } },
    413: { body: { padding: " ".repeat(70_000) } },
    415: { raw: "{}", headers: { "Content-Type": "text/plain" } },
    422: query && call.method === "GET" ? { query: `${query}=x` } : { body: { no_such_member: 1 } },
    ...(call.path.startsWith("/v1/games/{id}") && { 403: { stranger: true, body: example } }),
    ...(has("If-None-Match") && { 304: { headers: { "If-None-Match": "*" } } }),
  };
}

/**
 * Returns how much was walked; throws if an answer was not as it must be. Where the proxy has an impossible document, only answers of JSON to good
 * requests are walked, and all of them must be refused: what is let pass there was not looked at before.
 */
export async function walk(base: string, server: string, file: string, impossible: boolean): Promise<string> {
  const situations = await Situations.make(base, server);
  let [answers, operations] = [0, 0];
  const faults: string[] = [];
  for (const call of calls(file)) {
    operations++;
    const wrong = mistakes(call);
    const always = call.method === "GET" ? [] : ["400", "413", "415", "422"]; // whatever the call, its body may be wrong
    for (const status of new Set([...Object.keys(call.operation.responses), ...always])) {
      const name = `${call.operation.operationId} ${status}`;
      const codes = Object.keys(call.operation.responses[status]?.content?.["application/problem+json"]?.examples ?? {});
      if (String(codes) === "idempotency_in_progress") continue; // two requests with one key at the same moment
      const good = Number(status) < 300;
      if (unreached.has(status) || unreached.has(name) || (impossible && !good)) continue;
      const request = good ? await situations.fit(call.operation.operationId, call.example) : ((await situations.refused(name)) ?? wrong[status]);
      if (!request) {
        faults.push(`situations.ts doesn't say how to bring about ${name}`);
        continue;
      }
      const kinds = Object.keys(call.operation.responses[status]?.content ?? {});
      const minimal = status === "204" && Object.keys(call.operation.responses).some((other) => other === "200" || other === "201");
      if (minimal) request.headers = { ...request.headers, Prefer: "return=minimal" };
      for (const kind of impossible ? kinds.filter((k) => k === "application/json") : kinds.length > 1 ? kinds : [undefined]) {
        if (kind) request.headers = { ...request.headers, Accept: kind };
        let fault = await situations.fault(call.method, call.path, request, Number(status));
        if (impossible) fault = fault?.includes("no_such_member") ? undefined : `it is let pass: ${fault}`;
        if (fault) faults.push(`${name} ${kind ?? ""}: ${call.method} ${fault}`);
        answers++;
      }
    }
  }
  check(faults.length === 0, faults.join("\n"));
  return `${operations} calls, ${answers} answers`;
}
