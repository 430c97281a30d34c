import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers each call with its text from a file, in place of nginx if that is not installed. */
const calls = JSON.parse(process.argv[2] ?? "[]") as Array<[call: string, file: string]>;
const answers = new Map(calls.map(([call, file]) => [call, readFileSync(file)]));
const server = createServer((incoming, outgoing) => {
  const text = answers.get(`${incoming.method} ${incoming.url}`);
  incoming.resume();
  outgoing.writeHead(text === undefined ? 404 : 200, {
    "content-type": "application/json",
    "content-length": text?.length ?? 0,
  });
  outgoing.end(text);
});
server.keepAliveTimeout = 300_000;
server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
