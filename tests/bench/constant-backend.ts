import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Answers each call with its text from a file, in place of nginx if that is not installed. If told to, it changes a
 * time in each page of posts, as if someone had edited a post meanwhile.
 */
const calls = JSON.parse(process.argv[2] ?? "[]") as Array<[call: string, file: string]>;
const answers = new Map(calls.map(([call, file]) => [call, readFileSync(file)]));
const isChanging = process.argv[3] === "true";

const EDITED = '"edit_at":0';
let edits = 0;

function answerTo(call: string): Buffer | undefined {
  const text = answers.get(call);
  if (!isChanging || !text || !call.includes("/posts?")) return text;
  edits += 1;
  return Buffer.from(text.toString().replace(EDITED, `"edit_at":${1_700_000_000_000 + edits}`));
}

const server = createServer((incoming, outgoing) => {
  const text = answerTo(`${incoming.method} ${incoming.url}`);
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
