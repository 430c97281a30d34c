import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { createHeartbeat } from "#lib/chat/websocket/heartbeat.ts";

/** The part of an open socket that the heartbeat uses. */
class Peer extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  pings = 0;
  isCut = false;
  ping() {
    this.pings += 1;
  }
  terminate() {
    this.isCut = true;
    this.emit("close");
  }
}

const watched = () => {
  const peer = new Peer();
  createHeartbeat().watch(peer as unknown as WebSocket);
  return peer;
};

describe("websocket heartbeat", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("pings a silent peer once, and drops a dead one within 60 seconds", () => {
    const peer = watched();
    vi.advanceTimersByTime(20_000);
    expect(peer.pings).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect([peer.pings, peer.isCut]).toEqual([1, false]);
    vi.advanceTimersByTime(30_000);
    expect(peer.isCut).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(["pong", "ping", "message"])("does not drop a peer that sent a %s", (sign) => {
    const peer = watched();
    for (let round = 0; round < 10; round++) {
      vi.advanceTimersByTime(25_000);
      peer.emit(sign);
    }
    expect([peer.pings, peer.isCut]).toEqual([10, false]);
  });
});
