import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { z } from "zod";
import { metrics } from "../../metrics.ts";
import { type Frame, forwardClose, type Upstream } from "./connect-upstream.ts";
import { createFrameQuota } from "./frame-quota.ts";
import { projectFrame } from "./project-frame.ts";

/** Maximum bytes to buffer for a slow reader before its sender is paused. */
const HIGH_WATER_BYTES = 1024 * 1024;
const POLICY_VIOLATION = 1008;

/** Listens for changes to Mattermost's settings, the user's choices and roles, and channel names. */
export type ChangeListener = {
  onSettings(): void;
  onChoices(): void;
  onRoles(): void;
  onChannel(channelId: string): void;
};

/**
 * Forwards messages and close frames between a client and its Mattermost connection until both are closed.
 */
export function relay(
  client: WebSocket,
  clientSocket: Duplex,
  upstream: Upstream & { userId: string },
  { onSettings, onChoices, onRoles, onChannel }: ChangeListener,
): void {
  const { socket, challenge, received } = upstream;
  const count = { up: counterOf("up"), down: counterOf("down") };
  const isWithinQuota = createFrameQuota();
  const spend = () => {
    if (client.readyState !== client.OPEN) return false;
    const isAllowed = isWithinQuota();
    if (!isAllowed) forwardClose(client, POLICY_VIOLATION, "too many frames");
    return isAllowed;
  };

  const gather = createGatherer(clientSocket);

  upstream.stopCollecting();
  const deliver = ({ data, isBinary }: Frame) => {
    if (!isBinary && challenge.readReply(data)) return;
    const event = eventOf(data);
    if (event === "config_changed") onSettings();
    else if (event === "preferences_changed" || event === "preferences_deleted") onChoices();
    // Every client receives everyone's role changes; only changes of the client's own user are checked.
    else if (event === "user_role_updated") onRoles();
    else if (event === "user_updated" && data.includes(upstream.userId)) onRoles();
    else if (event === "channel_updated") onChannel(channelOf(data));
    const passed = isBinary ? data : projectFrame(event, data);
    count.down(passed);
    gather();
    pass(passed, isBinary, socket, client);
  };
  received.forEach(deliver);
  socket.on("message", (data: Buffer, isBinary) => deliver({ data, isBinary }));
  client.on("message", (data: Buffer, isBinary) => {
    if (!spend()) return;
    count.up(data);
    pass(data, isBinary, client, socket);
  });
  client.on("ping", spend);
  client.on("pong", spend);
  // `ws` has already sent its close frame (1002, 1007, 1009); the close event follows.
  client.on("error", () => undefined);
  client.on("close", (code, reason) => forwardClose(socket, code, reason));
  socket.on("close", (code, reason) => forwardClose(client, code, reason));
  if (socket.readyState === socket.CLOSED || socket.readyState === socket.CLOSING)
    forwardClose(client, 1006, "");
  socket.resume();
}

const LONGEST_NAME_BYTES = 128;

/** Returns the name of a message's event, which is its first field. */
const eventOf = (data: Buffer) =>
  /^\s*\{\s*"event"\s*:\s*"(\w+)"/.exec(data.toString("latin1", 0, LONGEST_NAME_BYTES))?.[1];

const ToChannel = z.object({ broadcast: z.object({ channel_id: z.string() }) });

/** Returns the id of the channel that an event was sent to, or an empty string. */
function channelOf(data: Buffer): string {
  try {
    return ToChannel.parse(JSON.parse(data.toString())).broadcast.channel_id;
  } catch {
    return "";
  }
}

/**
 * Messages that arrive in one packet leave in one packet, because a system call per message would cost more
 * than everything else.
 */
function createGatherer(socket: Duplex): () => void {
  let isCorked = false;
  const uncork = () => {
    isCorked = false;
    socket.uncork();
  };
  return () => {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    process.nextTick(uncork);
  };
}

function pass(data: Buffer, isBinary: boolean, from: WebSocket, to: WebSocket): void {
  if (to.readyState !== to.OPEN) return;
  if (to.bufferedAmount + data.byteLength < HIGH_WATER_BYTES) to.send(data, { binary: isBinary });
  else {
    from.pause();
    to.send(data, { binary: isBinary }, () => from.resume());
  }
}

function counterOf(direction: "up" | "down"): (data: Buffer) => void {
  const frames = metrics().frames.labels(direction);
  const bytes = metrics().frameBytes.labels(direction);
  return (data) => {
    frames.inc();
    bytes.inc(data.byteLength);
  };
}
