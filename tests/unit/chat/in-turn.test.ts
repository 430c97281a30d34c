import { expect, it } from "vitest";
import { inTurn } from "../../../lib/chat/in-turn.ts";

it("runs works of one key one after another, also after one that failed", async () => {
  const seen: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const failing = inTurn("a", async () => {
    seen.push("first begins");
    await gate;
    seen.push("first ends");
    throw new Error("no");
  });
  const second = inTurn("a", async () => {
    seen.push("second");
    return 2;
  });
  const other = await inTurn("b", async () => "other");
  expect(other).toBe("other");
  expect(seen).toEqual(["first begins"]);
  open();
  await expect(failing).rejects.toThrow("no");
  expect(await second).toBe(2);
  expect(seen).toEqual(["first begins", "first ends", "second"]);
});
