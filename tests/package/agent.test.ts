import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRequest, writeAnswer } from "../../lib/approvals/approval-text.ts";
import { startAgent } from "../../lib/cli/start-agent.ts";
import { signText } from "../../lib/hive/private-key.ts";
import { createApiPerson } from "../e2e/support/api-person.ts";
import { freePort } from "../harness/free-port.ts";
import { type RunningServer, startServer } from "../harness/start-server.ts";
import { wifOf } from "../harness/start-shop.ts";

const SLUG = "three-seconds-and-no-fee";

describe("npm run demo:agent", () => {
  let server: RunningServer;
  let dataDir: string;
  let agent: Awaited<ReturnType<typeof startAgent>>;
  const told: string[] = [];
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-agent-"));
    const started = await startServer(["--sandbox"], {
      DATA_DIR: dataDir,
      PORT: String(await freePort()),
      LOG_LEVEL: "error",
      RATE_LIMITS: "off",
    });
    if (!("url" in started)) throw new Error(started.output);
    server = started;
    agent = await startAgent({
      baseUrl: server.url,
      ...{ account: "carol", owner: "alice" },
      limits: { payUpTo: "0.100 HBD", maxPayment: "0.100 HBD", budget: "0.080 HBD" },
      tell: (line) => told.push(line),
    });
  });
  afterAll(async () => {
    await agent.close();
    server.child.kill("SIGTERM");
    await server.exited;
    await rm(dataDir, { recursive: true, force: true });
  });

  test("answers a mention in the thread with its purchases and spending, within its budget", async () => {
    const bob = await createApiPerson(server.url, "bob");
    const { channels } = await bob.chat("GET", "/channels");
    const { id } = channels.find(({ name }: { name: string }) => name === "town-square");
    const say = async (message: string) =>
      (await bob.chat("POST", `/channels/${id}/posts`, { message })).post;
    const answerTo = async (rootId: string) => {
      const { posts } = await bob.chat("GET", `/channels/${id}/posts?thread=${rootId}`);
      return posts[1] as { message: string } | undefined;
    };
    const whole = { timeout: 30_000 };

    const lost = await say("@carol what can you read?");
    await expect.poll(() => answerTo(lost.id), whole).toBeDefined();
    expect((await answerTo(lost.id))?.message).toContain(`\`${SLUG}\`: Three seconds`);

    const silent = await say(`Somebody should read ${SLUG}`);
    const asked = await say(`@carol please read ${SLUG} for us`);
    await expect.poll(() => answerTo(asked.id), whole).toBeDefined();
    const answer = (await answerTo(asked.id))?.message ?? "";
    expect(answer).toContain(`${server.url}/articles/${SLUG}`);
    expect(answer).toContain("Spent so far: 0.050 HBD of 0.080 HBD.");
    const txId = /transaction `([0-9a-f]{40})`/.exec(answer)?.[1];
    const payments = await fetch(`${server.url}/api/x402/payments?account=carol`);
    expect(await payments.text()).toContain(txId);

    const anew = await say(`@carol once more ${SLUG}`);
    await expect.poll(() => answerTo(anew.id), whole).toBeDefined();
    const free = (await answerTo(anew.id))?.message ?? "";
    expect(free).toContain(
      `I paid nothing: the shop says that I had bought it with transaction \`${txId}\`.`,
    );
    expect(free).toContain("Spent so far: 0.050 HBD of 0.080 HBD.");

    const again = await say("@carol and now the-answer-nobody-used");
    await expect.poll(() => answerTo(again.id), whole).toBeDefined();
    expect((await answerTo(again.id))?.message).toContain("exceeds what is left of my budget");
    expect(await answerTo(silent.id)).toBeUndefined();
    expect(told.join("\n")).not.toContain(wifOf("carol"));
  });

  test("answers another person while one person's questions wait for its owner", async () => {
    const asking = await startAgent({
      ...{ baseUrl: server.url, account: "dave", owner: "alice" },
      limits: { maxPayment: "0.100 HBD", budget: "0.200 HBD" },
      tell: (line) => told.push(line),
    });
    try {
      const [bob, erin] = [
        await createApiPerson(server.url, "bob"),
        await createApiPerson(server.url, "erin"),
      ];
      const { channels } = await erin.chat("GET", "/channels");
      const { id } = channels.find(({ name }: { name: string }) => name === "town-square");
      const message = `@dave please read ${SLUG}`;
      const asked: string[] = [];
      for (let index = 0; index < 21; index++)
        asked.push((await bob.chat("POST", `/channels/${id}/posts`, { message })).post.id);
      const repliesTo = async (rootId: string) =>
        (await erin.chat("GET", `/channels/${id}/posts?thread=${rootId}`)).posts.slice(1);
      const { post } = await erin.chat("POST", `/channels/${id}/posts`, {
        message: "@dave what do you read?",
      });
      await expect.poll(() => repliesTo(post.id)).toHaveLength(1);
      const states = async () => {
        const replies = (await Promise.all(asked.map(repliesTo))).flat();
        return replies.map(({ message }) => readRequest(message)?.state);
      };
      await expect.poll(states).toEqual(["waiting", "waiting", "waiting"]);
    } finally {
      await asking.close();
    }
  });

  test("asks its owner in the thread, and writes the receipt there", async () => {
    const asking = await startAgent({
      ...{ baseUrl: server.url, account: "bob", owner: "alice" },
      limits: { maxPayment: "0.100 HBD", budget: "0.200 HBD" },
      tell: (line) => told.push(line),
    });
    try {
      const alice = await createApiPerson(server.url, "alice");
      const erin = await createApiPerson(server.url, "erin");
      const { channels } = await erin.chat("GET", "/channels");
      const { id } = channels.find(({ name }: { name: string }) => name === "town-square");
      const { post } = await erin.chat("POST", `/channels/${id}/posts`, {
        message: "@bob please read one-key-for-each-job",
      });
      const thread = async (): Promise<Array<{ message: string }>> =>
        (await erin.chat("GET", `/channels/${id}/posts?thread=${post.id}`)).posts;
      const whole = { timeout: 30_000 };
      await expect.poll(async () => (await thread()).length, whole).toBe(2);
      const request = readRequest((await thread())[1]?.message ?? "");
      expect(request).toMatchObject({
        state: "waiting",
        terms: { agent: "bob", owner: "alice", amount: "0.050 HBD", reason: "asked by @erin" },
      });
      const signature = signText(request?.text ?? "", wifOf("alice", "posting")) ?? "";
      await alice.chat("POST", `/channels/${id}/posts`, {
        message: writeAnswer("I approve.", { signature }),
        rootId: post.id,
      });
      await expect.poll(async () => (await thread()).length, whole).toBe(5);
      const [, asked, , receipt, answer] = await thread();
      expect(readRequest(asked?.message ?? "")?.state).toBe("paid");
      expect(receipt?.message).toMatch(
        /^Paid 0\.050 HBD to shop, transaction `[0-9a-f]{40}`\. Left of the budget: 0\.150 HBD\.$/,
      );
      expect(answer?.message).toContain("I paid 0.050 HBD");
    } finally {
      await asking.close();
    }
  });

  test("explains the failure when there is no sandbox", async () => {
    const limits = { maxPayment: "0.100 HBD", budget: "0.100 HBD" };
    await expect(
      startAgent({ baseUrl: "http://127.0.0.1:9", account: "carol", owner: "alice", limits, tell: () => {} }),
    ).rejects.toThrow(/can't be reached.*quickstart/);
  });
});
