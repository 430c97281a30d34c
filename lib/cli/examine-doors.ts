import { once } from "node:events";
import { createServer } from "node:net";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Config } from "../config.ts";
import { areCookiesSecure, plainHttpNote } from "../http/plain-http.ts";
import { type Finding, fault, fine } from "./examine-nodes.ts";

const TIMEOUT_MS = 5000;

/** Looks at what others come in by: the port, the public address with its websocket, and the facilitator. */
export async function examineDoors(config: Config): Promise<Finding[]> {
  const findings = await Promise.all([
    examinePort(config),
    ...(config.isPublicUrlSet ? [examineWebsocket(config)] : []),
    ...(config.x402.facilitatorUrl ? [examineFacilitator(config.x402.facilitatorUrl)] : []),
  ]);
  return [...findings, examineScheme(config)];
}

function examineScheme(config: Config): Finding {
  const note = plainHttpNote(config);
  const isLosingCookies = config.isPublicUrlSet && areCookiesSecure(config);
  return note !== null && isLosingCookies
    ? fault("PUBLIC_URL", "is plain http", note)
    : fine("PUBLIC_URL", note ?? "is https");
}

/** Whether the port is free, or ours already. */
async function examinePort({ host, port }: Config): Promise<Finding> {
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen(port, host);
    await listening;
    return fine("PORT", `${port} is free`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE")
      return fault("PORT", `${host}:${port} can't be listened on (${code})`, "Correct HOST and PORT.");
    return (await isOurs(host, port))
      ? fine("PORT", `${port} is served by Hivegate`)
      : fault("PORT", `${port} is in use by another program`, "Stop that program, or set PORT to another.");
  } finally {
    server.close();
  }
}

const Live = z.object({ status: z.string() });

async function isOurs(host: string, port: number): Promise<boolean> {
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return (await readJson(`http://${address}:${port}/api/health/live`, Live)) !== null;
}

/** A handshake without a token is refused by the gateway with 401: whoever hears that has come through all proxies. */
async function examineWebsocket({ publicUrl }: Config): Promise<Finding> {
  const subject = "websocket through PUBLIC_URL";
  const answer = await shakeHands(`${publicUrl.replace(/^http/, "ws")}/api/chat/websocket`);
  if (answer === 401) return fine(subject, "reaches the gateway");
  if (answer === null)
    return fault(subject, "is not answered", "Start the gateway and its proxy, or correct PUBLIC_URL.");
  return fault(
    subject,
    `is answered with ${answer}`,
    "Let the proxy pass upgrades on: in nginx proxy_http_version 1.1, and the headers Upgrade and Connection.",
  );
}

/** The status of the answer to a handshake; null where none comes. */
async function shakeHands(url: string): Promise<number | null> {
  const socket = new WebSocket(url, { handshakeTimeout: TIMEOUT_MS });
  try {
    return await new Promise((resolve) => {
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode ?? null));
      socket.on("open", () => resolve(101));
      socket.on("error", () => resolve(null));
    });
  } finally {
    socket.terminate();
  }
}

const Supported = z.object({ kinds: z.array(z.object({ network: z.string() })) });

async function examineFacilitator(url: string): Promise<Finding> {
  const supported = await readJson(`${url}/supported`, Supported);
  return supported
    ? fine("FACILITATOR_URL", `settles for ${supported.kinds.map(({ network }) => network).join(", ")}`)
    : fault(
        "FACILITATOR_URL",
        "does not answer as a facilitator",
        "Start it (npm run facilitator), correct FACILITATOR_URL, or leave it out for the app's own.",
      );
}

async function readJson<T extends z.ZodType>(url: string, shape: T): Promise<z.infer<T> | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return shape.parse(await response.json());
  } catch {
    return null;
  }
}
