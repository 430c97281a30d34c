import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formAccessToken } from "../harness/form-access-token.ts";
import { signPayment } from "../harness/sign-payment.ts";
import { requestBootstrap } from "../harness/start-chat.ts";
import { type EndedCommand, type RunningServer, startCommand } from "../harness/start-command.ts";
import { callRpc } from "../harness/start-sandbox-chain.ts";
import { startServer } from "../harness/start-server.ts";
import { startShopProcess } from "../harness/start-shop-process.ts";
import type { ServerName } from "./attack.ts";

type Sandbox = { chain: { url: string; chainId: string } };

type Transaction = {
  ref_block_num: number;
  ref_block_prefix: number;
  expiration: string;
  signatures: string[];
};

/**
 * Starts the built app on its sandbox, the built standalone facilitator on the same chain, and a seller's
 * paywall in front of the facilitator.
 */
export async function startTargets() {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-fuzz-"));
  const quiet = { LOG_LEVEL: "error", RATE_LIMITS: "off", HOST: "127.0.0.1", PORT: "0" };
  const app = started(await startServer(["--sandbox"], { ...quiet, DATA_DIR: join(dataDir, "app") }));
  const { chain } = (await (await fetch(`${app.url}/api/sandbox`)).json()) as Sandbox;
  const facilitator = started(
    await startCommand(process.execPath, ["dist/facilitator.js"], {
      settings: {
        ...quiet,
        NODE_ENV: "production",
        DATA_DIR: join(dataDir, "facilitator"),
        HIVE_NODES: chain.url,
        HIVE_CHAIN_ID: chain.chainId,
        X402_NETWORK: "chain:sandbox",
      },
    }),
  );
  const shop = await startShopProcess({
    amount: "0.050 HBD",
    receivingAccount: "shop",
    facilitatorUrl: facilitator.url,
    network: "chain:sandbox",
    store: { kind: "sqlite", dataDir: join(dataDir, "shop") },
  });

  const { body: alice } = await requestBootstrap(app.url, "alice", { community: "hive-100001" });
  const posted = await fetch(`${app.url}/api/chat/channels/${alice.channelId}/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${alice.token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "the first" }),
  });
  const { post } = (await posted.json()) as { post: { id: string } };
  const call = async (method: string, params: unknown) => (await callRpc(chain.url, method, params)).result;
  const { request } = await signPayment({ chainId: chain.chainId, call }, { livesSeconds: 590 });

  const transaction = request.paymentPayload.payload.signedTransaction as unknown as Transaction;

  const urls: Record<ServerName, string> = { app: app.url, facilitator: facilitator.url, shop: shop.url };
  const portOf = (name: ServerName) => Number(new URL(urls[name]).port);
  const values: Record<string, string> = {
    pat: alice.token,
    user: alice.userId,
    channel: alice.channelId ?? "",
    post: post.id,
    access: formAccessToken("alice"),
    validBefore: request.paymentRequirements.validBefore,
    nonce: request.paymentPayload.payload.nonce,
    expiration: transaction.expiration,
    signature: transaction.signatures[0] ?? "",
    host: "127.0.0.1",
  };
  const numbers: Record<string, number> = {
    refBlockNum: transaction.ref_block_num,
    refBlockPrefix: transaction.ref_block_prefix,
  };

  return {
    portOf,
    /** Replaces the names in braces by their values. */
    fill: (text: string) =>
      text
        .replace(/"\{(\w+)\}"/g, (all, name: string) => String(numbers[name] ?? all))
        .replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all),
    /** Returns the log lines in which the app and the facilitator report internal faults. */
    faults: () =>
      [app, facilitator].flatMap((server) =>
        server
          .output()
          .split("\n")
          .slice(0, -1)
          .filter((line) => /^\{"level":"(error|fatal)"|⨯/.test(line)),
      ),
    /** Returns whether all three servers still answer. */
    async areWell(): Promise<boolean> {
      const health = [`${app.url}/api/health/ready`, `${facilitator.url}/supported`];
      const answers = await Promise.all(
        health.map((url) => fetch(url, { signal: AbortSignal.timeout(20_000) })),
      );
      const offer = await fetch(`${shop.url}/article`, { signal: AbortSignal.timeout(20_000) });
      return answers.every(({ status }) => status === 200) && offer.status === 402;
    },
    async close() {
      await shop.close();
      for (const server of [app, facilitator]) {
        server.child.kill("SIGTERM");
        await server.exited;
      }
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function started(server: RunningServer | EndedCommand): RunningServer {
  if (!("url" in server)) throw new Error(`ended with ${server.code}: ${server.output}`);
  return server;
}
