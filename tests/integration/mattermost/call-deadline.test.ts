import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createMattermost } from "../../../lib/mattermost/mattermost.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

// This test is alone in its file: undici's timers must use the mocked clock, and earlier calls would already
// have started them.
test("calls that began at different times all fail with backend_timeout", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let arrived = 0;
  const server = createServer(() => void arrived++).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const mattermost = createMattermost({ baseUrl: `http://127.0.0.1:${port}/api/v4`, timeoutMs: 1200 });
  onTestFinished(async () => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
    await mattermost.close();
  });
  const calls: Array<Promise<unknown>> = [];
  for (let call = 1; call <= 50; call++) {
    const answer = mattermost.as("p".repeat(26)).call("GET", "/x", z.unknown());
    calls.push(answer.catch(({ code }) => code));
    while (arrived < call) await nextTurn();
    await vi.advanceTimersByTimeAsync(10);
  }
  for (let passedMs = 0; passedMs < 1200; passedMs += 10) {
    await vi.advanceTimersByTimeAsync(10);
    await nextTurn();
  }
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["backend_timeout"]));
});
