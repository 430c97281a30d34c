import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { receiptOf } from "../../harness/ask-paid.ts";
import { echo, openShop } from "../../harness/open-shop.ts";
import { runRefund } from "../../harness/run-refund.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell } = await openShop();

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "refund-command-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Sells something for 0.050 HBD, and returns the id of alice's payment once no fork can undo it. */
async function buy(): Promise<string> {
  const { txId } = receiptOf(await shop.payer()(await sell(echo, { finality: "irreversible" })));
  return String(txId);
}

const run = (args: readonly string[], settings?: Readonly<Record<string, string>>) =>
  runRefund(shop, dataDir, { args, ...(settings && { settings }) });

beforeAll(async () => {
  // The shop needs funds of its own, so that a second refund would not fail for lack of them.
  await buy();
});

describe("npm run refund", () => {
  test("pays a buyer back, and only once", async () => {
    const txId = await buy();
    const before = await shop.balances();
    const first = await run([txId, "--reason", "the report was empty"]);
    expect(first).toMatchObject({
      code: 0,
      output: expect.stringContaining(`0.050 HBD to alice for ${txId}: done`),
    });
    expect(await run([txId, "--reason", "again"])).toEqual(first);
    const after = await shop.balances();
    expect([after.alice - before.alice, before.shop - after.shop]).toEqual([50, 50]);
  });

  test("pays a part back, and ends with status 1 if asked for more than was paid", async () => {
    const txId = await buy();
    const before = await shop.balances();
    const more = await run([txId, "--reason", "late", "--amount", "0.051 HBD"]);
    expect(more).toMatchObject({ code: 1, output: expect.stringContaining("amount_too_high") });
    expect((await run([txId, "--reason", "late", "--amount", "0.020 HBD"])).code).toBe(0);
    expect((await shop.balances()).alice - before.alice).toBe(20);
  });

  test("reads the key from a file that only its owner can read, and prints it nowhere", async () => {
    const txId = await buy();
    const path = join(dataDir, "refund.key");
    await writeFile(path, `${wifOf("shop")}\n`, { mode: 0o644 });
    const refused = await run([txId, "--reason", "broken"], { REFUND_KEY_FILE: path });
    expect(refused).toMatchObject({
      code: 78,
      output: expect.stringContaining("REFUND_KEY_FILE: can be read"),
    });
    await chmod(path, 0o600);
    const { code, output } = await run([txId, "--reason", "broken"], { REFUND_KEY_FILE: path });
    expect(code).toBe(0);
    expect(refused.output + output).not.toContain(wifOf("shop"));
  });

  test("names a missing, doubled, malformed or foreign key, and sends nothing", async () => {
    const txId = await buy();
    const before = await shop.balances();
    const path = join(dataDir, "refund.key");
    await writeFile(path, "no key", { mode: 0o600 });
    const wrong: Array<[Record<string, string>, string]> = [
      [{}, "REFUND_KEY: is needed"],
      [{ REFUND_KEY: wifOf("shop"), REFUND_KEY_FILE: path }, "REFUND_KEY: is set beside"],
      [{ REFUND_KEY: "5J" }, "REFUND_KEY: must be a private active key"],
      [{ REFUND_KEY_FILE: path }, "REFUND_KEY_FILE: must hold a private active key"],
      [{ REFUND_KEY_FILE: join(dataDir, "none") }, "REFUND_KEY_FILE: can't be read (ENOENT)"],
      [{ REFUND_KEY: `5${"J".repeat(50)}` }, "signing_failed"],
    ];
    for (const [settings, problem] of wrong) {
      const { code, output } = await run([txId, "--reason", "broken"], settings);
      expect([output, code === 0]).toEqual([expect.stringContaining(problem), false]);
    }
    expect(await shop.balances()).toEqual(before);
  });

  test("ends with status 2 for arguments that make no refund", async () => {
    for (const args of [["a".repeat(40)], ["--reason", "x"], ["a", "b", "--reason", "x"]])
      expect((await run(args)).code).toBe(2);
  });

  test("says that no refund is open", async () => {
    expect(await run([])).toMatchObject({ code: 0, output: expect.stringContaining("No refund is open.") });
  });
});
