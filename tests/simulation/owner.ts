import { approvalText, readRequest, writeAnswer } from "../../lib/approvals/approval-text.ts";
import type { Post } from "../../lib/chat-client/index.ts";
import { signText } from "../../lib/hive/private-key.ts";
import { accounts, ownerPostingWif } from "./accounts.ts";
import type { ApprovalTruth } from "./approval-truth.ts";
import type { SimulatedChat } from "./simulated-chat.ts";
import type { Stage } from "./simulated-process.ts";

/** The time after which an owner counts as slow, and how much longer the slowest one takes. */
const SLOW_MS = 480_000;
const SLOWEST_MS = 240_000;

const ODDS = {
  ...{ declines: 0.08, "says nothing": 0.04, "answers late": 0.12, "approves twice": 0.1 },
  ...{ "signs with another key": 0.07, "signs another request": 0.07, "changes their mind": 0.06 },
};

/** Starts the owner, who reads every question of the agent and answers it in its thread, or not. */
export function startOwner(stage: Stage, chat: SimulatedChat, truth: ApprovalTruth, agent: string): void {
  const stream = stage.chance.stream("owner");
  const { scheduler, note } = stage;
  const owner = accounts.dave.name;

  const answer = (post: Post, afterMs: number, message: string, tell: () => void) =>
    scheduler.after(afterMs, () => {
      tell();
      chat.write(owner, message, post.rootId || post.id);
    });
  const sign = (text: string, wif = ownerPostingWif) =>
    writeAnswer("I approve.", { signature: signText(text, wif) ?? "" });

  chat.listen((post, isNew) => {
    const request = isNew ? readRequest(post.message) : null;
    if (!request) return;
    const { text, terms } = request;
    const habit = stream.deviate<keyof typeof ODDS>(ODDS);
    const delayMs = stream.between(500, 15_000);
    const isCareless = stream.next() < 0.5;
    // A question that the agent did not write, which a careless owner signs.
    if (post.userId !== agent && !isCareless) return;
    if (habit) note(`the owner ${habit.kind}`);
    const size = habit?.size ?? 0;
    const approve = (afterMs: number, signed = text) =>
      answer(post, afterMs, sign(signed), () => truth.approved(signed, signed === text ? post : null));
    const decline = (afterMs: number) =>
      answer(post, afterMs, writeAnswer("No.", { refuses: terms.id }), () => truth.refused(terms.id));
    switch (habit?.kind) {
      case "says nothing":
        return;
      case "declines":
        return decline(delayMs);
      case "answers late":
        return approve(SLOW_MS + size * SLOWEST_MS);
      case "approves twice":
        approve(delayMs);
        return approve(delayMs + size * 30_000);
      case "signs with another key":
        answer(post, delayMs, sign(text, accounts.dave.wif), () => {});
        return isCareless ? approve(delayMs + 20_000) : undefined;
      case "signs another request": {
        const other = approvalText({ ...terms, amount: terms.amount.replace(/^\d/, "9") });
        return approve(delayMs, isCareless ? other : text.replace(/^Request: ./m, "Request: 0"));
      }
      case "changes their mind":
        if (isCareless) decline(delayMs);
        else approve(delayMs);
        return isCareless ? approve(delayMs + size * 4000) : decline(delayMs + size * 4000);
      default:
        return approve(delayMs);
    }
  });
}
