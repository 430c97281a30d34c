import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket as NodeWebSocket } from "ws";
import {
  HiveAuthError,
  type HiveAuthQuestion,
  type HiveAuthTransferOptions,
  sendTransferByHiveAuth,
} from "../../../lib/wallet-links/index.ts";
import { createPayingFetch, type TransferToSend } from "../../../lib/x402/client/index.ts";
import { createMemoryStore } from "../../../lib/x402/memory-store.ts";
import { echo, openShop } from "../../harness/open-shop.ts";
import { sendTransfer } from "../../harness/send-transfer.ts";
import {
  type AskedOperation,
  admitByHiveAuth,
  type HiveAuthRelay,
  startHiveAuthRelay,
} from "../../harness/start-hiveauth-relay.ts";

const { shop, sell } = await openShop();
const selling = { transfers: true, secret: "s".repeat(32), store: createMemoryStore() };
const transfer = { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:ñandú" };
const INVENTED = "1f".repeat(20);

/** Sends a transfer from the wallet's account. */
const sendAsWallet = ({ operation: [, { from, to, amount, memo }] }: AskedOperation) =>
  sendTransfer(shop.chain, { from, to, memo, mils: Math.round(Number.parseFloat(amount) * 1000) });

describe("sending a transfer by a wallet of HiveAuth", () => {
  let relay: HiveAuthRelay;
  let leaving: AbortController;
  const wallets: Array<{ close(): void }> = [];

  beforeEach(async () => {
    relay = await startHiveAuthRelay();
    leaving = new AbortController();
  });
  afterEach(async () => {
    leaving.abort(new Error("the test has ended"));
    for (const wallet of wallets.splice(0)) wallet.close();
    await relay.close();
  });

  const options = () => ({
    ...{ relay: relay.url, app: "shop.example", transfer, signal: leaving.signal },
    WebSocket: NodeWebSocket as unknown as typeof WebSocket,
  });

  /** Asks a wallet that answers every link as `answer` and `ways` say, and notes what the caller is told. */
  function ask(
    answer: (asked: AskedOperation) => Promise<string | null>,
    ways: { admits?: boolean; proves?: boolean } = {},
    more: Partial<HiveAuthTransferOptions> = {},
  ) {
    const told: string[] = [];
    const asked: AskedOperation[] = [];
    const questions: HiveAuthQuestion[] = [];
    const sent = sendTransferByHiveAuth({
      ...options(),
      onAsking: () => told.push("asking"),
      onUnsent: (reason) => told.push(reason),
      ...more,
      onQuestion(question) {
        questions.push(question);
        const take = (one: AskedOperation) => {
          asked.push(one);
          return answer(one);
        };
        admitByHiveAuth(question.link, take, ways).then(
          (wallet) => wallets.push(wallet),
          () => undefined,
        );
      },
    });
    sent.catch(() => undefined);
    return { sent, told, asked, questions };
  }
  /** Returns the number of requests to sign that the relay got. */
  const requests = () => relay.seen.filter((frame) => JSON.parse(frame).cmd === "sign_req").length;

  it("returns the id of the transaction that the wallet has sent with the active key", async () => {
    const { sent, told, asked } = ask(async () => INVENTED);
    expect(await sent).toBe(INVENTED);
    expect(asked).toEqual([
      {
        operation: ["transfer", transfer],
        ...{ keyType: "active", isSentByWallet: true, token: expect.any(String) },
      },
    ]);
    expect(told).toEqual(["asking"]);
  });

  it("shows the relay neither the key nor the transfer", async () => {
    const { sent, questions } = ask(async () => INVENTED);
    await sent;
    const all = relay.seen.join("\n");
    expect(all).toContain("alice");
    const secrets = [questions[0]?.key ?? "", "x402:", "0.050", '"transfer"', "shop.example"];
    const forms = secrets.flatMap((text) => [text, Buffer.from(text).toString("base64").replace(/=+$/, "")]);
    for (const form of forms) expect(all).not.toContain(form);
  });

  it.each([
    ["the wallet does not admit the app", { admits: false }, ["declined"]],
    ["the wallet proves that its owner declined", {}, ["asking", "declined"]],
  ])("returns null if %s", async (_, ways, expected) => {
    const { sent, told } = ask(async () => null, ways);
    expect(await sent).toBeNull();
    expect(told).toEqual(expected);
  });

  it("returns null if no wallet admits the app in time", async () => {
    const told: string[] = [];
    const onUnsent = (reason: string) => told.push(reason);
    const sent = sendTransferByHiveAuth({ ...options(), withinMs: 500, onUnsent, onQuestion: () => {} });
    expect(await sent).toBeNull();
    expect(told).toEqual(["expired"]);
  });

  it("returns null if no relay answers", async () => {
    const told: string[] = [];
    const onUnsent = (reason: string) => told.push(reason);
    const nowhere = { ...options(), relay: "ws://127.0.0.1:9", onUnsent, onQuestion: () => {} };
    expect(await sendTransferByHiveAuth(nowhere)).toBeNull();
    expect(told).toEqual(["relay_unavailable"]);
  });

  it("returns null if its signal aborts before a wallet has admitted the app", async () => {
    const onQuestion = () => leaving.abort(new Error("left"));
    expect(await sendTransferByHiveAuth({ ...options(), onQuestion })).toBeNull();
    expect(requests()).toBe(0);
  });

  it("rejects with the signal's reason once the wallet may have been asked", async () => {
    const { sent } = ask(() => {
      leaving.abort(new Error("left"));
      return new Promise(() => {});
    });
    await expect(sent).rejects.toThrow("left");
  });

  it("sends its request once the caller's preparation has ended", async () => {
    const before: number[] = [];
    const onAsking = async () => {
      const another = new NodeWebSocket(relay.url);
      await once(another, "message");
      another.close();
      before.push(requests());
    };
    expect(await ask(async () => INVENTED, {}, { onAsking }).sent).toBe(INVENTED);
    expect([before, requests()]).toEqual([[0], 1]);
  });

  it("returns null if the connection is lost while the caller prepares", async () => {
    const sockets: NodeWebSocket[] = [];
    class Watched extends NodeWebSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    }
    const onAsking = async () => {
      const closed = sockets.map((socket) => once(socket, "close"));
      relay.cutApps();
      await closed.at(-1);
    };
    const { sent, told } = ask(
      async () => INVENTED,
      {},
      { onAsking, WebSocket: Watched as unknown as typeof WebSocket },
    );
    expect(await sent).toBeNull();
    expect(told).toEqual(["relay_unavailable"]);
    expect(requests()).toBe(0);
  });

  it("returns null if its signal aborts while the caller prepares", async () => {
    const onAsking = async () => leaving.abort(new Error("left"));
    expect(await ask(async () => INVENTED, {}, { onAsking }).sent).toBeNull();
    expect(requests()).toBe(0);
  });

  it("is resumed after a lost connection, without a second request", async () => {
    const { sent, asked } = ask(async () => {
      relay.cutApps();
      return INVENTED;
    });
    expect(await sent).toBe(INVENTED);
    expect(asked).toHaveLength(1);
    expect(requests()).toBe(1);
  });

  it.each<[string, () => void]>([
    [
      "the connection is lost before the relay has named the request",
      () => {
        relay.treat((frame) => (frame.cmd === "sign_wait" ? null : frame));
      },
    ],
    [
      "the relay refuses the request",
      () => {
        relay.treat((frame) => (frame.cmd === "sign_wait" ? { cmd: "error", error: "too many" } : frame));
      },
    ],
    ["the relay has forgotten the request", () => relay.treat(null)],
  ])("rejects with unconfirmed, and asks no second time, if %s", async (_, prepare) => {
    prepare();
    const { sent, asked } = ask(async () => {
      relay.forget();
      relay.cutApps();
      return INVENTED;
    });
    await expect(sent).rejects.toMatchObject({ code: "unconfirmed" });
    await expect.poll(() => asked.length).toBe(1);
    expect(requests()).toBe(1);
  });

  it("rejects with unconfirmed if a wallet declines without a proof, as a relay could", async () => {
    const { sent, told } = ask(async () => null, { proves: false });
    await expect(sent).rejects.toBeInstanceOf(HiveAuthError);
    await expect(sent).rejects.toMatchObject({ code: "unconfirmed" });
    expect(told).toEqual(["asking"]);
  });

  it("takes no text of its own, replayed by the relay, for a proof that the owner declined", async () => {
    const uuid = JSON.stringify({ app: { name: "shop.example" } });
    relay.treat((frame) => {
      if (frame.cmd === "sign_wait") return { ...frame, uuid };
      const asked = relay.seen.map((text) => JSON.parse(text)).find(({ cmd }) => cmd === "auth_req");
      return frame.cmd === "sign_nack" ? { ...frame, uuid, data: asked.data } : frame;
    });
    await expect(ask(async () => null).sent).rejects.toMatchObject({ code: "unconfirmed" });
  });

  it("takes no text of its own, replayed by the relay, for a wallet's admission", async () => {
    relay.treat((frame) => {
      const asked = relay.seen.map((text) => JSON.parse(text)).find(({ cmd }) => cmd === "auth_req");
      return frame.cmd === "auth_ack" ? { ...frame, data: asked.data } : frame;
    });
    const { sent, told } = ask(async () => INVENTED, {}, { withinMs: 2000 });
    expect(await sent).toBeNull();
    expect(told).toEqual(["expired"]);
    expect(requests()).toBe(0);
  });

  it("takes no proof about an earlier link, replayed by the relay, for one about the transfer", async () => {
    let proof: { uuid?: string; data?: string } | null = null;
    const first = { admits: false };
    relay.treat((frame) => {
      if (frame.cmd === "auth_nack" && !proof) {
        proof = { uuid: frame.uuid ?? "", data: frame.data ?? "" };
        first.admits = true;
        relay.cutApps();
        return null;
      }
      if (frame.cmd === "attach_ack") return { ...frame, cmd: "attach_nack" };
      if (frame.cmd === "sign_wait") return { ...frame, uuid: proof?.uuid ?? "" };
      return frame.cmd === "sign_nack" ? { ...frame, ...proof } : frame;
    });
    const { sent, questions } = ask(async () => null, first);
    await expect(sent).rejects.toMatchObject({ code: "unconfirmed" });
    expect(questions).toHaveLength(2);
  });

  describe("for a client that pays", () => {
    const pays = (answer: (asked: AskedOperation) => Promise<string | null>) => {
      const { account, nodes, chainId } = shop.purse();
      const asks: Array<ReturnType<typeof ask>> = [];
      const pay = createPayingFetch({
        ...{ account, nodes, chainId },
        sendTransfer({ from, to, amount, memo }: TransferToSend) {
          asks.push(ask(answer, {}, { transfer: { from, to, amount, memo } }));
          return asks.at(-1)?.sent ?? null;
        },
      });
      return { pay, asks };
    };

    it("buys the content with one transfer", async () => {
      const { pay, asks } = pays(sendAsWallet);
      expect(await (await pay(await sell(echo, selling))).json()).toMatchObject({ payer: "alice" });
      expect(asks).toHaveLength(1);
    });

    it("sends no second transfer after the relay hid that the first was sent", async () => {
      relay.treat((frame) => (frame.cmd === "sign_ack" ? { ...frame, cmd: "sign_nack" } : frame));
      const { pay, asks } = pays(sendAsWallet);
      const url = await sell(echo, selling);
      await expect(pay(url)).rejects.toMatchObject({ code: "transfer_unconfirmed" });
      expect(await (await pay(url)).json()).toMatchObject({ payer: "alice" });
      expect(asks).toHaveLength(1);
    });

    it("has nothing counted as spent once the owner has declined", async () => {
      const { pay } = pays(async () => null);
      await expect(pay(await sell(echo, selling))).rejects.toMatchObject({ code: "transfer_not_sent" });
      expect(await pay.spent()).toMatchObject({ lastDay: "0.000 HBD" });
    });
  });
});
