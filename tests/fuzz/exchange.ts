import { METHODS } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Message } from "./attack.ts";
import { readAnswers, type SeenAnswer } from "./read-answers.ts";

/**
 * Time after which a server counts as hanging: longer than any answer takes on a busy machine, but shorter
 * than the server's limits for slow senders.
 */
const HANG_MS = 18_000;

export type Outcome = {
  answers: SeenAnswer[];
  /** The reason why the answers are faulty, or null. */
  fault: string | null;
};

/** Sends an attack to a local port and judges the response. */
export async function exchange(
  attack: Attack,
  port: number,
  fill: (text: string) => string,
): Promise<Outcome> {
  const whole = Buffer.from(attack.messages.map((message) => serialize(message, fill)).join(""), "latin1");
  const bytes = attack.stopsAt === null ? whole : whole.subarray(0, (whole.length * attack.stopsAt) / 1000);
  const isHonest = attack.stopsAt === null && attack.messages.every(isTruthful);
  // A server that refuses a request head closes the connection, which may lose an answer in transit (RFC
  // 9112, 9.6).
  const isSentAtOnce = attack.pieces === 1 && bytes.length < 60_000;
  const methods = attack.messages.map(({ method }) => method);

  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  let wake = () => {};
  let isClosed = false;
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    wake();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  const step = Math.max(1, Math.ceil(bytes.length / attack.pieces));
  for (let start = 0; start < bytes.length; start += step) {
    socket.write(bytes.subarray(start, start + step));
    if (attack.pieces > 1) await sleep(1);
  }
  if (!isHonest && attack.ending === "resets") {
    await sleep(1);
    socket.resetAndDestroy();
    return { answers: [], fault: null };
  }
  // Senders that lied about the end of their message get no answer before the server's timeout, so they
  // disconnect.
  if (!isHonest || attack.ending === "half-closes") socket.end();

  const read = () => readAnswers(Buffer.concat(chunks).toString("latin1"), methods);
  const isDone = () => isClosed || (isHonest && read().whole >= methods.length) || read().isUpgraded;
  const deadline = performance.now() + HANG_MS;
  while (!isDone() && performance.now() < deadline)
    await Promise.race([
      new Promise<void>((resolve) => (wake = resolve)),
      sleep(deadline - performance.now()),
    ]);
  const { answers, whole: count } = read();
  const hangs = !isDone();
  socket.destroy();
  if (hangs) return { answers, fault: `hangs after ${count} of ${methods.length} answers` };
  if (isHonest && attack.ending !== "half-closes" && isSentAtOnce && count === 0)
    return { answers, fault: "the connection ended without an answer" };
  return { answers, fault: answers.map(faultOf).find((fault) => fault !== null) ?? null };
}

function faultOf({ status, headers, body }: SeenAnswer): string | null {
  if (status >= 500 && status !== 503) return `answered ${status}`;
  if (headers.has("x-injected")) return "a header of the sender's went out";
  if (/\n\s+at .+:\d+:\d+/.test(body) || /node_modules/.test(body)) return "an answer reveals internals";
  if (status >= 400 && headers.get("content-type") === "application/json" && !isJson(body))
    return "an error that is no JSON";
  return null;
}

function isJson(text: string): boolean {
  if (text === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the sender of a message may expect an answer to it. */
function isTruthful({ framing, headers, target, method }: Message): boolean {
  const isLine = /^\/[!-~]*$/.test(target) && METHODS.includes(method) && method !== "CONNECT";
  const isPlain = framing === "length" || framing === "chunked";
  const isShort = headers.reduce((size, { name, value }) => size + name.length + value.length, 0) < 10_000;
  const isHead = headers.every(
    ({ lies, name, value }) => !lies && /^[\w-]+$/.test(name) && /^[ -~\x80-\xff]*$/.test(value),
  );
  return isLine && isPlain && isShort && isHead;
}

function serialize(
  { method, target, headers, body, framing }: Message,
  fill: (text: string) => string,
): string {
  const filled = fill(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(headers.some(({ name }) => name === "Host") ? [] : ["Host: {host}"]),
    ...headers.map(({ name, value, isBase64 }) => {
      const text = fill(value);
      return `${name}: ${isBase64 ? Buffer.from(text, "latin1").toString("base64") : text}`;
    }),
  ];
  return `${[fill(lines.join("\r\n")), ...framingLines(framing, filled)].join("\r\n")}\r\n\r\n${framed(framing, filled)}`;
}

const lengthsOff = { length: 0, "too-long": 50, "too-short": -1 };

function framingLines(framing: Message["framing"], body: string): string[] {
  if (framing in lengthsOff)
    return [`Content-Length: ${Math.max(0, body.length + lengthsOff[framing as keyof typeof lengthsOff])}`];
  if (framing === "chunked" || framing === "bad-chunk") return ["Transfer-Encoding: chunked"];
  return framing === "both" ? ["Content-Length: 3", "Transfer-Encoding: chunked"] : [];
}

function framed(framing: Message["framing"], body: string): string {
  if (framing === "bad-chunk") return `zz\r\n${body}\r\n0\r\n\r\n`;
  if (framing !== "chunked" && framing !== "both") return body;
  return `${body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`;
}
