import type { IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { WebSocket } from "ws";
import { holdTimers } from "../harness/hold-time.ts";
import { soon } from "../harness/soon.ts";
import { startGateway } from "../harness/start-gateway.ts";
import { alicePat, playMattermost, startScriptedMattermost } from "../harness/start-scripted-mattermost.ts";
import { openWebsocket, refusalOf } from "./open-websocket.ts";

test("returns 504 after ten seconds when Mattermost accepts the connection but never answers the upgrade", async () => {
  const mattermost = await startScriptedMattermost();
  const gateway = await startGateway({ settings: { CHAT_BASE_URL: mattermost.url } });
  const limits = holdTimers(10_000);
  onTestFinished(async () => {
    limits.release();
    for (const socket of mattermost.sockets) socket.terminate();
    await soon(() => expect(mattermost.sockets.size).toBe(0));
    await gateway.close();
    await mattermost.close();
  });
  let upgrades = 0;
  let speak = () => {};
  const onConnection = (socket: WebSocket, incoming: IncomingMessage) => {
    if (mattermost.sockets.size === 1) return;
    socket.pause();
    speak = () => {
      playMattermost(socket, incoming);
      socket.resume();
    };
  };
  mattermost.script = { onUpgrade: () => ++upgrades === 1, onConnection };
  const answers: string[] = [];
  const tries = [1, 2, 3].map(async () => {
    answers.push(String(await refusalOf(openWebsocket(gateway.url, `?token=${alicePat}`))));
  });
  await soon(() => expect([limits.count(), upgrades, mattermost.sockets.size]).toEqual([3, 3, 2]));
  expect(answers).toEqual([]);
  speak();
  await soon(() => expect(answers).toEqual(["null"]));
  limits.end();
  await Promise.all(tries);
  expect(answers).toEqual(["null", "504,backend_timeout", "504,backend_timeout"]);
  for (const { socket } of mattermost.upgrades) socket.destroy();
});
