import { once } from "node:events";
import { createServer } from "node:net";
import { WebSocket } from "ws";
import { z } from "zod";
import { networkNames } from "../chains.ts";
import type { Config } from "../config.ts";
import { answers } from "../contract/answers.ts";
import { LARGEST_UPLOAD } from "../contract/limits.ts";
import type { FacilitatorConfig } from "../facilitator-config.ts";
import { localUrl } from "../http/client-address.ts";
import { areCookiesSecure, plainHttpNote } from "../http/plain-http.ts";
import { type Finding, fault, fine, warning } from "./examine-nodes.ts";

const TIMEOUT_MS = 5000;
const UPLOAD_TIMEOUT_MS = 20_000;
/** Well-formed, so that the gateway checks the upgrade before it refuses the token. */
const MADE_UP_ID = "0".repeat(26);

/** Examines the entrances: the port, the public address with its websocket, and the facilitator. */
export async function examineDoors(config: Config): Promise<Finding[]> {
  const port = examinePort(config);
  const findings = await Promise.all([
    port.then(({ finding }) => finding),
    ...(config.isPublicUrlSet ? [examineWebsocket(config, port), examineUpload(config, port)] : []),
    ...(config.x402.facilitatorUrl
      ? [examineFacilitator(config.x402.facilitatorUrl, networkNames(config.hive.chainId))]
      : []),
  ]);
  return [
    ...findings.filter((finding) => finding !== null),
    examineScheme(config),
    ...(isProxyUncounted(config)
      ? [
          warning(
            "TRUST_PROXY",
            "is 0, but PUBLIC_URL is https, so a proxy must be in front: all clients share the quota of its address",
            "Set TRUST_PROXY to the number of proxies in front of the gateway, usually 1.",
          ),
        ]
      : []),
  ];
}

/**
 * Returns whether `TRUST_PROXY` overlooks a proxy: the gateway itself serves plain http, so an https address
 * implies one.
 */
function isProxyUncounted({ publicUrl, isPublicUrlSet, trustProxy }: Config): boolean {
  return isPublicUrlSet && trustProxy === 0 && new URL(publicUrl).protocol === "https:";
}

function examineScheme(config: Config): Finding {
  const note = plainHttpNote(config);
  const isLosingCookies = config.isPublicUrlSet && areCookiesSecure(config);
  return note !== null && isLosingCookies
    ? fault("PUBLIC_URL", "is plain http", note)
    : fine("PUBLIC_URL", note ?? "is https");
}

type Port = { finding: Finding; isFree: boolean };

/** Examines whether the port is free or already ours; `isOurs` asks the server at an address. */
export async function examinePort(
  { host, port }: Pick<Config | FacilitatorConfig, "host" | "port">,
  isOurs: (url: string) => Promise<boolean> = isGateway,
): Promise<Port> {
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen(port, host);
    await listening;
    return { isFree: true, finding: fine("PORT", `${port} is free`) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const taken = (finding: Finding) => ({ isFree: false, finding });
    if (code !== "EADDRINUSE")
      return taken(fault("PORT", `${host}:${port} cannot be opened (${code})`, "Correct HOST and PORT."));
    return taken(
      (await isOurs(localUrl(host, port)))
        ? fine("PORT", `${port} is served by Hivegate`)
        : fault("PORT", `${port} is in use by another program`, "Stop that program, or set PORT to another."),
    );
  } finally {
    server.close();
  }
}

async function isGateway(url: string): Promise<boolean> {
  return (await readJson(`${url}/api/health/live`, answers.Alive)) !== null;
}

/** Returns whether a standalone facilitator answers at an address. */
export async function isFacilitator(url: string): Promise<boolean> {
  return (await readJson(`${url}/supported`, Supported)) !== null;
}

const UPGRADES =
  "Configure the proxy to pass upgrades on: in nginx, proxy_http_version 1.1 and the headers Upgrade and Connection.";

/**
 * Attempts a handshake with an invented token, which the gateway refuses in its own format, so a client that
 * receives that refusal has passed all proxies. If a proxy drops the upgrade, the refusal says so.
 */
async function examineWebsocket({ publicUrl }: Config, port: Promise<Port>): Promise<Finding> {
  const subject = "websocket through PUBLIC_URL";
  const [answer, { isFree }] = await Promise.all([
    shakeHands(`${publicUrl.replace(/^http/, "ws")}/api/chat/websocket`),
    port,
  ]);
  if ("status" in answer && answer.code !== null && answer.code !== "invalid_upgrade")
    return fine(subject, "reaches the gateway");
  const detail =
    "status" in answer ? `is answered with ${answer.status}` : `is not answered (${answer.error})`;
  if (isFree)
    return warning(
      subject,
      detail,
      "Start the gateway, then run this again: nothing listens on the port yet.",
    );
  return fault(subject, detail, adviceOn(answer));
}

/** The answer to a handshake. `code` is that of our refusal; null if another program answered. */
type HandshakeAnswer = { status: number; code: string | null } | { error: string };

function adviceOn(answer: HandshakeAnswer): string {
  if (!("status" in answer))
    return /CERT|SIGNATURE|TLS|SSL|EPROTO/.test(answer.error)
      ? "Install a certificate for the name in PUBLIC_URL that this machine trusts, or correct the https in PUBLIC_URL."
      : "Start the proxy, or correct PUBLIC_URL.";
  const { status } = answer;
  if (status === 401)
    return "Turn off the proxy's password for this address, or correct PUBLIC_URL: another program answers there.";
  if (status >= 300 && status < 400)
    return "Correct PUBLIC_URL, for example http or https: that address redirects elsewhere.";
  if (status >= 502 && status <= 504)
    return "Start the gateway, or correct the proxy's upstream address: nothing answers there.";
  return UPGRADES;
}

const MOST_BYTES = 4096;

async function shakeHands(url: string): Promise<HandshakeAnswer> {
  const socket = new WebSocket(url, {
    handshakeTimeout: TIMEOUT_MS,
    headers: { authorization: `Bearer ${MADE_UP_ID}` },
  });
  try {
    return await new Promise((resolve) => {
      socket.on("unexpected-response", async (_request, response) => {
        const status = response.statusCode ?? 0;
        let text = "";
        try {
          for await (const chunk of response.setEncoding("utf8")) {
            text += chunk;
            if (text.length > MOST_BYTES) break;
          }
          resolve({ status, code: codeOf(JSON.parse(text)) });
        } catch {
          resolve({ status, code: null });
        }
      });
      socket.on("open", () => resolve({ status: 101, code: null }));
      socket.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ error: error.code ?? "no answer in time" }),
      );
    });
  } finally {
    socket.terminate();
  }
}

function codeOf(body: unknown): string | null {
  return answers.Failure.safeParse(body).data?.code ?? null;
}

/**
 * Uploads a picture of the largest size without a token. The gateway refuses it for the missing token, a proxy
 * for its size.
 */
async function examineUpload({ publicUrl }: Config, port: Promise<Port>): Promise<Finding | null> {
  const subject = "pictures through PUBLIC_URL";
  const size = `${LARGEST_UPLOAD / 1024 / 1024} MiB`;
  if ((await port).isFree) return null;
  try {
    const response = await fetch(`${publicUrl}/api/chat/channels/${MADE_UP_ID}/files`, {
      method: "POST",
      headers: { "content-type": "image/png" },
      body: new Uint8Array(LARGEST_UPLOAD),
      redirect: "manual",
      signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
    });
    if (response.status === 413)
      return fault(
        subject,
        `are refused at ${size}, which the gateway accepts`,
        "Raise the proxy's limit: in nginx, client_max_body_size 11m.",
      );
    const code = codeOf(await response.json().catch(() => null));
    return code === "unauthorized" ? fine(subject, `of ${size} reach the gateway`) : null;
  } catch {
    return warning(
      subject,
      `of ${size} get no answer`,
      "Check whether the proxy limits the size or duration of uploads.",
    );
  }
}

/**
 * The parsed part of another facilitator's answer, which can contain more than ours, or fewer fields per
 * kind.
 */
const Supported = z.object({ kinds: z.array(z.object({ network: z.string() })) });

async function examineFacilitator(url: string, names: readonly string[]): Promise<Finding> {
  const supported = await readJson(`${url}/supported`, Supported);
  const networks = supported?.kinds.map((kind) => kind.network) ?? [];
  if (supported && !networks.some((network) => names.includes(network)))
    return fault(
      "FACILITATOR_URL",
      `settles for ${networks.join(", ") || "no chain"}, and this gateway sells on ${names.join(" or ")}`,
      "Name a facilitator of the same chain, or correct HIVE_CHAIN_ID and X402_NETWORK.",
    );
  return supported
    ? fine("FACILITATOR_URL", `settles for ${networks.join(", ")}`)
    : fault(
        "FACILITATOR_URL",
        "does not answer as a facilitator",
        "Start it (npm run facilitator), correct FACILITATOR_URL, or remove it to use the app's own.",
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
